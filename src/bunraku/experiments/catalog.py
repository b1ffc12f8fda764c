"""What can be reproduced: paper → its experiments, `module:function` below this folder.

Each function takes a seed (and, for tests, keywords that make it small) and gives `Findings`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from importlib import import_module
from types import MappingProxyType

from bunraku.errors import UnknownNameError
from bunraku.experiments.findings import Findings

PAPERS = MappingProxyType(
    {
        "P1": ("p1.elbow:elbow_paths",),
        "P2": ("p2.palm:romeo", "p2.palm:pepper", "p2.palm:eight"),
        "P3": ("p3.arc:arc", "p3.likeness:trajectories", "p3.likeness:same_robot_motion", "p3.maps:joint_maps"),
        "P4": (
            "p4.lift:box_lift", "p4.push:box_push", "p4.lever:lever_turn", "p4.wrist:wrist_follow",
            "p4.move:half_metre", "p4.sizes:sizes", "p4.rates:rates",
        ),
        "P5": ("p5.target:cube_pose", "p5.lamp:end_effector", "p5.arm:angles", "p5.line:serial"),
    }
)  # fmt: skip
"""The longest first, within a paper."""

TITLES = MappingProxyType(
    {
        "P1": "Girard 2020, Leonardo by a suit",
        "P2": "Hirschmanner 2017, Romeo and Pepper by a Leap Motion",
        "P3": "Gong 2022, InMoov by a suit, and likeness",
        "P4": "Rolley-Parnell 2018, CENTAURO by a camera with depth",
        "P5": "van Holland 2018, a desk light by markers",
    }
)


def find(name: str) -> Callable[..., Findings]:
    """The function of an experiment."""
    module, _, function = name.partition(":")
    found: Callable[..., Findings] = getattr(import_module(f"bunraku.experiments.{module}"), function)
    return found


def conduct(name: str, seed: int) -> Findings:
    """Run one experiment; what a process of its own is given to do."""
    return find(name)(seed)


def chosen(papers: Sequence[str]) -> tuple[str, ...]:
    """The papers asked for, in their order; all where none is named."""
    asked = [paper.upper() for paper in papers]
    for paper in asked:
        if paper not in PAPERS:
            raise UnknownNameError("paper", paper, PAPERS)
    return tuple(paper for paper in PAPERS if not asked or paper in asked)


def run_all(papers: Sequence[str], seed: int, jobs: int = 2) -> Iterator[tuple[str, Findings]]:
    """(paper, findings) of every experiment, in the catalogue's order, worked on by some processes at a time."""
    work = [(paper, name) for paper in papers for name in PAPERS[paper]]
    if jobs == 1 or len(work) == 1:
        yield from ((paper, conduct(name, seed)) for paper, name in work)
        return
    with ProcessPoolExecutor(min(jobs, len(work))) as pool:
        longest_first = sorted(range(len(work)), key=lambda k: work[k][0] != "P4")
        futures = {k: pool.submit(conduct, work[k][1], seed) for k in longest_first}
        for k, (paper, _) in enumerate(work):
            yield paper, futures[k].result()
