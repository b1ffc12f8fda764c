"""The body plan of a robot: which chains of joints are legs, arms, trunk, neck, fingers and face.

Names are asked first, because most robots have good ones. Where they are silent, the plan comes from shape alone:
limbs come in mirrored pairs, legs end lowest, arms hang on the same trunk higher up, the head sits on top.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.tree import SLIDE
from bunraku.robots.names import mentions, side_of, votes
from bunraku.robots.robot import Robot
from bunraku.robots.skeleton import UP, Skeleton

Array = NDArray[np.float64]
_SKEWED = float(np.cos(np.radians(10)))
"""a base whose axes are nearer than this to the robot's has the robot's"""


@dataclass(frozen=True, eq=False)
class Plan:
    """Nodes of the tree by what they are. Node k hangs on joint k - 1."""

    left: Array
    """(3,) the robot's left in the world, neutral configuration"""
    legs: dict[str, list[int]]
    """side → nodes from hip to foot"""
    arms: dict[str, list[int]]
    """side → nodes from shoulder to hand, without fingers"""
    torso: list[int]
    """nodes between the hips and the chest, hips first"""
    neck: list[int]
    """nodes from the chest to the head"""
    fingers: dict[str, list[int]]
    face: list[int]
    hips: int
    chest: int
    reasons: list[str]


def find_plan(robot: Robot) -> Plan:
    """The body plan, with a line of reason for each thing found."""
    body = Skeleton(robot)
    reasons: list[str] = []
    pairs, left = _mirrored_pairs(body, reasons)
    legs, arms = _sort_pairs(body, pairs, left, reasons)
    if not arms:
        arms = _single_arm(body, {n for pair in pairs for root in pair for n in body.subtree(root)}, reasons)
    left = _settle_sides(body, legs, arms, left, reasons)
    finger_roots: dict[str, list[int]] = {}
    arm_chains = {side: _arm_chain(body, root, finger_roots, side) for side, root in arms.items()}
    leg_chains = {side: _leg_chain(body, root) for side, root in legs.items()}
    hips = _meeting_point(body, [body.parent[r] for r in legs.values()]) if legs else 0
    chest = _meeting_point(body, [body.parent[r] for r in arms.values()]) if arms else hips
    torso = _between(body, hips, chest)
    used = {n for root in [*legs.values(), *arms.values()] for n in body.subtree(root)} | set(torso) | {hips, chest}
    neck, face = _neck_and_face(body, used, chest)
    if not arms:
        torso, neck = _trunk_without_arms(body, torso, neck)
        chest = torso[-1] if torso else chest
    fingers = {side: [n for root in roots for n in body.subtree(root)] for side, roots in finger_roots.items()}
    for label, chain in (("torso", torso), ("neck", neck), ("face", face)):
        if chain:
            reasons.append(f"{label}: {_joint_list(body, chain)}")
    return Plan(left, leg_chains, arm_chains, torso, neck, fingers, face, hips, chest, reasons)


def _joint_list(body: Skeleton, chain: list[int]) -> str:
    return ", ".join(body.robot.joint_names[node - 1] for node in chain)


def _mirrored_pairs(body: Skeleton, reasons: list[str]) -> tuple[list[tuple[int, int]], Array]:
    """Largest branches that are mirror images across some vertical plane through the base, and that plane's normal."""
    best: list[tuple[int, int]] = []
    normal = np.array([0.0, 1.0, 0.0])
    for candidate in (np.array([0.0, 1.0, 0.0]), np.array([1.0, 0.0, 0.0])):
        found = _pairs_across(body, candidate)
        if _pair_score(body, found, candidate) > _pair_score(body, best, normal):
            best, normal = found, candidate
    if best:
        reasons.append(
            f"symmetry: {len(best)} mirrored pairs of branches across the {'xz' if normal[1] else 'yz'} plane"
        )
    return best, normal


def _pair_score(body: Skeleton, pairs: list[tuple[int, int]], normal: Array) -> float:
    """How many joints the pairs explain; the more the two of a pair lie to either side of the plane, the better."""
    total = 0.0
    for a, b in pairs:
        across = _middle(body, a) - _middle(body, b)
        total += len(body.subtree(a)) * abs(float(across @ normal)) / max(float(np.linalg.norm(across)), 1e-9)
    return total


