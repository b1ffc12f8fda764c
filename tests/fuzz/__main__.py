"""`./dev fuzz [--minutes N] [TARGET …]`: coverage-guided fuzzing of every decoder, by atheris."""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from importlib import import_module
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CORPUS = Path(__file__).parent / "corpus"
HANG_S, MOST_MIB, LONGEST = 2, 1024, 16384


def one(name: str, arguments: list[str]) -> None:
    """This process fuzzes one target, and ends."""
    import atheris

    # What is compiled has nothing to see in it, and may not be instrumented: it is imported before.
    package = ROOT / "src/bunraku"
    for module in (*sorted(package.glob("human/*.py")), *sorted(package.glob("sources/*_kernels.py"))):
        import_module(f"bunraku.{module.parent.name}.{module.stem}")
    with atheris.instrument_imports(include=["bunraku.sources"]):
        from fuzz.targets import TARGETS
    target = TARGETS[name]
    target.run(target.good())  # kernels are compiled before the clock runs
    atheris.Setup([sys.argv[0], *arguments], target.run)
    atheris.Fuzz()


def main() -> int:
    """Each target in a process of its own, for its share of the time; the exit code says whether all held."""
    sys.path.insert(0, str(ROOT / "tests"))
    if sys.argv[1:2] == ["--one"]:
        one(sys.argv[2], sys.argv[3:])
        return 0
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("targets", nargs="*")
    parser.add_argument("--minutes", type=float, default=10.0, help="of all together (default: 10)")
    args = parser.parse_args()
    from fuzz.targets import TARGETS

    names = args.targets or list(TARGETS)
    seconds = max(round(args.minutes * 60 / len(names)), 1)
    failed = []
    for name in names:
        kept = CORPUS / name
        kept.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "good").write_bytes(TARGETS[name].good())
            command = [sys.executable, "-m", "fuzz", "--one", name, folder, str(kept), f"-max_total_time={seconds}",
                       f"-timeout={HANG_S}", f"-rss_limit_mb={MOST_MIB}", f"-max_len={LONGEST}",
                       f"-artifact_prefix={kept}/found-", "-verbosity=0", "-print_final_stats=1"]  # fmt: skip
            done = subprocess.run(command, cwd=ROOT / "tests", capture_output=True, text=True, errors="replace")
        lines = done.stderr.splitlines()
        runs = [text.split()[-1] for text in lines if "number_of_executed_units" in text]
        print(
            f"{name:18s} {runs[0] if runs else '?':>9s} runs  {'ok' if done.returncode == 0 else 'FAILED'}", flush=True
        )
        if done.returncode:
            failed.append(name)
            print("\n".join(lines[-40:]), flush=True)
    return bool(failed)


if __name__ == "__main__":
    sys.exit(main())
