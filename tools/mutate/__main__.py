"""`./dev mutate [FILE …] [--share 0.2] [--seed 0]`: the mutation score of safety/, and the faults that went unnoticed.

Every mutant runs in a forked process of its own, in which only its module differs. Kernels run as Python then.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from importlib import import_module
from importlib.abc import MetaPathFinder, SourceLoader
from importlib.machinery import ModuleSpec
from importlib.util import spec_from_file_location
from pathlib import Path
from types import ModuleType

from tools.mutate.equivalent import EQUIVALENT
from tools.mutate.mutants import Mutant, mutants

ROOT = Path(__file__).resolve().parents[2]
ROOM = ROOT / "src" / "bunraku" / "safety"
TESTS = {
    "apart": ["test_apart"],
    "apart_kernels": ["test_apart"],
    "bounds": ["test_bounds"],
    "conditions": ["test_conditions", "test_machine"],
    "filters": ["test_filters"],
    "gate": ["test_gate"],
    "guard": ["test_guard", "test_apart"],
    "history": ["test_history"],
    "limiter": ["test_limiter", "test_limiter_base"],
    "limiter_kernels": ["test_limiter", "test_limiter_base"],
    "machine": ["test_machine", "test_cells", "test_conditions"],
    "match": ["test_match"],
    "observed": ["test_conditions", "test_machine"],
    "promises": ["test_guard"],
    "senses": ["test_guard"],
    "table": ["test_conditions", "test_cells", "test_machine"],
}
LONGEST_S = 120
"""a mutant that takes longer hangs, which is noticed"""


class _Changed(MetaPathFinder, SourceLoader):
    """Loads one module from a changed syntax tree, everything else as it is."""

    def __init__(self, name: str, path: Path, tree: ast.Module) -> None:
        self.name, self.path, self.tree = name, path, ast.fix_missing_locations(tree)

    def find_spec(
        self, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        return spec_from_file_location(fullname, self.path, loader=self) if fullname == self.name else None

    def get_filename(self, fullname: str) -> str:
        return str(self.path)

    def get_data(self, path: str) -> bytes:
        return self.path.read_bytes()

    def get_code(self, fullname: str) -> object:
        return compile(self.tree, str(self.path), "exec")


def survives(mutant: Mutant) -> bool:
    """Whether all tests pass with the fault in place."""
    child = os.fork()
    if child == 0:
        signal.alarm(LONGEST_S)
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, 1)
        os.dup2(null, 2)
        import pytest

        stem = mutant.path.stem
        sys.meta_path.insert(0, _Changed(f"bunraku.safety.{stem}", mutant.path, mutant.tree))
        files = [str(ROOT / "tests" / "safety" / f"{name}.py") for name in TESTS[stem]]
        quiet = ["-p", "no:cacheprovider", "-W", "ignore::pytest.PytestAssertRewriteWarning"]
        os._exit(int(pytest.main(["-x", "-q", *quiet, *files])))
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status) == 0


def warm_up() -> None:
    """What no mutant changes is imported once, and robots are read once."""
    sys.path.insert(0, str(ROOT / "tests"))
    for name in ("hypothesis.stateful", "pytest", "bunraku.kinematics.self_distance", "bunraku.robots"):
        import_module(name)
    robots = sys.modules["bunraku.robots"]
    read = robots.load_robot
    ready = {name: read(name) for name in ("puppet", "lamp", "inmoov")}
    for robot in ready.values():
        robot.semantics  # noqa: B018 (found once)
    robots.load_robot = lambda name, **more: ready[name] if name in ready and not more else read(name, **more)


def main() -> int:
    parser = argparse.ArgumentParser(prog="./dev mutate")
    parser.add_argument("files", nargs="*", help="names of modules of safety/; all without any")
    parser.add_argument("--share", type=float, default=1.0, help="of all mutants, chosen at random")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--least", type=float, default=0.0, help="fail below this score, per cent")
    args = parser.parse_args()
    stems = [Path(name).stem for name in args.files] or sorted(TESTS)
    compiled = [stem for stem in stems if not stem.endswith("_kernels")]
    if "NUMBA_DISABLE_JIT" not in os.environ and len(compiled) < len(stems):
        return _split(args, compiled, [stem for stem in stems if stem.endswith("_kernels")])
    warm_up()
    killed = total = 0
    for stem in stems:
        path = ROOM / f"{stem}.py"
        if not survives(Mutant(path, -1, 0, "nothing", ast.parse(path.read_text()))):
            print(f"{stem}: its tests fail without any fault", flush=True)
            return 1
        found = [m for m in mutants(path) if (stem, m.line, m.what) not in EQUIVALENT]
        chosen = [m for m in found if random.Random(f"{args.seed}{stem}{m.number}").random() < args.share]
        began, noticed = time.monotonic(), 0
        for mutant in chosen:
            if survives(mutant):
                print(f"survives: {mutant.path.name}:{mutant.line}: {mutant.what}", flush=True)
            else:
                noticed += 1
        killed, total, seconds = killed + noticed, total + len(chosen), time.monotonic() - began
        print(f"{stem}: {noticed} of {len(chosen)} noticed ({len(found)} in all, {seconds:.0f} s)", flush=True)
    score = 100 * killed / max(total, 1)
    print(f"mutation score {score:.1f} % of {total}", flush=True)
    return int(score < args.least)


def _split(args: argparse.Namespace, compiled: list[str], kernels: list[str]) -> int:
    """Kernels in a process in which nothing is compiled."""
    options = ["--share", str(args.share), "--seed", str(args.seed), "--least", str(args.least)]
    failed = 0
    for stems, extra in ((compiled, {}), (kernels, {"NUMBA_DISABLE_JIT": "1"})):
        if stems:
            command = [sys.executable, "-m", "tools.mutate", *stems, *options]
            failed |= subprocess.run(command, env=os.environ | extra, check=False).returncode
    return failed


if __name__ == "__main__":
    sys.exit(main())
