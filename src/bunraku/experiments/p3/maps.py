"""P3, Fig. 8 and 9: what elbow and wrist of the robot do for every turn of the person's, as the mapper does it."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.findings import Figure, Findings, Heat, Panel, Row
from bunraku.experiments.scripted import HANGING, person
from bunraku.kinematics import rotations as rot
from bunraku.retarget import make_mapper
from bunraku.robots import Robot, load_robot

Array = NDArray[np.float64]

ELBOW, WRIST = "r_elbow_flex_joint", "r_wrist_roll_joint"
MOST = 1e-3
_SLOW = 1.0
"""frames a second: each pose of the grid is reached whatever the joints' speeds"""


def joint_maps(seed: int, steps: int = 25) -> Findings:
    """A grid of relative rotations Rz(φ) Ry(θ) Rx(ψ), x along the link, through `gong` on InMoov."""
    del seed
    robot = load_robot("inmoov")
    phi, theta = np.linspace(0.3, 1.4, steps), np.linspace(-0.6, 0.6, steps)
    elbow = _elbow(robot, phi, theta)
    bend = np.arccos(np.cos(theta)[:, None] * np.cos(phi)[None])
    offset = float(elbow[steps // 2, 0] - bend[steps // 2, 0])
    psi, tilt = np.linspace(0.0, np.pi, steps), np.linspace(-1.2, 1.2, steps)
    wrist = _wrist(robot, psi, tilt)
    turn = np.arccos(np.cos(tilt)[:, None] * np.cos(psi)[None])
    straight, reach = wrist[steps // 2], float(wrist.max())
    worst = float(np.abs(straight - psi)[psi < reach].max())
    rows = [
        Row(paper="P3", quantity="elbow map, largest difference from the paper's", theirs="Ω = π − arccos(cos θ cos φ)",
            ours=float(np.abs(elbow - offset - bend).max()), unit="rad",
            ok=bool(np.abs(elbow - offset - bend).max() < MOST),
            how=f"{bend.size} rotations through mapper gong on InMoov, whose elbow counts from {offset:.3f} rad; "
            f"below {MOST:g} rad"),
        Row(paper="P3", quantity="wrist map with the wrist straight, largest difference from the paper's",
            theirs="ω = arccos(cos θ cos ψ)", ours=worst, unit="rad", ok=worst < MOST,
            how=f"as far as InMoov's wrist turns, {reach:.2f} rad each way; with the wrist bent the two differ on "
            f"purpose: arccos has no sign and takes a bend for a turn; below {MOST:g} rad"),
    ]  # fmt: skip
    figures = [
        Figure("fig_8", "P3 Fig. 8: the elbow's angle for bend φ and turn θ of the person's.",
               (Panel("elbow, Ω", "φ, rad", "θ, rad", heat=Heat(phi, theta, np.pi - elbow + offset, "rad")),
                Panel("the paper's formula", "φ, rad", "θ, rad", heat=Heat(phi, theta, np.pi - bend, "rad")))),
        Figure("fig_9", "P3 Fig. 9: the wrist's angle for turn ψ and bend θ of the person's.",
               (Panel("wrist, ω, keeps its sign", "ψ, rad", "θ, rad", heat=Heat(psi, tilt, wrist, "rad")),
                Panel("the paper's formula", "ψ, rad", "θ, rad", heat=Heat(psi, tilt, turn, "rad")))),
    ]  # fmt: skip
    return Findings(rows, figures)


def _elbow(robot: Robot, phi: Array, theta: Array) -> Array:
    """(θ, φ) flexion of the robot's elbow from straight."""
    bends, turns = np.meshgrid(phi, theta)
    local = link_turn(np.stack([bends, turns, np.zeros_like(bends)], axis=-1).reshape(-1, 3))
    joint = _play(robot, {"right_forearm": rot.multiply(HANGING["right"], local)}, ELBOW)
    return np.asarray(-joint.reshape(bends.shape))


def _wrist(robot: Robot, psi: Array, theta: Array) -> Array:
    """(θ, ψ) turn of the robot's wrist from where the hand is straight."""
    turns, bends = np.meshgrid(psi, theta)
    bent = rot.multiply(HANGING["right"], link_turn(np.array([[0.8, 0.0, 0.0]])))
    local = link_turn(np.stack([np.zeros_like(turns), bends, turns], axis=-1).reshape(-1, 3))
    told = {"right_forearm": np.repeat(bent, len(local), axis=0), "right_hand": rot.multiply(bent, local)}
    joint = _play(robot, told, WRIST)
    straight = _play(robot, dict.fromkeys(told, bent), WRIST)
    return np.abs(joint - straight).reshape(turns.shape)


def link_turn(angles: Array) -> Array:
    """(T, 4) Rz(φ) Ry(θ) Rx(ψ) with x along a right arm and the elbow bending about z, in canonical axes."""
    link = np.array([[0.0, 1.0, 0.0], [-1.0, 0.0, 0.0], [0.0, 0.0, 1.0]])
    return rot.from_matrix(link @ rot.to_matrix(rot.from_euler("ZYX", angles)) @ link.T)


def _play(robot: Robot, told: dict[str, Array], joint: str) -> Array:
    motion = person(told, _SLOW, "grid")
    result = make_mapper("gong", robot).solve_clip(motion)
    return result.qpos[:, robot.first_joint + robot.joint_index(joint)]
