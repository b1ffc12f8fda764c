"""A forearm that rests on its elbow, with markers: where they are, which are seen, and the pose found from them.

The paper's three places, elbow, wrist and hand, with eight markers on a band about the wrist and eight on a glove, as
its recommendations have it. The elbow's sits on the skin and slides as the arm turns; it is not used: the elbow's
turning point is found from how the wrist swings about it.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import lost, marker_noise
from bunraku.human import HumanPose
from bunraku.human.rigid_body import BodyTracker, RigidBody
from bunraku.human.skeleton import INDEX
from bunraku.human.turning_point import turning_point
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

FOREARM_M, HAND_M = 0.26, 0.09
ELBOW = np.array([0.0, 0.0, 0.03])
SKIN_M = 0.004
"""how far the elbow's marker slides, per 0.7 rad of turn, and its distance from the joint"""
_ELBOW_SKIN = np.array([0.0, -0.04, 0.0])
SENSOR = np.array([0.6, -2.0, 0.6])
_FACING = -0.3
"""least cosine between a marker's normal and the way to the tracker; a light shines wide"""
_BAND = {
    11 + n: np.array([0.012 * (-1) ** n, 0.03 * np.cos(a), 0.022 * np.sin(a)])
    for n, a in enumerate(np.linspace(0, 2 * np.pi, 9)[:8])
}
_GLOVE = {
    21 + n: np.array([x, 0.035 * y, 0.014 * z])
    for n, (x, y, z) in enumerate([(0.03, 1, 1), (0.03, -1, 1), (0.075, 1, 1), (0.075, -1, 1), (0.03, 1, -1),
                                   (0.03, -1, -1), (0.075, 1, -1), (0.075, -1, -1)])
}  # fmt: skip
"""marker → place from the wrist: along, to the left with the palm down, up"""
BAND, GLOVE = RigidBody(_BAND), RigidBody(_GLOVE)


def axes(turn: float, elevation: float, twist: float) -> Array:
    """(3, 3) columns: along the forearm, to the left of the palm-down hand, out of its back."""
    along = np.array([np.cos(elevation) * np.cos(turn), np.cos(elevation) * np.sin(turn), np.sin(elevation)])
    level = np.array([-np.sin(turn), np.cos(turn), 0.0])
    up = np.cross(along, level)
    across = np.cos(twist) * level + np.sin(twist) * up
    return np.column_stack([along, across, np.cross(along, across)])


class MarkedArm:
    """One recording: the truth in angles, the markers that the tracker sees of it."""

    def __init__(self, rng: np.random.Generator) -> None:
        self.rng = rng
        self._phase = rng.uniform(0, 2 * np.pi, (3, 3))

    def measure(self, angles: Array) -> dict[int, Array]:
        """Markers seen at turn, elevation, twist, bend."""
        frame = axes(*angles[:3])
        wrist = ELBOW + FOREARM_M * frame[:, 0]
        bent = frame @ rot.to_matrix(rot.from_axis_angle([0, 1, 0], angles[3]))
        places = {n: (wrist + frame @ p, frame @ _outward(p, 0.0)) for n, p in _BAND.items()}
        places |= {n: (wrist + bent @ p, bent @ _outward(p, 1.0)) for n, p in _GLOVE.items()}
        missed = lost((len(places),), self.rng)
        seen = {}
        for k, (n, (place, normal)) in enumerate(places.items()):
            way = SENSOR - place
            if normal @ way > _FACING * np.linalg.norm(way) and not missed[k]:
                seen[n] = marker_noise(place, self.rng, self._phase)
        slide = SKIN_M * np.array([0.0, 0.0, angles[0] / 0.7])
        seen[1] = marker_noise(ELBOW + _ELBOW_SKIN + slide, self.rng, self._phase)
        return seen


class ArmTracker:
    """From markers to a pose of the right forearm and hand."""

    def __init__(self, elbow: Array) -> None:
        self.elbow, self.band, self.glove = elbow, BodyTracker(BAND), BodyTracker(GLOVE)

    @classmethod
    def calibrated(cls, swing: list[dict[int, Array]]) -> ArmTracker:
        """The elbow's turning point, from some seconds of an arm that goes up and down and from side to side."""
        band = BodyTracker(BAND)
        wrists = [pose.position for seen in swing if (pose := band.update(seen)) is not None and not band.held]
        return cls(turning_point(wrists)[0])

    def update(self, seen: dict[int, Array]) -> HumanPose:
        """One frame; what was not seen keeps its last good value."""
        pose = HumanPose.empty()
        band, glove = self.band.update(seen), self.glove.update(seen)
        if band is None or glove is None:
            return pose
        places, turns = np.array(pose.positions), np.array(pose.rotations)
        placed, turned = np.array(pose.position_valid), np.array(pose.rotation_valid)
        forearm, hand, knuckle = (INDEX[f"right_{n}"] for n in ("forearm", "hand", "middle_1"))
        hand_axes = rot.to_matrix(glove.rotation)
        places[[forearm, hand]] = self.elbow, band.position
        places[knuckle] = band.position + HAND_M * hand_axes[:, 0]
        turns[forearm] = _canonical(self._forearm(band.position, rot.to_matrix(band.rotation)))
        turns[hand] = _canonical(hand_axes)
        placed[[forearm, hand, knuckle]] = True
        turned[[forearm, hand]] = True
        return replace(pose, positions=places, rotations=turns, position_valid=placed, rotation_valid=turned)

    def _forearm(self, wrist: Array, band: Array) -> Array:
        """(3, 3) along the line from the elbow, twisted as the band is."""
        along = wrist - self.elbow
        along = along / np.linalg.norm(along)
        across = band[:, 1] - along * (along @ band[:, 1])
        across = across / np.linalg.norm(across)
        return np.column_stack([along, across, np.cross(along, across)])


def _outward(place: Array, flat: float) -> Array:
    """(3,) unit normal of the skin under a marker: away from the arm's axis, or more off the hand's back or palm."""
    normal = np.array([0.0, (1 - 0.5 * flat) * place[1], (1 + flat) * place[2]])
    return np.asarray(normal / np.linalg.norm(normal))


def _canonical(frame: Array) -> Array:
    """(4,) turn away from the canonical pose of a right arm whose axes along, left, up are the columns."""
    return rot.from_matrix(np.column_stack([frame[:, 1], -frame[:, 0], frame[:, 2]]))
