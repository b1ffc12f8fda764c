"""`bunraku VERB …`: finds the verb's module, runs it, and turns known errors into one line."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from importlib import import_module

from bunraku import __version__
from bunraku.errors import BunrakuError

VERBS = {
    "demo": "a built-in human motion on a built-in robot, in simulation",
    "run": "live: a person drives a robot, with a stop key",
    "retarget": "recorded motion in, robot motion out",
    "evaluate": "how faithful, clean and safe a robot motion is",
    "calibrate": "an operator's size and where their devices stand, in a small file",
    "reproduce": "every number of the five papers, theirs beside ours",
    "robots": "what robots there are, and what a robot file would map to",
    "sources": "what motion can come from",
    "fake": "a stand-in for a device, by its own protocol",
    "outputs": "what commands can go to",
    "bench": "figures of speed and size, measured now",
    "doctor": "what is installed, what is missing, and the line that fixes it",
}
"""verb → summary; the module of that name in this package holds `configure(parser)` and `run(args) -> int`"""

USAGE_ERROR = 2


def main(argv: Sequence[str] | None = None) -> int:
    """Entry point of the program; returns the exit code."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    try:
        return _run(arguments)
    except BunrakuError as error:
        print(f"bunraku: {_one_line(error)}", file=sys.stderr)
        return USAGE_ERROR
    except KeyboardInterrupt:
        print("bunraku: stopped; finished files are whole", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # The reader of our output went away (`| head`): no error of ours. Keep the interpreter from flushing into it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0


def _run(arguments: list[str]) -> int:
    verb = next((word for word in arguments if not word.startswith("-")), None)
    if verb in VERBS and arguments[0] == verb:
        module = import_module(f"bunraku.cli.{verb}")
        parser = argparse.ArgumentParser(
            prog=f"bunraku {verb}",
            description=module.__doc__,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        module.configure(parser)
        code: int = module.run(parser.parse_args(arguments[1:]))
        return code
    parser = _overview()
    options = parser.parse_args(arguments)
    if options.verb is None:
        parser.print_help()
    return 0


def _overview() -> argparse.ArgumentParser:
    width = max(map(len, VERBS))
    verbs = "\n".join(f"  {verb:{width}}  {summary}" for verb, summary in VERBS.items())
    parser = argparse.ArgumentParser(
        prog="bunraku",
        description="A person's motion, from any capture device, becomes joint commands for any robot.",
        epilog=f"verbs:\n{verbs}\n\nbunraku VERB --help tells more. Begin with: bunraku demo --headless",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"bunraku {__version__}")
    parser.add_argument("verb", nargs="?", choices=tuple(VERBS), metavar="VERB", help="one of the verbs below")
    return parser


def _one_line(error: BunrakuError) -> str:
    return " ".join(str(error).split())


if __name__ == "__main__":
    sys.exit(main())
