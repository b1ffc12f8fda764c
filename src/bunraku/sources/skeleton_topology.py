"""The parts of a body told without names: legs and arms are the two pairs of long like chains, the rest follows."""

from __future__ import annotations

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np

from bunraku.sources.posed import PosedSkeleton

_Places = tuple[int, int, int]

# Mean relative difference of the bones of the left and the right limb, at most.
_LIKE = 0.25
# Parts of the leg's length (hip to ankle), after Drillis and Contini.
_UPPER_ARM, _FOREARM, _HALF_SHOULDERS = 0.379, 0.297, 0.22
# What a joint passed over costs the score of a limb's parting.
_SKIPPED = 0.5
# Bounds of the search: branches of a node, pairs, joints along a limb.
_BRANCHES, _PAIRS, _ALONG = 8, 30, 16


class _Pair(NamedTuple):
    """Two like chains on one node: nodes from the first child to the leaf."""

    node: int
    first: list[int]
    second: list[int]
    reach: float


def roles_by_topology(skeleton: PosedSkeleton) -> dict[str, int]:
    """Hips, head and limbs of an ordinary body; empty where there are no two pairs of limbs."""
    pairs = _pairs(skeleton)
    chosen = _legs_and_arms(skeleton, pairs)
    if chosen is None:
        return {}
    legs, arms = chosen
    leg = _split_leg(skeleton, legs)
    if leg is None:
        return {}
    leg_length = float(skeleton.lengths[legs.first[leg[0] + 1 : leg[2] + 1]].sum())
    arm = _split_arm(skeleton, arms, leg_length) if leg_length > skeleton.tiny else None
    if arm is None:
        return {}
    paths = {"left": (legs.first, arms.first), "right": (legs.second, arms.second)}
    if not _same_side(skeleton, legs, leg, arms, arm):
        paths = {"left": (legs.first, arms.second), "right": (legs.second, arms.first)}
    if not _first_is_left(skeleton, legs, leg, arms, arm):
        paths = {"left": paths["right"], "right": paths["left"]}
    roles: dict[str, int] = {}
    for side, (leg_path, arm_path) in paths.items():
        roles |= {f"{side}_{part}": leg_path[at] for part, at in zip(("thigh", "shin", "foot"), leg, strict=True)}
        roles |= {
            f"{side}_{part}": arm_path[at] for part, at in zip(("upper_arm", "forearm", "hand"), arm, strict=True)
        }
    roles["hips"] = skeleton.common([roles["left_thigh"], roles["left_upper_arm"], roles["right_thigh"]])[-1]
    head = _head(skeleton, arms)
    if head >= 0:
        roles["head"] = head
    return roles


def _pairs(skeleton: PosedSkeleton) -> list[_Pair]:
    """Pairs of like chains of at least three bones, longest first."""
    out = []
    for node in range(skeleton.joint_count):
        long = sorted(
            (child for child in skeleton.children[node] if skeleton.children[child]), key=lambda c: -skeleton.reach[c]
        )
        paths = {child: [child, *skeleton.longest_path(child)] for child in long[:_BRANCHES]}
        for a, b in combinations(paths, 2):
            far, near = float(skeleton.reach[a]), float(skeleton.reach[b])
            if near > 0.7 * far and _unlikeness(skeleton, paths[a], paths[b]) < _LIKE:
                out.append(_Pair(node, paths[a], paths[b], (far + near) / 2))
    return sorted(out, key=lambda pair: -pair.reach)[:_PAIRS]


def _unlikeness(skeleton: PosedSkeleton, first: list[int], second: list[int]) -> float:
    """Mean relative difference of the bones in order; infinite where they are few, or unequal in number."""
    a, b = ([float(v) for v in skeleton.lengths[path] if v > skeleton.tiny] for path in (first, second))
    n = min(len(a), len(b))
    if n < 3 or abs(len(a) - len(b)) > 1:
        return np.inf
    return float(np.mean(np.abs(np.log(np.array(a[:n]) / np.array(b[:n])))))


def _legs_and_arms(skeleton: PosedSkeleton, pairs: list[_Pair]) -> tuple[_Pair, _Pair] | None:
    """The two longest pairs that are not parts of each other; the arms' node is the one that carries a head."""
    for one, other in combinations(pairs, 2):
        inside = any(
            node == top or skeleton.below(node, top)
            for node, top in ((other.node, one.first[0]), (other.node, one.second[0]), (one.node, other.first[0]),
                              (one.node, other.second[0]))
        )  # fmt: skip
        shared = {one.first[0], one.second[0]} & {other.first[0], other.second[0]}
        if (
            inside
            or shared
            or not skeleton.common([one.node, other.node])
            or min(one.reach, other.reach) < 0.5 * pairs[0].reach
        ):
            continue
        heads = [bool(_head_chain(skeleton, pair, beside)) for pair, beside in ((one, other), (other, one))]
        if heads[0] != heads[1]:
            return (other, one) if heads[0] else (one, other)
        return (one, other) if skeleton.below(other.node, one.node) else (other, one)
    return None


