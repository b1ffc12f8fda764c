"""What a frame costs by the number of joints and of tasks: trees that are built like people, of 10 to 60 joints."""

from __future__ import annotations

import statistics
import sys
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from figure import Figure, best_of
from follow import follower

from bunraku.kinematics import rotations
from bunraku.kinematics.problem import Limits
from bunraku.kinematics.tree import HINGE, KinematicTree

JOINTS = (10, 20, 30, 40, 50, 60)
TASKS = (5, 10, 15, 20, 30)
USUAL_JOINTS, USUAL_TASKS = 30, 15
STEPS, FRAMES, PASSES, TREES = 3, 300, 5, 7
BAR = 40


def figures() -> Iterator[Figure]:
    """The curve goes to stderr as a table; the figures say how it grows."""
    sizes = dict.fromkeys([*((n, USUAL_TASKS) for n in JOINTS), *((USUAL_JOINTS, k) for k in TASKS)])
    times = _frame_us(list(sizes))
    by_joints = {n: times[n, USUAL_TASKS] for n in JOINTS}
    by_tasks = {k: times[USUAL_JOINTS, k] for k in TASKS}
    _draw(f"joints ({USUAL_TASKS} pose tasks)", by_joints)
    _draw(f"pose tasks ({USUAL_JOINTS} joints)", by_tasks)
    for label, what, curve, most in (("joints", "joints", by_joints, 2.0), ("tasks", "pose tasks", by_tasks, 1.1)):
        listed = ", ".join(f"{size}: {micros:.0f} µs" for size, micros in curve.items())
        yield Figure(
            f"scale.{label}", _power(curve), "exponent", most, "at_most",
            f"time of a frame grows as this power of the {what}; {listed}; {STEPS} steps, median of {TREES} trees",
        )  # fmt: skip


def _frame_us(sizes: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """µs a frame for each (joints, tasks): median over trees of the best of several passes, which go by turns."""
    passes = [(size, _one_tree(np.random.default_rng(seed), *size)) for size in sizes for seed in range(TREES)]
    best = [float("inf")] * len(passes)
    for _ in range(PASSES):
        for number, (_, work) in enumerate(passes):
            best[number] = min(best[number], best_of(work, 1))
    of_size = {size: [b for b, (other, _) in zip(best, passes, strict=True) if other == size] for size in sizes}
    return {size: statistics.median(trees) / FRAMES * 1e6 for size, trees in of_size.items()}


def _one_tree(generator: np.random.Generator, joints: int, tasks: int) -> Callable[[], np.ndarray]:
    """Poses of nodes all over the tree, along a smooth way of all joints; 1 cm off, so that none is met exactly."""
    tree = _person_like(generator, joints)
    nodes = np.arange(tasks) * joints // tasks + 1
    qpos = _way(generator, tree)
    positions, turns = (np.ascontiguousarray(array[:, nodes]) for array in tree.forward(qpos))
    positions += generator.normal(0.0, 0.01, (tasks, 3))
    limits = Limits(np.full(6 + joints, -3.0), np.full(6 + joints, 3.0))
    links = [(int(node), np.zeros(3), np.eye(3)) for node in nodes]
    follow = follower(tree, limits, links, np.full(tasks, 10.0), np.ones(tasks), STEPS)
    return lambda: follow(qpos[0], positions, turns)


def _person_like(generator: np.random.Generator, joints: int) -> KinematicTree:
    """A trunk of a sixth of the joints; two legs from the base, two arms and a neck from the trunk's end."""
    trunk = max(1, joints // 6)
    parent = [-1, *range(trunk)]
    ends = [0, 0, trunk, trunk, trunk]
    while len(parent) <= joints:
        limb = (len(parent) - 1 - trunk) % 5
        parent.append(ends[limb])
        ends[limb] = len(parent) - 1
    N = joints + 1
    kind = np.array([0, *[HINGE] * joints], np.int8)
    axis = np.eye(3)[generator.integers(0, 3, N)]
    own = np.arange(joints, dtype=np.int32)
    return KinematicTree(
        np.array(parent, np.int32), kind, axis, generator.uniform(-0.15, 0.15, (N, 3)),
        np.tile(np.eye(3), (N, 1, 1)), own, np.ones(joints), np.zeros(joints), True,
    )  # fmt: skip


def _way(generator: np.random.Generator, tree: KinematicTree) -> np.ndarray:
    """(FRAMES, nq) slow sines of every joint and of the base."""
    t = np.arange(FRAMES)[:, None] / 30
    rate, phase, size = generator.uniform(0.5, 3.0, 66), generator.uniform(0, 6, 66), generator.uniform(0.1, 0.5, 66)
    wave = size * np.sin(rate * t + phase)
    base = np.concatenate([wave[:, 60:63], rotations.exp(wave[:, 63:66])], axis=1)
    return np.concatenate([base, wave[:, : tree.joint_count]], axis=1)


def _power(times: dict[int, float]) -> float:
    """Slope of the times over the sizes, both as logarithms."""
    return float(np.polyfit(np.log(list(times)), np.log(list(times.values())), 1)[0])


def _draw(label: str, times: dict[int, float]) -> None:
    longest = max(times.values())
    print(f"  µs a frame by {label}", file=sys.stderr)
    for size, micros in times.items():
        print(f"  {size:4d} {micros:8.1f}  {'█' * round(BAR * micros / longest)}", file=sys.stderr)