def _pairs_across(body: Skeleton, normal: Array) -> list[tuple[int, int]]:
    """Topmost pairs of nodes whose branches have the same build and mirrored places."""
    centre = body.position[0]
    tolerance = 0.04 * body.size
    build = {n: _build(body, n) for n in range(1, len(body.parent))}
    pairs: list[tuple[int, int]] = []
    covered: set[int] = set()
    for a in range(1, len(body.parent)):
        if a in covered or body.parent[a] in covered:
            covered.add(a)
            continue
        for b in range(a + 1, len(body.parent)):
            if b in covered or build[a] != build[b] or b in body.subtree(a):
                continue
            mirrored = body.position[a] - 2 * normal * ((body.position[a] - centre) @ normal)
            apart = abs((body.position[a] - body.position[b]) @ normal)
            sides = {side_of(body.names[a]), side_of(body.names[b])}
            close = np.linalg.norm(mirrored - body.position[b]) < tolerance and apart > 0.01 * body.size
            if close or (sides == {"left", "right"} and body.parent[a] == body.parent[b]):
                pairs.append((a, b))
                covered |= set(body.subtree(a)) | set(body.subtree(b))
                break
    return pairs


def _build(body: Skeleton, node: int) -> tuple[object, ...]:
    """Shape of a branch as nested tuples, order of children aside."""
    children = sorted((_build(body, child) for child in body.children[node]), key=repr)
    return (int(body.robot.tree.joint_type[node]), *children)


def _sort_pairs(
    body: Skeleton, pairs: list[tuple[int, int]], left: Array, reasons: list[str]
) -> tuple[dict[str, int], dict[str, int]]:
    """Which pair is the legs, which the arms: by names, else by height."""
    long = [pair for pair in pairs if _depth(body, pair[0]) >= 2]
    kinds: dict[str, tuple[float, tuple[int, int], str]] = {}
    leg_pairs = 0
    for pair in long:
        names = body.subtree_names(pair[0])
        leg, arm = votes(names, "leg"), votes(names, "arm") + votes(names, "finger")
        if (mentions(names, "face") and not leg and not arm) or votes(names, "wheel") > max(leg, arm):
            continue
        lowest = float(body.points_of(body.subtree(pair[0]))[:, 2].min())
        if leg == arm:
            all_low = min(float(body.points_of(body.subtree(p[0]))[:, 2].min()) for p in long)
            ground = float(body.shape_points[1][:, 2].min())
            is_leg = lowest <= all_low + 1e-9 and lowest < ground + 0.03 * body.size and _depth(body, pair[0]) >= 3
            why = "ends lowest, at the ground" if is_leg else "hangs higher than the legs"
        else:
            is_leg, why = leg > arm, f"named so ({max(leg, arm)} names)"
        kind = "legs" if is_leg else "arms"
        # Of several pairs of arms the one with most joints is a person's.
        score = float(len(body.subtree(pair[0])))
        leg_pairs += is_leg
        if kind not in kinds or score > kinds[kind][0]:
            kinds[kind] = (score, pair, why)
    if leg_pairs > 1:
        reasons.append(f"legs: {leg_pairs} pairs, none of them a person's")
        del kinds["legs"]
    out: list[dict[str, int]] = []
    for kind in ("legs", "arms"):
        if kind not in kinds:
            out.append({})
            continue
        a, b = kinds[kind][1]
        # Two collar bones may begin at one point: where the branches are tells.
        a_is_left = (_middle(body, a) - _middle(body, b)) @ left > 0
        out.append({"left": a if a_is_left else b, "right": b if a_is_left else a})
        reasons.append(f"{kind}: {_joint_list(body, [a, b])} begin a mirrored pair, {kinds[kind][2]}")
    return out[0], out[1]


def _middle(body: Skeleton, root: int) -> Array:
    return np.asarray(body.position[body.subtree(root)].mean(axis=0))


def _depth(body: Skeleton, node: int) -> int:
    """Joints on the longest way down from a node, itself included; followers do not count."""
    own = 0 if body.is_follower(node) else 1
    return own + max((_depth(body, child) for child in body.children[node]), default=0)