def _head_chain(skeleton: PosedSkeleton, arms: _Pair, legs: _Pair | None = None) -> list[int]:
    """The longest chain on the arms' node that is neither an arm nor the way to the legs; empty if there is none."""
    limbs = {arms.first[0], arms.second[0], *((legs.first[0], legs.second[0]) if legs else ())}
    way = set(skeleton.path(legs.node)) if legs else set()
    tops = [child for child in skeleton.children[arms.node] if child not in limbs and child not in way]
    tops = [top for top in tops if skeleton.reach[top] < 0.8 * arms.reach]
    if not tops:
        return []
    top = max(tops, key=lambda child: skeleton.reach[child])
    return [top, *skeleton.longest_path(top)]


def _head(skeleton: PosedSkeleton, arms: _Pair) -> int:
    """The last joint of the head's chain that moves, or the one that branches to eyes and jaw."""
    chain = [node for node in _head_chain(skeleton, arms) if node < skeleton.joint_count]
    for joint in chain:
        if len(skeleton.children[joint]) > 1:
            return joint
    while len(chain) > 2 and _is_stub(skeleton, chain[-1]):
        chain.pop()
    return chain[-1] if chain else -1


def _is_stub(skeleton: PosedSkeleton, joint: int) -> bool:
    """Whether a joint never turns against its parent and carries nothing."""
    if any(skeleton.lengths[child] > skeleton.tiny for child in skeleton.children[joint]):
        return False
    parent = skeleton.parents[joint]
    return bool(
        np.all(np.abs(np.sum(skeleton.rotations[:, joint] * skeleton.rotations[:, parent], axis=-1)) > 1 - 1e-9)
    )


def _split_leg(skeleton: PosedSkeleton, legs: _Pair) -> _Places | None:
    """Places of thigh, shin and foot in the legs' paths: between them lie the two longest and about equal bones."""
    return _best(skeleton, legs, lambda a, b, _: float(np.log(a + b) - 4 * np.log(a / b) ** 2))


def _split_arm(skeleton: PosedSkeleton, arms: _Pair, leg_length: float) -> _Places | None:
    """Places of upper arm, forearm and hand: what agrees best with the leg's length and a person's proportions."""

    def score(a: float, b: float, wide: float) -> float:
        expected = np.array([_UPPER_ARM, _FOREARM, _HALF_SHOULDERS]) * leg_length
        return -float(np.sum(np.log(np.array([a, b, max(wide, 1e-3 * leg_length)]) / expected) ** 2))

    return _best(skeleton, arms, score)


def _best(skeleton: PosedSkeleton, pair: _Pair, score: Callable[[float, float, float], float]) -> _Places | None:
    """The triple of places in both paths with the highest score of its two bones and half the distance of the sides."""
    n = min(len(pair.first), len(pair.second))
    n = min(
        n,
        sum(node < skeleton.joint_count for node in pair.first),
        sum(node < skeleton.joint_count for node in pair.second),
    )
    along = np.cumsum([skeleton.lengths[pair.first[:n]], skeleton.lengths[pair.second[:n]]], axis=1).mean(0)
    apart = skeleton.positions[:, pair.first[:n]] - skeleton.positions[:, pair.second[:n]]
    half = np.linalg.norm(apart, axis=-1).mean(0) / 2
    best, found = -np.inf, None
    for i, j, k in combinations(range(n), 3):
        a, b = along[j] - along[i], along[k] - along[j]
        if min(a, b) <= skeleton.tiny:
            continue
        skipped = sum(along[m] - along[m - 1] > skeleton.tiny for m in (*range(i + 1, j), *range(j + 1, k)))
        value = score(a, b, half[i]) - _SKIPPED * skipped
        if value > best + 1e-9:
            best, found = value, (i, j, k)
    return found


def _first_is_left(skeleton: PosedSkeleton, legs: _Pair, leg: _Places, arms: _Pair, arm: _Places) -> bool:
    """Toes point forward; without toes, knees bend backward and elbows forward."""
    left = np.zeros((len(skeleton.positions), 3))
    for path in (legs.first, legs.second):
        thigh, shin, foot = (skeleton.positions[:, path[at]] for at in leg)
        far = [n for n in path[leg[2] + 1 :] if skeleton.lengths[n] > skeleton.tiny]
        if far:
            left += np.cross(shin - foot, skeleton.positions[:, far[0]] - foot)
        else:
            left += np.cross(shin - thigh, foot - shin)
    if not np.any(np.abs(left) > 1e-6 * skeleton.tiny):
        for path in (arms.first, arms.second):
            upper, fore, hand = (skeleton.positions[:, path[at]] for at in arm)
            left -= np.cross(fore - upper, hand - fore)
    across = skeleton.positions[:, legs.first[leg[0]]] - skeleton.positions[:, legs.second[leg[0]]]
    return bool(np.sum(left * across) >= 0)


def _same_side(skeleton: PosedSkeleton, legs: _Pair, leg: _Places, arms: _Pair, arm: _Places) -> bool:
    """Whether the first arm is on the side of the first leg."""
    hips = skeleton.positions[:, legs.first[leg[0]]] - skeleton.positions[:, legs.second[leg[0]]]
    shoulders = skeleton.positions[:, arms.first[arm[0]]] - skeleton.positions[:, arms.second[arm[0]]]
    return bool(np.sum(hips * shoulders) >= 0)
