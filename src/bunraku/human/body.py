"""A person's build, and forward kinematics in the canonical convention.

A joint's world rotation turns its segment, so a child's place is `parent position + rotate(parent rotation, bone)`,
where the bone is the child's offset from its parent in the canonical pose.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.human.skeleton import ADULT_BONES, INDEX, JOINT_COUNT, PARENTS, SIDES
from bunraku.kinematics import rotations

Array = NDArray[np.float64]

ADULT_HEIGHT = 1.75
"""m, of the person whose bones are `skeleton.ADULT_BONES`"""
_CROWN_PER_HEAD = 0.15 / 1.60  # top of the head above the head joint, by the head joint's height
_HEEL_PER_ANKLE = 0.6  # how far the heel touches the ground behind the ankle, by the ankle's height


@dataclass(frozen=True, eq=False)
class Body:
    """Bone offsets of one person, read-only."""

    bones: Array = field(default_factory=lambda: ADULT_BONES)
    """(J, 3) offset of each joint from its parent in the canonical pose; row 0 is the hips' place above the ground"""

    def __post_init__(self) -> None:
        bones = np.array(self.bones, float)
        if bones.shape != (JOINT_COUNT, 3) or not np.isfinite(bones).all():
            raise ValueError(f"bones must be {JOINT_COUNT} finite offsets, not an array of shape {bones.shape}")
        bones.setflags(write=False)
        object.__setattr__(self, "bones", bones)

    @classmethod
    def scaled(cls, height_m: float) -> Body:
        """An adult of average proportions, this tall."""
        if not (np.isfinite(height_m) and height_m > 0):
            raise ValueError(f"a body's height must be positive, not {height_m}")
        return cls(ADULT_BONES * (height_m / ADULT_HEIGHT))

    @property
    def lengths(self) -> Array:
        """(J,) length of each bone; row 0 is the hips' height."""
        return np.asarray(np.linalg.norm(self.bones, axis=-1))

    @property
    def joints(self) -> Array:
        """(J, 3) joint positions in the canonical pose, ground at z = 0."""
        return pose_body(self, self.bones[0], np.tile(rotations.IDENTITY, (JOINT_COUNT, 1)))

    @property
    def height(self) -> float:
        """Standing height, ground to crown, m."""
        return float(self.joints[INDEX["head"], 2]) * (1 + _CROWN_PER_HEAD)

    @property
    def arm_span(self) -> float:
        """From one middle finger's tip to the other's in the canonical pose, m."""
        tips = self.joints[[INDEX[f"{side}_middle_tip"] for side in SIDES]]
        return float(np.linalg.norm(tips[0] - tips[1]))

    @property
    def arm_length(self) -> float:
        """Shoulder to wrist along the bones, mean of both sides, m."""
        return _mean_length(self.lengths, "forearm", "hand")

    @property
    def leg_length(self) -> float:
        """Hip to ankle along the bones, mean of both sides, m."""
        return _mean_length(self.lengths, "shin", "foot")

    @property
    def ankle_height(self) -> float:
        """Of the ankle joint above the sole, m."""
        return float(np.mean([self.joints[INDEX[f"{side}_foot"], 2] for side in SIDES]))

    @property
    def toe_height(self) -> float:
        """Of the joint at the ball of the foot above the sole, m."""
        return float(np.mean([self.joints[INDEX[f"{side}_toe"], 2] for side in SIDES]))

    @property
    def heel(self) -> Array:
        """(3,) where the heel touches the ground, from the ankle, in the foot's frame; the same for both feet."""
        return np.array([-_HEEL_PER_ANKLE * self.ankle_height, 0.0, -self.ankle_height])


ADULT = Body()
"""an adult of average build"""


def pose_body(body: Body, hips_position: ArrayLike, world_rotations: ArrayLike) -> Array:
    """Joint positions `(…, J, 3)` of a body whose hips stand at `(…, 3)` and whose joints are turned by `(…, J, 4)`."""
    hips, turns = np.asarray(hips_position, float), np.asarray(world_rotations, float)
    positions = np.empty((*np.broadcast_shapes(hips.shape[:-1], turns.shape[:-2]), JOINT_COUNT, 3))
    positions[..., 0, :] = hips
    positions[..., 1:, :] = rotations.rotate(turns[..., PARENTS[1:], :], body.bones[1:])
    for joint in range(1, JOINT_COUNT):
        positions[..., joint, :] += positions[..., PARENTS[joint], :]
    return positions


def world_from_local(local: ArrayLike) -> Array:
    """World rotations `(…, J, 4)` from each joint's turn relative to its parent; the hips' is relative to the world."""
    world = np.array(local, float)
    for joint in range(1, JOINT_COUNT):
        world[..., joint, :] = rotations.multiply(world[..., PARENTS[joint], :], world[..., joint, :])
    return world


def local_from_world(world: ArrayLike) -> Array:
    """Each joint's turn `(…, J, 4)` relative to its parent, from world rotations; all zero in the canonical pose."""
    world = np.asarray(world, float)
    local = world.copy()
    local[..., 1:, :] = rotations.multiply(rotations.inverse(world[..., PARENTS[1:], :]), world[..., 1:, :])
    return local


def _mean_length(lengths: Array, *joints: str) -> float:
    return float(sum(lengths[INDEX[f"{side}_{joint}"]] for side in SIDES for joint in joints) / len(SIDES))