def _single_arm(body: Skeleton, taken: set[int], reasons: list[str]) -> dict[str, int]:
    """A robot with one chain of three joints or more, that is none of a pair: that is its arm."""
    roots = [n for n in body.children[0] if n not in taken and _depth(body, n) >= 3]
    roots = [n for n in roots if not _is_other_than_arm(body, n)]
    if not roots:
        return {}
    root = _beginning_of_arm(body, max(roots, key=lambda n: _depth(body, n)))
    side = side_of(body.subtree_names(root)) or "right"
    reasons.append(f"arms: a single chain from {body.robot.joint_names[root - 1]}, taken as the {side} arm")
    return {side: root}


def _is_other_than_arm(body: Skeleton, root: int) -> bool:
    """Whether the branch is named as a head, a leg, a trunk or wheels rather than an arm."""
    names = body.subtree_names(root)
    arm = votes(names, "arm") + votes(names, "finger")
    return max(votes(names, part) for part in ("head", "leg", "wheel", "torso")) > arm


def _beginning_of_arm(body: Skeleton, root: int) -> int:
    """Down a branch to where its arm begins: behind lifts and rails, and behind where the head branches off."""
    start = node = root
    hinges = 0
    while True:
        onward = [c for c in body.children[node] if not body.is_follower(c) and _depth(body, c) >= 1]
        onward = [c for c in onward if not mentions([body.robot.joint_names[c - 1]], "finger")]
        deep = max(onward, key=lambda n: (_depth(body, n), -n), default=0)
        if not deep or _depth(body, deep) < 3 or (hinges := hinges + 1) > 3:
            return start
        slides = body.robot.tree.joint_type[node] == SLIDE
        parts = len(onward) > 1 and not mentions(body.names[node], "arm")
        if slides or parts:
            start, hinges = deep, 0
        node = deep


def _settle_sides(body: Skeleton, legs: dict[str, int], arms: dict[str, int], left: Array, reasons: list[str]) -> Array:
    """Turn "left" round where names or the feet say that the robot faces the other way; limbs change names in place."""
    score = 0
    for limbs in (legs, arms):
        if len(limbs) == 2:
            for side, root in limbs.items():
                named = side_of(body.names[root]) or side_of(body.subtree_names(root))
                score += 0 if named is None else (1 if named == side else -1)
    why = "names of the limbs"
    if score == 0 and len(legs) == 2:
        score, why = _feet_say(body, legs, left), "the feet point forward"
    if score < 0:
        left = -left
        for limbs in (legs, arms):
            if len(limbs) == 2:
                limbs["left"], limbs["right"] = limbs["right"], limbs["left"]
    left = _measured(body, [*(limbs for limbs in (legs, arms) if len(limbs) == 2)], left)
    forward = np.cross(left, UP)
    reasons.append(f"faces {_axis_name(forward)} of its base{'' if score == 0 else f' ({why})'}")
    return left


def _measured(body: Skeleton, limbs: list[dict[str, int]], left: Array) -> Array:
    """Left as the limbs lie, where the base's axes are turned well away from the robot's."""
    across = sum((_middle(body, pair["left"]) - _middle(body, pair["right"]) for pair in limbs), np.zeros(3))
    across = across - UP * (across @ UP)
    length = float(np.linalg.norm(across))
    if length < 1e-6 or not _SKEWED > across @ left / length > -_SKEWED:
        return left
    return np.asarray(across / length)


def _feet_say(body: Skeleton, legs: dict[str, int], left: Array) -> int:
    """+1 where the feet reach further to the front than to the back of the ankles, -1 where it is the other way."""
    forward = np.cross(left, UP)
    reach = 0.0
    for root in legs.values():
        foot = _leg_chain(body, root)[-1]
        along = (body.points_of(body.subtree(foot)) - body.position[foot]) @ forward
        reach += float(along.max() + along.min())
    return 0 if abs(reach) < 0.01 * body.size else (1 if reach > 0 else -1)


def _axis_name(direction: Array) -> str:
    axis = int(np.abs(direction).argmax())
    return f"{'+' if direction[axis] > 0 else '-'}{'xyz'[axis]}"


