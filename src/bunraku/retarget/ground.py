"""What a free robot stands, kneels and leans on, set up once; and the footing that a person's contacts give it."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.contacts import FEET, PATCHES, find_contacts
from bunraku.human.skeleton import SIDES
from bunraku.retarget.correspondence import on_node
from bunraku.retarget.ground_kernels import HOLD_S, LOCKED, FootMemory, Ground, Stance, flatness
from bunraku.retarget.steps import patch_paths
from bunraku.robots import Robot
from bunraku.robots.semantics import Point

Array = NDArray[np.float64]
Ints = NDArray[np.int32]

HEELS = range(1, FEET, 2)
EARLY_S = 0.1
"""of a contact: where a patch is planned to be meanwhile is where it is put down"""


def floor_points(robot: Robot) -> list[tuple[int, Array]]:
    """Position tasks of a free base: sole points, front before back, left before right, unless it rolls; all points
    that span the shapes; then the hips."""
    parts = robot.semantics
    if not robot.tree.free_base:
        return []
    nodes, points, _ = support_points(robot)
    spanning = [(int(node), point) for node, point in zip(nodes, points, strict=True)]
    return [*_sole_points(robot), *spanning, on_node(robot, Point(parts.links["hips"], np.zeros(3)))]


def make_ground(robot: Robot, tasks: int, scale: float, clearance: Array) -> Ground:
    """The ground under a robot whose last position tasks, of so many `tasks` in all, are those of `floor_points`."""
    _, points, radii = support_points(robot)
    groups = _rest_groups(robot)
    hips = tasks - 1
    soles = len(_sole_points(robot)) if robot.tree.free_base else 0
    return Ground(
        scale=scale,
        clearance=clearance,
        hips_task=hips,
        floor_task=hips - len(points),
        sole_task=hips - len(points) - soles,
        patches=soles // 2,
        point_radius=radii,
        rest_start=np.cumsum([0, *map(len, groups)]).astype(np.int32),
        rest_point=np.array([k for group in groups for k in group], np.int32),
    )


def make_stance() -> Stance:
    """Nothing stands yet."""
    count = len(PATCHES)
    return Stance(
        np.zeros((2 * count, 3)), np.zeros(count), np.zeros(count, bool), np.full(count, -1), np.zeros((2, 3)),
        np.full((count, 4), np.nan),
    )  # fmt: skip


def make_memory() -> FootMemory:
    """Nobody was seen yet."""
    count = len(PATCHES)
    return FootMemory(np.zeros((count, 3)), np.zeros(count, bool), np.zeros(count), np.zeros(1, bool))


def no_footing() -> Array:
    """(1, 8, 11) nothing touches the ground, nothing is known of where it would."""
    out = np.full((1, len(PATCHES), 11), np.nan)
    out[..., :2] = 0.0
    out[..., 10] = 1.0
    return out


def footing(robot: Robot, motion: HumanMotion, clearance: Array, scale: float) -> Array:
    """(T, 8, 11) how each patch stands: firmness, 1 in a contact, less shortly before and after; height of the person's
    above the floor; where the robot's two points come to rest, (x, y) each; where they are; how flat it is, 1 … 0."""
    contacts = find_contacts(motion, clearance)
    T = len(motion)
    frames = np.arange(T)[:, None]
    before = np.maximum.accumulate(np.where(contacts.flags, frames, -T), axis=0)
    after = np.minimum.accumulate(np.where(contacts.flags, frames, 2 * T)[::-1], axis=0)[::-1]
    away_s = np.minimum(frames - before, after - frames) / motion.fps
    firm = np.where(contacts.spans, LOCKED, np.clip(1.0 - away_s / HOLD_S, 0.0, 0.98))
    firm[contacts.flags] = 1.0
    flat = _flatness(motion)
    firm[:, HEELS] *= flat[:, HEELS]
    path = patch_paths(robot, motion, contacts.still & (firm > 0.0), scale)
    place, early = path.copy(), max(2, round(EARLY_S * motion.fps))
    for patch in range(len(PATCHES)):
        edges = np.flatnonzero(np.diff(np.concatenate([[False], contacts.still[:, patch], [False]]).astype(np.int8)))
        for begin, end in edges.reshape(-1, 2):
            place[begin:end, patch] = path[begin : min(end, begin + early), patch].mean(axis=0)
    ways = [way.reshape(T, len(PATCHES), 4) for way in (place, path)]
    return np.concatenate([firm[..., None], contacts.height[..., None], *ways, flat[..., None]], axis=-1)


