"""What is particular to one operator: the lengths of their bones, and where each source's world stands in theirs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from types import MappingProxyType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human.body import ADULT, ADULT_HEIGHT, Body
from bunraku.human.pose import HumanMotion, HumanPose
from bunraku.human.rigid_body import rigid_move
from bunraku.human.skeleton import BODY_COUNT, INDEX, JOINT_COUNT, JOINTS, MIRROR, PARENTS, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]
Seen = TypeVar("Seen", HumanPose, HumanMotion)

_LONGEST = 3.0  # times an adult's bone: what measures more is not one
_NAMES = JOINTS[1:]
REACHES = ("forward", "sideways", "down")
"""x, y and z of P4's calibration: arms forward, in a T, and hanging"""


@dataclass(frozen=True)
class SourceOffset:
    """Where a source's world stands in the operator's: world_from_source."""

    position: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """m"""
    rotation: tuple[float, float, float, float] = (1.0, 0.0, 0.0, 0.0)
    """unit quaternion, wxyz"""

    def apply(self, seen: Seen) -> Seen:
        """What the source saw, in the operator's world."""
        return replace(
            seen,
            positions=rot.rotate(self.rotation, seen.positions) + self.position,
            rotations=rot.multiply(self.rotation, seen.rotations),
        )


@dataclass(frozen=True)
class Calibration:
    """Bone lengths of one operator, and offsets of their sources."""

    lengths: Mapping[str, float]
    """joint → distance from its parent, m; all joints but the hips"""
    mirrored: tuple[str, ...] = ()
    """joints whose length was taken from the other side of the body"""
    assumed: tuple[str, ...] = ()
    """joints whose length nobody measured: an average person's, brought to this one's size"""
    offsets: Mapping[str, SourceOffset] = field(default_factory=dict)
    """source → world_from_source"""
    reach: Mapping[str, float] = field(default_factory=dict)
    """how far a wrist comes from its shoulder, m, along the axes of `REACHES` whose pose was held"""

    def __post_init__(self) -> None:
        object.__setattr__(self, "lengths", MappingProxyType({name: float(self.lengths[name]) for name in _NAMES}))
        object.__setattr__(self, "offsets", MappingProxyType(dict(self.offsets)))
        object.__setattr__(self, "reach", MappingProxyType(dict(self.reach)))

    @classmethod
    def average(cls, height_m: float = ADULT_HEIGHT) -> Calibration:
        """Someone of whom the height alone is known."""
        lengths = Body.scaled(height_m).lengths
        return cls({name: lengths[INDEX[name]] for name in _NAMES}, assumed=_NAMES)

    @cached_property
    def body(self) -> Body:
        """The operator's build: an adult's bone directions, these lengths, feet in proportion."""
        factors = np.ones(JOINT_COUNT)
        factors[1:] = [self.lengths[name] for name in _NAMES] / ADULT.lengths[1:]
        bones = ADULT.bones * factors[:, None]
        below = [sum(bones[INDEX[f"{side}_{n}"], 2] for n in ("thigh", "shin", "foot", "toe")) for side in SIDES]
        soles = [ADULT.toe_height * factors[INDEX[f"{side}_toe"]] for side in SIDES]
        bones[0] = (0.0, 0.0, np.mean(soles) - np.mean(below))
        return Body(bones)

    @property
    def height(self) -> float:
        """Standing height, m, as the lengths add up to it."""
        return self.body.height

    @property
    def arm_span(self) -> float:
        """Finger tip to finger tip, m, as the lengths add up to it."""
        return self.body.arm_span

    def scale_to(self, reach_m: float) -> Array:
        """(3,) for x, y, z: a robot's reach over the person's; what was not measured is as long as the arm's bones."""
        arm = self.body.arm_length
        return np.array([reach_m / max(self.reach.get(axis, arm), 1e-3) for axis in REACHES])

    def with_offset(self, source: str, offset: SourceOffset) -> Calibration:
        """The same operator, with one source placed."""
        return replace(self, offsets={**self.offsets, source: offset})

    def to_dict(self) -> dict[str, Any]:
        """Plain dicts, lists and numbers, for a small file."""
        return {
            "lengths_m": dict(self.lengths),
            "mirrored": list(self.mirrored),
            "assumed": list(self.assumed),
            "offsets": {
                source: {"position_m": list(offset.position), "rotation_wxyz": list(offset.rotation)}
                for source, offset in self.offsets.items()
            },
            "reach_m": dict(self.reach),
        }

    @classmethod
    def from_dict(cls, values: object) -> Calibration:
        """What `to_dict` gave; anything else is an InputError that says what is wrong."""
        top = _mapping(values, "a calibration", ("lengths_m", "mirrored", "assumed", "offsets", "reach_m"))
        lengths = _mapping(top.get("lengths_m"), "lengths_m", _NAMES)
        missing = [name for name in _NAMES if name not in lengths]
        if missing:
            raise InputError(f"lengths_m lacks '{missing[0]}'" + (f" and {len(missing) - 1} more" * (len(missing) > 1)))
        offsets = _mapping(top.get("offsets", {}), "offsets")
        reach = _mapping(top.get("reach_m", {}), "reach_m", REACHES)
        return cls(
            lengths={name: _length(name, length) for name, length in lengths.items()},
            mirrored=_names(top.get("mirrored", []), "mirrored"),
            assumed=_names(top.get("assumed", []), "assumed"),
            offsets={str(source): _offset(value, str(source)) for source, value in offsets.items()},
            reach={axis: _length(f"the reach {axis}", value) for axis, value in reach.items()},
        )