def _arm_chain(body: Skeleton, root: int, finger_roots: dict[str, list[int]], side: str) -> list[int]:
    """From the shoulder down to the last joint before the hand opens into fingers or a gripper."""
    chain = [root]
    while True:
        node = chain[-1]
        onward = [c for c in body.children[node] if not body.is_follower(c) and not _is_finger(body, c)]
        if len(onward) < len(body.children[node]):  # among fingers, what bears nothing further is one of them
            onward = [c for c in onward if body.children[c]]
        deep = [c for c in onward if mentions(body.names[c], "arm") or _depth(body, c) >= 1]
        if len(deep) != 1 or (
            len(body.children[node]) > 1 and len(chain) > 3 and not mentions(body.names[deep[0]], "arm")
        ):
            finger_roots.setdefault(side, []).extend(body.children[node])
            return chain
        finger_roots.setdefault(side, []).extend(c for c in body.children[node] if c != deep[0])
        chain.append(deep[0])


def _is_finger(body: Skeleton, node: int) -> bool:
    # Only the joint's own name counts: a gripper's base welded on behind makes no finger of the wrist that carries it.
    if mentions([body.robot.joint_names[node - 1]], "finger"):
        return True
    leads = np.flatnonzero(body.robot.tree.leader == node - 1)
    return bool(body.robot.tree.joint_type[node] != 1 or len(leads) > 1)


def _leg_chain(body: Skeleton, root: int) -> list[int]:
    """From the hip down the deepest way; a toe joint is not part of it."""
    chain = [root]
    while body.children[chain[-1]]:
        onward = max(body.children[chain[-1]], key=lambda n: _depth(body, n))
        # The joint and the link that it moves; a sensor welded on behind makes no toe of the foot that carries it.
        named_toe = any("toe" in name.lower() for name in body.names[onward][:2])
        if body.is_follower(onward) or (named_toe and len(chain) > 3):
            break
        chain.append(onward)
    return chain


def _meeting_point(body: Skeleton, nodes: list[int]) -> int:
    """The node from which all of these branch off."""
    paths = [_path_to_root(body, node) for node in nodes]
    common = set(paths[0]).intersection(*paths[1:])
    return next(node for node in paths[0] if node in common)


def _path_to_root(body: Skeleton, node: int) -> list[int]:
    path = [int(node)]
    while path[-1] > 0:
        path.append(int(body.parent[path[-1]]))
    return path


def _between(body: Skeleton, hips: int, chest: int) -> list[int]:
    """Nodes whose joints move the chest against the hips."""
    up, down = _path_to_root(body, chest), _path_to_root(body, hips)
    if hips in up:
        return up[: up.index(hips)][::-1]
    if chest in down:
        return down[: down.index(chest)]
    return up[: up.index(next(n for n in up if n in down))][::-1]


def _neck_and_face(body: Skeleton, used: set[int], chest: int) -> tuple[list[int], list[int]]:
    """The chain that carries the head: named so, or what rises in the middle above the chest."""
    free = [n for n in range(1, len(body.parent)) if n not in used]
    face = [n for n in free if mentions([body.robot.joint_names[n - 1]], "face")]
    rest = [n for n in free if n not in face and not body.is_follower(n)]
    named = [n for n in rest if mentions(body.names[n], "head")]
    if not named:
        top = max((float(body.position[n][2]) for n in range(len(body.parent)) if n in used), default=0.0)
        named = [
            n
            for n in rest
            if not any(mentions([body.robot.joint_names[n - 1]], part) for part in ("arm", "leg", "digit", "wheel"))
            and body.position[n][2] > top - 0.15 * body.size
            and body.position[n][2] > body.position[chest][2]
        ]
    if not named:
        return [], face
    head = max(named, key=lambda n: len(_path_to_root(body, n)))
    chain = [n for n in _path_to_root(body, head)[::-1] if n in rest]
    return chain, [n for n in free if n in face or (n not in chain and head in _path_to_root(body, n))]


def _trunk_without_arms(body: Skeleton, torso: list[int], neck: list[int]) -> tuple[list[int], list[int]]:
    """What rises above the hips is trunk as far as it is named so, and neck from there on."""
    count = 0
    while count < len(neck) and mentions(body.names[neck[count]], "torso") > mentions(body.names[neck[count]], "head"):
        count += 1
    return torso + neck[:count], neck[count:]