def _flatness(motion: HumanMotion) -> Array:
    """(T, 8) 1 where a patch is one of a foot that stands flat, or of no foot … 0 where the foot is tilted."""
    out = np.ones((len(motion), len(PATCHES)))
    flatness(motion.rotations, motion.rotation_valid, out)
    return out


def leg_length(motion: HumanMotion) -> float:
    """Hip to ankle along the leg, median over the motion, m; 0 where no leg is known."""
    lengths = []
    for side in SIDES:
        names = (f"{side}_thigh", f"{side}_shin", f"{side}_foot")
        if motion.has(*names):
            a, b, c = (motion.position(name) for name in names)
            lengths.append(np.median(np.linalg.norm(b - a, axis=1) + np.linalg.norm(c - b, axis=1)))
    return float(np.mean(lengths)) if lengths else 0.0


def support_points(robot: Robot) -> tuple[Ints, Array, Array]:
    """Points with radii that span the shapes: sphere centres, capsule ends, box corners; (S,) nodes, (S, 3), (S,)."""
    nodes, points, radii = [], [], []
    for shape in robot.shapes:
        size = shape.size
        if shape.kind == "sphere":
            local, radius = np.zeros((1, 3)), size[0]
        elif shape.kind == "capsule":
            local, radius = np.array([[0, 0, -size[1]], [0, 0, size[1]]]), size[0]
        elif shape.kind == "box":
            local, radius = np.array([[x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)]) * size, 0.0
        else:
            continue
        in_link = shape.position + local @ shape.rotation.T
        in_node = robot.links.position[shape.link] + in_link @ robot.links.rotation[shape.link].T
        nodes += [int(robot.links.node[shape.link])] * len(local)
        points += list(in_node)
        radii += [radius] * len(local)
    if not nodes:
        count = len(robot.tree.parent)
        return np.arange(count, dtype=np.int32), np.zeros((count, 3)), np.zeros(count)
    return np.array(nodes, np.int32), np.array(points), np.array(radii)


def _sole_points(robot: Robot) -> list[tuple[int, Array]]:
    parts = robot.semantics
    out: list[tuple[int, Array]] = []
    if robot.planar:
        return out
    _, rotation = robot.link_poses(robot.neutral)
    for side in SIDES:
        if f"{side}_foot" in parts.soles:
            link, sole = parts.links[f"{side}_foot"], parts.soles[f"{side}_foot"]
            forward = sole @ rotation[link].T @ parts.world_from_body[:, 0]
            out += [on_node(robot, Point(link, corner)) for corner in sole[np.argsort(-forward)]]
    return out


def _rest_groups(robot: Robot) -> list[list[int]]:
    """For each hand, then for each knee, the rows of `support_points` that it can rest on; none where wheels roll."""
    if robot.planar:
        return [[] for _ in PATCHES[FEET:]]
    nodes, points, _ = support_points(robot)
    position, rotation = robot.tree.forward(robot.neutral)
    world = position[nodes] + np.einsum("sij,sj->si", rotation[nodes], points)
    return [_near(robot, name, nodes, world) for name in PATCHES[FEET:]]


def _near(robot: Robot, name: str, nodes: Ints, world: Array) -> list[int]:
    """A hand is all that its last joint moves; a knee what lies on either side of it, nearer to it than to the ends."""
    parts, tree = robot.semantics, robot.tree
    side, part = name.split("_")
    if part == "hand":
        if name not in parts.links:
            return []
        wrist = int(robot.links.node[parts.links[name]])
        return [k for k, node in enumerate(nodes) if wrist in _ancestors(tree.parent, int(node))]
    names = [f"{side}_{joint}" for joint in ("thigh", "shin", "foot")]
    if any(joint not in parts.points for joint in names):
        return []
    ends = [on_node(robot, parts.points[joint]) for joint in names]
    position, rotation = tree.forward(robot.neutral)
    places = np.array([position[node] + rotation[node] @ at for node, at in ends])
    moved = _ancestors(tree.parent, ends[2][0])
    near = np.linalg.norm(world[:, None] - places, axis=-1).argmin(axis=1) == 1
    return [k for k, node in enumerate(nodes) if near[k] and int(node) in moved]


def _ancestors(parent: Sequence[int] | Ints, node: int) -> set[int]:
    """The node itself and all that carry it, the base left out."""
    out = set()
    while node > 0:
        out.add(node)
        node = int(parent[node])
    return out