def measure(seen: HumanMotion | HumanPose) -> Calibration:
    """Bone lengths: medians over all frames that know both ends, or one pose's.

    A bone that is not seen has the other side's length. Where joints between two seen ones are missing, the bones
    between share the distance as an average person's would. All others are an average person's, by the median ratio
    of what was measured to the average.
    """
    positions = np.reshape(seen.positions, (-1, JOINT_COUNT, 3))
    valid = np.reshape(seen.position_valid, (-1, JOINT_COUNT))
    measured, shared = np.full(JOINT_COUNT, np.nan), np.full(JOINT_COUNT, np.nan)
    for joint in range(1, JOINT_COUNT):
        path = _path_to_seen(joint, valid)
        if path is None:
            continue
        ratio = _median_distance(positions, valid, joint, int(PARENTS[path[-1]]))
        ratio /= float(np.linalg.norm(ADULT.bones[path].sum(axis=0)))
        if ratio > _LONGEST:
            continue
        if len(path) == 1:
            measured[joint] = ratio
        else:
            shared[path] = np.where(np.isnan(shared[path]), ratio, shared[path])
    mirrored = np.isnan(measured) & ~np.isnan(measured[MIRROR])
    ratios = np.where(mirrored, measured[MIRROR], measured)
    assumed = np.isnan(ratios)
    ratios = np.where(assumed, shared, ratios)
    ratios = np.where(np.isnan(ratios), _typical(ratios), ratios)
    return Calibration(
        lengths={name: ratios[INDEX[name]] * ADULT.lengths[INDEX[name]] for name in _NAMES},
        mirrored=tuple(name for name in _NAMES if mirrored[INDEX[name]]),
        assumed=tuple(name for name in _NAMES if assumed[INDEX[name]]),
    )


def fit_offset(world: HumanMotion, source: HumanMotion) -> SourceOffset:
    """The rigid move that brings a source's positions nearest to those already in the world, over all they share."""
    if len(world) != len(source):
        raise InputError(f"an offset needs the same moments in both: {len(world)} and {len(source)} frames")
    both = world.position_valid & source.position_valid
    target, points = world.positions[both], source.positions[both]
    if len(points) < 3:
        raise InputError(f"an offset needs three common points at least, there are {len(points)}")
    move = rigid_move(points, target)
    if move is None:
        raise InputError("an offset needs points that do not lie on one line")
    (x, y, z), (w, i, j, k) = (part.tolist() for part in move)
    return SourceOffset((x, y, z), (w, i, j, k))


def _path_to_seen(joint: int, valid: Flags) -> list[int] | None:
    """Bones from a seen joint up to its nearest ancestor that is seen together with it, the joint's own first."""
    path = [joint]
    while PARENTS[path[-1]] >= 0:
        if (valid[:, joint] & valid[:, PARENTS[path[-1]]]).any():
            return path
        path.append(int(PARENTS[path[-1]]))
    return None


def _median_distance(positions: Array, valid: Flags, joint: int, other: int) -> float:
    both = valid[:, joint] & valid[:, other]
    return float(np.median(np.linalg.norm(positions[both, joint] - positions[both, other], axis=-1)))


def _typical(ratios: Array) -> float:
    """Median of the body's known ratios, of the fingers' where no other is known, or 1."""
    for part in (ratios[:BODY_COUNT], ratios):
        if not np.isnan(part).all():
            return float(np.nanmedian(part))
    return 1.0


def _mapping(value: object, what: str, valid: tuple[str, ...] | None = None) -> dict[Any, Any]:
    if not isinstance(value, Mapping):
        raise InputError(f"{what} must be a mapping, not {type(value).__name__}")
    for key in value:
        if valid is not None and key not in valid:
            raise InputError(f"{what} has an unknown entry '{str(key)[:40]}'")
    return dict(value)


def _names(value: object, what: str) -> tuple[str, ...]:
    if not isinstance(value, list | tuple) or not all(isinstance(name, str) and name in INDEX for name in value):
        raise InputError(f"{what} must be a list of joint names")
    return tuple(value)


def _length(name: str, value: object) -> float:
    length = _numbers([value], 1, f"the length of {name}")[0]
    if length < 0:
        raise InputError(f"the length of {name} must not be negative")
    return length


def _numbers(value: object, count: int, what: str) -> list[float]:
    if not isinstance(value, list | tuple) or len(value) != count:
        raise InputError(f"{what} must be {count} numbers")
    for number in value:
        if isinstance(number, bool) or not isinstance(number, int | float) or not abs(number) < 1e6:
            raise InputError(f"{what} must be finite and in metres, or a quaternion")
    return [float(number) for number in value]


def _offset(value: object, source: str) -> SourceOffset:
    parts = _mapping(value, f"the offset of '{source}'", ("position_m", "rotation_wxyz"))
    x, y, z = _numbers(parts.get("position_m", [0, 0, 0]), 3, f"position_m of '{source}'")
    q = np.array(_numbers(parts.get("rotation_wxyz", [1, 0, 0, 0]), 4, f"rotation_wxyz of '{source}'"))
    if abs(np.linalg.norm(q) - 1) > 1e-3:
        raise InputError(f"rotation_wxyz of '{source}' must be a unit quaternion")
    w, i, j, k = q.tolist()
    return SourceOffset((x, y, z), (w, i, j, k))
