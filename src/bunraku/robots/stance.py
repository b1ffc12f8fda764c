"""How a robot stands: which chains are its legs, and with that whether its base is free."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.robots.names import words

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

_LEG = re.compile(r"leg|hip|knee|ankle|foot|toe|thigh|shin|calf|shank", re.IGNORECASE)
_ARM = re.compile(r"arm|shoulder|elbow|wrist|hand|finger|thumb|palm|grip|neck|head|eye|jaw", re.IGNORECASE)
_WHEEL = re.compile(r"wheel|caster", re.IGNORECASE)
_UPRIGHT = [sign * np.eye(3)[axis] for axis in (2, 1, 0) for sign in (1.0, -1.0)]
"""which way up a robot may have been drawn, likeliest first"""
_APART = 0.01
"""m; hips are at least this far from the middle"""
_WHEELS = {"wheel", "wheels", "caster", "casters"}
_SHORTEST = 0.2
"""m; a chain without telling names must be at least this long to be a leg"""


@dataclass(frozen=True, eq=False)
class Stance:
    """The moving bodies of each leg, hip first, and the poses of all bodies in the reference configuration."""

    legs: tuple[tuple[int, ...], ...]
    positions: Array
    """(bodies, 3) world position"""
    rotations: Array
    """(bodies, 3, 3) world_from_body"""
    geom_rotations: Array
    """(geoms, 3, 3) world_from_geom"""

    @property
    def feet(self) -> frozenset[int]:
        """The last moving body of each leg."""
        return frozenset(leg[-1] for leg in self.legs)

    def upright(self) -> Array | None:
        """The world axis, of six, that points from the feet to the hips; None without legs."""
        if not self.legs:
            return None
        rise = sum((self.positions[leg[0]] - self.positions[leg[-1]] for leg in self.legs), np.zeros(3))
        axis = np.zeros(3)
        axis[np.argmax(np.abs(rise))] = np.sign(rise[np.argmax(np.abs(rise))])
        return axis if axis.any() else None


def rolls(names: Iterable[str]) -> bool:
    """Whether names of bodies and joints, two of them at least, speak of wheels."""
    return sum(any(word in _WHEELS for word in words(name)) for name in names) >= 2


def find_stance(model: mujoco.MjModel) -> Stance:
    """Legs by name, or by shape: two chains, mirror images, of four hinges or more, that end lowest."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    positions = data.xpos.copy()
    chains = _chains(model)
    named = [chain for chain in chains if _is_named_leg(model, chain)]
    legs = named if len(named) >= 2 else _mirrored(model, data.xanchor - positions[1], chains)
    return Stance(
        legs=tuple(tuple(chain) for chain in legs) if len(legs) >= 2 else (),
        positions=positions,
        rotations=data.xmat.reshape(-1, 3, 3).copy(),
        geom_rotations=data.geom_xmat.reshape(-1, 3, 3).copy(),
    )


def _chains(model: mujoco.MjModel) -> list[list[int]]:
    """Unbranched runs of moving bodies that end in no further one, and are their own from the trunk on.

    Fingers and toes make a run branch: then the run ends where they begin.
    """
    moving = [b for b in range(1, model.nbody) if model.body_weldid[b] == b and model.body_jntnum[b] > 0]
    moving = [b for b in moving if model.jnt_type[model.body_jntadr[b]] >= 2]
    above = {b: int(model.body_weldid[model.body_parentid[b]]) for b in moving}
    below: dict[int, list[int]] = {}
    for b in moving:
        below.setdefault(above[b], []).append(b)
    chains = []
    for b in moving:
        if above[b] in above and len(below[above[b]]) == 1:
            continue
        chain = [b]
        while len(below.get(chain[-1], ())) == 1:
            chain += below[chain[-1]]
        chains.append(chain)
    return chains


def _words(model: mujoco.MjModel, chain: list[int]) -> list[str]:
    """One string for each body of the chain: its name and its joints' names."""
    out = []
    for b in chain:
        first = model.body_jntadr[b]
        joints = [model.joint(j).name for j in range(first, first + model.body_jntnum[b])]
        out.append(" ".join([model.body(b).name, *joints]))
    return out


def _hinges(model: mujoco.MjModel, chain: list[int]) -> int:
    return int(sum(model.body_jntnum[b] for b in chain))


def _is_named_leg(model: mujoco.MjModel, chain: list[int]) -> bool:
    words = [word for word in _words(model, chain) if not _WHEEL.search(word)]
    leg, arm = sum(bool(_LEG.search(w)) for w in words), sum(bool(_ARM.search(w)) for w in words)
    return leg >= 2 and leg > arm and _hinges(model, chain) >= 3


def _mirrored(model: mujoco.MjModel, anchors: Array, chains: list[list[int]]) -> list[list[int]]:
    """Two chains whose names do not tell: mirror images of each other that go down from the base and end lowest.

    `anchors` (joints, 3) as seen from the base. A robot that was drawn with another axis up than z has, besides, a
    pair of arms.
    """
    joints = {chain[0]: np.concatenate([_points(model, anchors, b) for b in chain]) for chain in chains}
    able = [
        chain
        for chain in chains
        if _hinges(model, chain) >= 4 and not any(_ARM.search(w) or _WHEEL.search(w) for w in _words(model, chain))
    ]
    for up in _UPRIGHT:
        others = [axis for axis in np.eye(3) if not axis @ up]
        pairs = [
            (a, b)
            for k, a in enumerate(able)
            for b in able[k + 1 :]
            if any(_mirror_images(joints[a[0]], joints[b[0]], across) for across in others)
        ]
        lowest = float((anchors @ up).min()) if len(anchors) else 0.0
        standing = [pair for pair in pairs if _goes_down(joints[pair[0][0]] @ up, lowest)]
        if standing and (up[2] > 0 or len(pairs) > 1):
            return list(standing[-1])
    return []


def _mirror_images(a: Array, b: Array, across: Array) -> bool:
    if len(a) != len(b):
        return False
    length = float(np.ptp(a, axis=0).max())
    mirrored = float(np.abs(a - (b - 2 * np.outer(b @ across, across))).max()) < 0.1 * max(length, 1e-9)
    return mirrored and abs(float(a[0] @ across)) > _APART


def _goes_down(heights: Array, lowest: float) -> bool:
    """Whether a chain's joints, hip first, lead down to where the robot ends."""
    length = float(np.ptp(heights))
    return bool(heights[0] - heights[-1] > 0.8 * length and length > _SHORTEST and heights[-1] - lowest < 0.1 * length)


def _points(model: mujoco.MjModel, anchors: Array, body: int) -> Array:
    first = model.body_jntadr[body]
    return anchors[first : first + model.body_jntnum[body]]
