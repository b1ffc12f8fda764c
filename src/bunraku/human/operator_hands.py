"""Both hands of one operator, from a camera with depth: from keypoints in the picture to places and turns (P4).

One call a frame. Whatever cannot be had from a frame (hand hidden, depth missing, a jump, somebody else) keeps its last
good value and its reason; nothing is ever NaN.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from bunraku.human.depth import Pinhole, lift
from bunraku.human.hand_frame import POINTS, hand_turn
from bunraku.human.hand_tracking import JUMP, HandGate, PersonLock
from bunraku.human.skeleton import SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

BODY_POINTS = ("hips", "left_shoulder", "right_shoulder", "left_elbow", "right_elbow")
KEYPOINTS = len(BODY_POINTS) + 2 * POINTS
"""of one person: the body's, then the left hand's 21, then the right hand's; each hand's first is its wrist"""
_LARGEST_TURN = 0.8
"""rad between frames; more is a hand that was seen wrong"""


@dataclass(eq=False)
class Hand:
    """What is known of one hand."""

    gate: HandGate
    turn: Array | None = None
    """(4,) away from the canonical pose, the last good one"""
    fresh: bool = False
    """whether this frame gave the place"""
    turned: dict[str, int] = field(default_factory=dict)
    """reason → frames whose turn was not taken"""
    _hidden: int = 0

    @property
    def place(self) -> Array | None:
        """(3,) of the wrist in the world, the last good one."""
        return self.gate.place

    def update(self, side: str, points: Array, known: NDArray[np.bool_]) -> None:
        """One more frame: 21 points in the world, and which of them are known."""
        self.fresh = self.gate.update(points[0] if known[0] else None)
        turn = hand_turn(side, points, known) if self.fresh else None
        if turn is None:
            self._hidden += 1
            self._not_taken("not seen")
        elif self.turn is not None and rot.angle_between(turn, self.turn) > _LARGEST_TURN * (1 + self._hidden):
            self._hidden += 1
            self._not_taken("turned too far")
        else:
            flipped = self.turn is not None and turn @ self.turn < 0
            self.turn, self._hidden = -turn if flipped else turn, 0

    def _not_taken(self, reason: str) -> None:
        self.turned[reason] = self.turned.get(reason, 0) + 1


class OperatorHands:
    """Follows one operator. `world_from_camera` is (3, 3) and the camera's place (3,)."""

    def __init__(self, camera: Pinhole, rotation: Array, position: Array, *, jump: float = JUMP) -> None:
        self.camera, self.rotation, self.position = camera, rotation, position
        self.lock = PersonLock()
        self.hands = {side: Hand(HandGate(jump)) for side in SIDES}
        self.hips: Array | None = None
        """(3,) in the world, the last good one"""

    def update(self, depth: Array, people: Sequence[Array]) -> dict[str, Hand]:
        """One frame: a depth picture, and the keypoints (KEYPOINTS, 2) of everyone in it, NaN for what is hidden."""
        seen = [self._world(depth, pixels) for pixels in people]
        number = self.lock.choose(seen, self.position)
        none = np.zeros((KEYPOINTS, 3)), np.zeros(KEYPOINTS, bool)
        points, known = none if number is None else seen[number]
        if known[0]:
            self.hips = points[0]
        for k, side in enumerate(SIDES):
            part = slice(len(BODY_POINTS) + k * POINTS, len(BODY_POINTS) + (k + 1) * POINTS)
            self.hands[side].update(side, points[part], known[part])
        return self.hands

    def _world(self, depth: Array, pixels: Array) -> tuple[Array, NDArray[np.bool_]]:
        points, known = lift(self.camera, depth, pixels)
        return points @ self.rotation.T + self.position, known
