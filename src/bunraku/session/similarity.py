"""How alike the person and the robot are while they move: the angle between their limbs, in the terminal's process.

It is taken from the newest sample a few times a second, so the control path pays for one copy into shared memory. It
holds the limiter's delay too: it is what a spectator sees.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.evaluate import limbs
from bunraku.evaluate.body import TRUNKS, Body, of_human, of_robot
from bunraku.human import HumanMotion, HumanPose
from bunraku.recording.records import pose_from
from bunraku.robots import Robot

Array = NDArray[np.float64]


class Similarity:
    """Mean over a session, and the newest."""

    def __init__(self, robot: Robot) -> None:
        self._robot = robot
        self._sum = 0.0
        self._count = 0
        self.now_deg: float | None = None

    def look(self, sample: bytes | None) -> None:
        """One sample: a configuration (nq,) and a pose, as the loop puts them."""
        if sample is None:
            return
        size = 8 * len(self._robot.neutral)
        _, pose = pose_from(sample[size:])
        angle = limb_angle(self._robot, np.frombuffer(sample[:size], float), pose)
        if angle is not None:
            self.now_deg, self._sum, self._count = angle, self._sum + angle, self._count + 1

    def summary(self) -> dict[str, float | int | None]:
        """Degrees between the limbs, on average over the samples in which the robot followed."""
        mean = self._sum / self._count if self._count else None
        return {"limb_deg": None if mean is None else round(mean, 3), "samples": self._count}


def limb_angle(robot: Robot, qpos: Array, pose: HumanPose) -> float | None:
    """Mean angle between the limbs of both, each seen from where its hips or shoulders face, deg; None if unknown."""
    motion = HumanMotion(
        positions=pose.positions[None],
        rotations=pose.rotations[None],
        position_valid=pose.position_valid[None],
        rotation_valid=pose.rotation_valid[None],
        fps=1.0,
    )
    for trunk in ("hips", "chest"):
        if trunk not in robot.semantics.links or not set(TRUNKS[trunk]) <= robot.semantics.points.keys():
            continue
        bodies = of_human(motion, np.zeros(1, int), trunk), of_robot(robot, qpos[None], trunk)
        if not bodies[0].difference(*TRUNKS[trunk])[1][0]:
            continue
        (one, known), (other, other_known) = (limbs.directions(body) for body in bodies)
        both = (known & other_known)[0]
        if both.any():
            turn = _heading(bodies[1], trunk) - _heading(bodies[0], trunk)
            spin = np.array([[np.cos(turn), -np.sin(turn), 0], [np.sin(turn), np.cos(turn), 0], [0, 0, 1.0]])
            angles = limbs.angle(one[0] @ spin.T, other[0])[both]
            return float(np.degrees(angles.mean()))
    return None


def _heading(body: Body, trunk: str) -> float:
    """Of the line between hips or shoulders, rad."""
    across = body.difference(*TRUNKS[trunk])[0][0]
    return float(np.arctan2(across[1], across[0]))
