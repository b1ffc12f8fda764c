"""What commands can go to: robots' interfaces, simulators, files.

examples:
  bunraku outputs
  bunraku outputs --json
"""

from __future__ import annotations

import argparse

from bunraku.cli.terminal import print_json, print_table


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(args: argparse.Namespace) -> int:
    """List the kinds."""
    from bunraku.faults import MODES
    from bunraku.outputs.output import outputs

    kinds = outputs()
    if args.json:
        print_json(
            {
                "outputs": [
                    {
                        "scheme": k.scheme,
                        "summary": k.summary,
                        "example": k.example,
                        "simulated": k.simulated,
                        "options": dict(k.options),
                    }
                    for k in kinds.values()
                ]
            }
        )
        return 0
    rows = [[f"{k.scheme}:", "no" if k.simulated else "yes", k.summary, k.example] for k in kinds.values()]
    print_table(rows, ("output", "moves", "what", "example"))
    print("\nfaulty+ before any source or output does harm on purpose, as in 'faulty+sim:?mode=slow&period=10':")
    print_table([[f"  {mode}", text] for mode, text in MODES.items()])
    return 0
