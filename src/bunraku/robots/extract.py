"""A compiled MuJoCo model as flat arrays: kinematic tree, links, limits and shapes.

A body with several joints becomes as many nodes; a node sits on its joint's anchor, and `ref` values and anchors are
folded into the nodes' offsets, so that both models put every link at the same place for the same qpos.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.kinematics import rotations
from bunraku.kinematics.tree import HINGE, SLIDE, KinematicTree
from bunraku.robots.robot import Links, Shape, ShapeKind

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

_FREE, _BALL, _SLIDE = 0, 1, 2  # mjtJoint
_CYLINDER = 5  # mjtGeom; what is left, the ellipsoid, is held by a box
_KEPT: dict[int, tuple[ShapeKind, int]] = {2: ("sphere", 1), 3: ("capsule", 2), 6: ("box", 3)}
_TURNS = np.linspace(0, 2 * np.pi, 16, endpoint=False)
_DRUM = np.array([[np.cos(turn), np.sin(turn), z] for turn in _TURNS for z in (-1, 1)])
UNLIMITED = 1e6
"""rad or m; a range this wide is none"""


@dataclass(frozen=True, eq=False)
class Extract:
    """What a compiled model says."""

    tree: KinematicTree
    joint_names: tuple[str, ...]
    lower: Array
    upper: Array
    reference: Array
    """(n,) joint values in which the robot was drawn"""
    links: Links
    shapes: tuple[Shape, ...]
    joint_node: NDArray[np.int32]
    """(model joints,) node of each joint of the model; 0 for the free one"""
    warnings: tuple[str, ...]


def extract(model: mujoco.MjModel, *, free: bool, hulls: Mapping[str, Array] = MappingProxyType({})) -> Extract:
    """Body 1 is the base; it may have a free joint or none. `free` says what the tree's base shall be.

    `hulls`: geom → (k, 3) points, in its frame, of what it stands for.
    """
    joints = [j for j in range(model.njnt) if model.jnt_type[j] != _FREE]
    names = tuple(model.joint(j).name for j in joints)
    if not joints:
        raise RobotError("has no joints that move")
    for j in joints:
        if model.jnt_type[j] == _BALL:
            raise RobotError(f"joint '{model.joint(j).name}' is a ball joint; three hinges can stand for it")
    walk = _Walk(model)
    couplings, warnings, fixed = _couplings(model, {j: k for k, j in enumerate(joints)})
    leader, ratio, offset = _resolve(couplings, names)
    limited = model.jnt_limited[joints].astype(bool)
    lower = np.where(limited, model.jnt_range[joints, 0], -np.inf)
    upper = np.where(limited, model.jnt_range[joints, 1], np.inf)
    lower, upper = np.where(lower < -UNLIMITED, -np.inf, lower), np.where(upper > UNLIMITED, np.inf, upper)
    for k, value in fixed.items():
        lower[k] = upper[k] = value
    tree = KinematicTree(
        parent=np.array(walk.parent, np.int32),
        joint_type=np.array(walk.kind, np.int8),
        axis=np.array(walk.axis),
        position=np.array(walk.position),
        rotation=np.array(walk.rotation),
        leader=leader,
        ratio=ratio,
        offset=offset,
        free_base=free,
    )
    return Extract(
        tree=tree,
        joint_names=names,
        lower=lower,
        upper=upper,
        reference=model.qpos0[model.jnt_qposadr[joints]].copy(),
        links=_links(model, walk),
        shapes=_shapes(model, hulls),
        joint_node=np.array(walk.joint_node, np.int32),
        warnings=warnings,
    )


class _Walk:
    """Nodes in the order of the model's joints, and the place of every body in its node's frame."""

    def __init__(self, model: mujoco.MjModel) -> None:
        world = rotations.to_matrix(rotations.normalize(model.body_quat))
        self.parent, self.kind = [-1], [0]
        self.axis = [np.array([0.0, 0.0, 1.0])]
        self.position, self.rotation = [model.body_pos[1].copy()], [world[1]]
        self.joint_node = [0] * model.njnt
        # body → (node, node_from_body position, rotation)
        at: dict[int, tuple[int, Array, Array]] = {1: (0, np.zeros(3), np.eye(3))}
        for body in range(2, model.nbody):
            node, position, rotation = at[int(model.body_parentid[body])]
            position, rotation = position + rotation @ model.body_pos[body], rotation @ world[body]
            first = int(model.body_jntadr[body])
            for j in range(first, first + int(model.body_jntnum[body])):
                node, position, rotation = self._add(model, j, node, position, rotation)
            at[body] = (node, position, rotation)
        self.at = at

    def _add(
        self, model: mujoco.MjModel, j: int, above: int, position: Array, rotation: Array
    ) -> tuple[int, Array, Array]:
        """A node for joint j of a body that stands at this pose in node `above`; returns the body in the new node."""
        axis, reference = model.jnt_axis[j].copy(), float(model.qpos0[model.jnt_qposadr[j]])
        slides = model.jnt_type[j] == _SLIDE
        if slides:
            anchor = np.zeros(3)
            self.position.append(position - reference * (rotation @ axis))
            self.rotation.append(rotation)
        else:
            anchor = model.jnt_pos[j].copy()
            self.position.append(position + rotation @ anchor)
            self.rotation.append(rotation @ rotations.to_matrix(rotations.from_axis_angle(axis, -reference)))
        self.parent.append(above)
        self.kind.append(SLIDE if slides else HINGE)
        self.axis.append(axis)
        self.joint_node[j] = len(self.parent) - 1
        return self.joint_node[j], -anchor, np.eye(3)


def _couplings(
    model: mujoco.MjModel, index: dict[int, int]
) -> tuple[dict[int, tuple[int, float, float]], tuple[str, ...], dict[int, float]]:
    """Active joint equalities: follower → (leader, ratio, offset); what was left out; and joints held at a value."""
    import mujoco

    out: dict[int, tuple[int, float, float]] = {}
    warnings: list[str] = []
    fixed: dict[int, float] = {}
    for e in range(model.neq):
        if model.eq_type[e] != mujoco.mjtEq.mjEQ_JOINT or not model.eq_active0[e]:
            continue
        first, second = int(model.eq_obj1id[e]), int(model.eq_obj2id[e])
        if first not in index or (second >= 0 and second not in index):
            raise RobotError("an equality couples a free joint")
        c0, c1, *higher = (float(c) for c in model.eq_data[e, :5])
        own, name = float(model.qpos0[model.jnt_qposadr[first]]), model.joint(first).name
        if second < 0:
            fixed[index[first]] = own + c0
            continue
        if any(higher):
            warnings.append(f"joint '{name}' follows a curve; its straight part is used")
        if index[first] in out:
            raise RobotError(f"joint '{name}' follows two joints")
        offset = own + c0 - c1 * float(model.qpos0[model.jnt_qposadr[second]])
        out[index[first]] = (index[second], c1, offset)
    return out, tuple(warnings), fixed


def _resolve(
    couplings: dict[int, tuple[int, float, float]], names: tuple[str, ...]
) -> tuple[NDArray[np.int32], Array, Array]:
    """Followers of followers follow the first of the chain."""
    n = len(names)
    leader, ratio, offset = np.arange(n, dtype=np.int32), np.ones(n), np.zeros(n)
    for follower in couplings:
        at, total, shift, steps = follower, 1.0, 0.0, 0
        while at in couplings:
            at, c1, c0 = couplings[at]
            shift += total * c0
            total *= c1
            steps += 1
            if steps > n:
                raise RobotError(f"joint '{names[follower]}' follows itself in a circle")
        leader[follower], ratio[follower], offset[follower] = at, total, shift
    return leader, ratio, offset


def _links(model: mujoco.MjModel, walk: _Walk) -> Links:
    bodies = range(1, model.nbody)
    return Links(
        names=tuple(model.body(b).name for b in bodies),
        node=np.array([walk.at[b][0] for b in bodies], np.int32),
        position=np.array([walk.at[b][1] for b in bodies]),
        rotation=np.array([walk.at[b][2] for b in bodies]),
        parent=model.body_parentid[1:].astype(np.int32) - 1,
        mass=model.body_mass[1:].copy(),
        centre_of_mass=model.body_ipos[1:].copy(),
    )


def _shapes(model: mujoco.MjModel, hulls: Mapping[str, Array]) -> tuple[Shape, ...]:
    """Everything that touches, as spheres, capsules and boxes."""
    out = []
    for g in range(model.ngeom):
        if not (model.geom_contype[g] or model.geom_conaffinity[g]):
            continue
        kind, size = _reduce(int(model.geom_type[g]), model.geom_size[g])
        rotation = rotations.to_matrix(rotations.normalize(model.geom_quat[g]))
        hull = hulls.get(model.geom(g).name)
        if model.geom_type[g] == _CYLINDER:
            hull = _DRUM * model.geom_size[g][[0, 0, 1]]
        out.append(Shape(kind, int(model.geom_bodyid[g]) - 1, size, model.geom_pos[g].copy(), rotation, hull))
    return tuple(out)


def _reduce(kind: int, size: Array) -> tuple[ShapeKind, tuple[float, ...]]:
    """Kind and size of the shape that holds a MuJoCo primitive and has its axes."""
    if kind in _KEPT:
        name, count = _KEPT[kind]
        return name, tuple(size[:count].tolist())
    if kind == _CYLINDER:
        radius, half = float(size[0]), float(size[1])
        # The capsule ends half a ball beyond each lid: for a flat cylinder the box is the smaller of the two.
        if half > 2.43 * radius:
            return "capsule", (radius, half)
        return "box", (radius, radius, half)
    return "box", tuple(size.tolist())
