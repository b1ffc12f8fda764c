"""How fast and how strong a joint is: what the description says, else a sober guess.

Defaults: 10 rad/s for hinges, which the slower joints of humanoids do, and 0.5 m/s for slides. A joint without an
effort limit gets twice what holds up what it carries at that distance (for a joint of a leg: also the whole robot at a
quarter of the leg's length), at least 0.5.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.tree import SLIDE
from bunraku.robots.description import Description
from bunraku.robots.extract import Extract
from bunraku.robots.markup import written
from bunraku.robots.stance import Stance

if TYPE_CHECKING:
    import mujoco

Array = NDArray[np.float64]

HINGE_VELOCITY, SLIDE_VELOCITY = 10.0, 0.5
_GRAVITY, _MARGIN, _LEAST = 9.81, 2.0, 0.5


def swap_reversed(description: Description, spec: mujoco.MjSpec) -> None:
    """Put ranges right that stand the wrong way round; MuJoCo would take such a joint for unlimited."""
    elements = {e.get("name"): e for e in description.root.iterfind("worldbody//joint")}
    swapped = [joint for joint in spec.joints if joint.range[0] > joint.range[1] and joint.name in elements]
    for joint in swapped:
        elements[joint.name].set("range", written(joint.range[::-1]))
    description.warn_swapped([joint.name for joint in swapped])


def velocity_limits(found: Extract, described: Mapping[str, float]) -> Array:
    """(n,) rad/s or m/s"""
    kinds = found.tree.joint_type[1:]
    default = np.where(kinds == SLIDE, SLIDE_VELOCITY, HINGE_VELOCITY)
    return np.array([described.get(name, value) for name, value in zip(found.joint_names, default, strict=True)])


def effort_limits(found: Extract, described: Mapping[str, float], model: mujoco.MjModel, stance: Stance) -> Array:
    """(n,) N·m or N"""
    guess = _estimates(found, model, stance)
    out = []
    for k, name in enumerate(found.joint_names):
        joint = model.joint(name)
        own = float(np.abs(model.jnt_actfrcrange[joint.id]).max()) if model.jnt_actfrclimited[joint.id] else 0.0
        out.append(described.get(name) or own or guess[k])
    return np.array(out)


def actuator_efforts(spec: mujoco.MjSpec) -> dict[str, float]:
    """Joint → largest force that an MJCF file's actuators let it have; joints without a bound are left out."""
    out: dict[str, float] = {}
    for actuator in spec.actuators:
        gear = abs(float(actuator.gear[0]))
        force = np.abs(np.asarray(actuator.forcerange)).max()
        # A motor without a force range passes its control on: force = gain · control.
        plain = actuator.biastype.name == "mjBIAS_NONE" and actuator.gaintype.name == "mjGAIN_FIXED"
        control = np.abs(np.asarray(actuator.ctrlrange)).max() * abs(float(actuator.gainprm[0])) if plain else 0.0
        limit = gear * float(force or control)
        if np.isfinite(limit) and limit > 0:
            out[actuator.target] = max(limit, out.get(actuator.target, 0.0))
    return out


def _estimates(found: Extract, model: mujoco.MjModel, stance: Stance) -> Array:
    """(n,) from the masses, in the reference configuration."""
    import mujoco

    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    mujoco.mj_comPos(model, data)
    total = float(model.body_mass.sum())
    in_leg: dict[int, float] = {}
    for leg in stance.legs:
        length = float(np.linalg.norm(stance.positions[leg[-1]] - stance.positions[leg[0]]))
        in_leg |= dict.fromkeys(leg, length)
    out = np.empty(len(found.joint_names))
    for k, name in enumerate(found.joint_names):
        joint = model.joint(name).id
        body = int(model.jnt_bodyid[joint])
        carried = float(model.body_subtreemass[body])
        if found.tree.joint_type[k + 1] == SLIDE:
            out[k] = carried * _GRAVITY
            continue
        arm = float(np.linalg.norm(data.subtree_com[body] - data.xanchor[joint]))
        out[k] = max(carried * arm, total * in_leg.get(body, 0.0) / 4) * _GRAVITY
    return np.maximum(_MARGIN * out, _LEAST)
