"""Markers to rigid bodies to joints, by a description: what a person holds or wears that carries markers.

    right_hand:
      markers: {1-1: [0.02, 0.0, 0.01], 1-2: [-0.02, 0.0, 0.01], 1-3: [0.0, 0.03, 0.01]}
      place: [0.0, 0.1, 0.0]
      turn: [1, 0, 0, 0]
      tolerance: 0.004
    right_forearm: {marker: 1-9}

A body is named like the joint that it is; its markers' places are metres in a frame of its own. `place` and `turn`: of
the joint in that frame; without them it is the joint's. A single `marker` tells the joint's place alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.cube import cube
from bunraku.human.rigid_body import BodyTracker, RigidBody
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations as rot
from bunraku.sources.marker_sets import Markers
from bunraku.sources.measure import FACING, WORLD_FROM_FILE

Array = NDArray[np.float64]

CUBE = "cube"
"""the built-in description: P5's cube in the right hand, markers 1-1 to 1-8"""
_MOST_BYTES = 1 << 20
_MOST_MARKERS = 64
"""of one body: contradictions are looked for among all threes of them"""


@dataclass(frozen=True, eq=False)
class Worn:
    """One joint and what it is known by."""

    joint: str
    names: tuple[str, ...]
    """markers, by the numbers that the rigid body knows them by"""
    body: RigidBody | None
    """None: the first marker is the joint's place"""
    place: Array
    """(3,) m, of the joint in the body's frame"""
    turn: Array
    """(4,) likewise"""


@dataclass(frozen=True, eq=False)
class Found:
    """What one frame of markers tells."""

    placed: NDArray[np.intp]
    places: Array
    turned: NDArray[np.intp]
    turns: Array
    missing: str
    """why a body has no pose, in words; empty where all have one"""


class WornBodies:
    """Follows all bodies of a description from frame to frame. A body that is hidden is not known."""

    def __init__(self, worn: Sequence[Worn]) -> None:
        self.worn = tuple(worn)
        self.reset()

    def reset(self) -> None:
        """Another session."""
        self._trackers = [None if part.body is None else BodyTracker(part.body) for part in self.worn]

    def find(self, seen: Mapping[str, Array]) -> Found:
        """Joints from markers, name → place in the world (m); what is hidden is left out."""
        placed, places, turned, turns, missing = [], [], [], [], []
        for part, tracker in zip(self.worn, self._trackers, strict=True):
            joint = INDEX[part.joint]
            if tracker is None:
                if part.names[0] in seen:
                    placed.append(joint)
                    places.append(seen[part.names[0]])
                else:
                    missing.append(f"{part.joint}: its marker is not seen")
                continue
            pose = tracker.update({n: seen[name] for n, name in enumerate(part.names) if name in seen})
            if pose is None or tracker.held:
                missing.append(f"{part.joint}: {tracker.reason}")
                continue
            placed.append(joint)
            places.append(pose.position + rot.rotate(pose.rotation, part.place))
            turned.append(joint)
            turns.append(rot.multiply(pose.rotation, part.turn))
        return Found(
            np.array(placed, np.intp), np.array(places).reshape(-1, 3), np.array(turned, np.intp),
            np.array(turns).reshape(-1, 4), "; ".join(missing),
        )  # fmt: skip


def read_bodies(name: str) -> tuple[Worn, ...]:
    """Of a file, or the built-in `cube`."""
    path = Path(name)
    if name == CUBE and not path.exists():
        body = cube()
        return (Worn("right_hand", tuple(f"1-{n}" for n in body.markers), _numbered(body), np.zeros(3), rot.IDENTITY),)
    try:
        if path.stat().st_size > _MOST_BYTES:
            raise InputError(f"{path}: larger than any description of bodies")
        values = yaml.safe_load(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: cannot be read: {error.strerror or error}; '{CUBE}' is built in") from None
    except (yaml.YAMLError, UnicodeDecodeError, RecursionError, ValueError) as error:
        raise InputError(f"{path}: it is no YAML: {' '.join(str(error).split())[:160]}") from None
    if not isinstance(values, dict) or not values:
        raise InputError(f"{path}: it describes no bodies, joint: {{markers: {{name: [x, y, z]}}}}")
    try:
        return tuple(_worn(str(joint), said) for joint, said in values.items())
    except InputError as error:
        raise InputError(f"{path}: {error}") from None


def _numbered(body: RigidBody) -> RigidBody:
    """The same with its markers counted from 0."""
    return RigidBody(dict(enumerate(body.markers.values())), tolerance=body.tolerance)


def _worn(joint: str, said: Any) -> Worn:
    if joint not in INDEX:
        raise UnknownNameError("joint", joint, INDEX)
    if isinstance(said, dict) and set(said) == {"marker"}:
        return Worn(joint, (str(said["marker"]),), None, np.zeros(3), rot.IDENTITY)
    known = {"markers", "place", "turn", "tolerance"}
    if not isinstance(said, dict) or not set(said) <= known or not isinstance(said.get("markers"), dict):
        raise InputError(f"{joint}: it needs 'markers: {{name: [x, y, z]}}' or 'marker: name'")
    names = tuple(str(name) for name in said["markers"])
    if len(names) > _MOST_MARKERS:
        raise InputError(f"{joint}: {len(names)} markers; at most {_MOST_MARKERS}")
    try:
        places = {n: np.array(place, float) for n, place in enumerate(said["markers"].values())}
        place, turn = np.array(said.get("place", np.zeros(3)), float), np.array(said.get("turn", rot.IDENTITY), float)
        tolerance = float(said.get("tolerance", RigidBody.tolerance))
    except (TypeError, ValueError):
        raise InputError(f"{joint}: a place is three numbers, a turn four (w, x, y, z)") from None
    size = float(np.linalg.norm(turn))
    if place.shape != (3,) or turn.shape != (4,) or not np.isfinite(place).all() or not 0.5 < size < 2.0:
        raise InputError(f"{joint}: a place is three numbers, a turn four (w, x, y, z)")
    if not 0 < tolerance < 1:
        raise InputError(f"{joint}: a tolerance of {tolerance:g} m")
    try:
        body = RigidBody(places, tolerance=tolerance)
    except InputError as error:
        raise InputError(f"{joint}: {error}") from None
    return Worn(joint, names, body, place, turn / size)


def world_turn(options: Mapping[str, str]) -> Array:
    """(4,) from a system's axes to ours, by the options `up` and `facing`."""
    up, facing = options.get("up", "z"), options.get("facing", "x")
    if up not in WORLD_FROM_FILE:
        raise UnknownNameError("up axis", up, WORLD_FROM_FILE)
    if facing not in FACING:
        raise UnknownNameError("direction", facing, FACING)
    return rot.multiply(np.array(FACING[facing]), WORLD_FROM_FILE[up])


def bodies_motion(markers: Markers, worn: Sequence[Worn], fps: float, name: str, world: Array) -> HumanMotion:
    """The joints of a whole recording; `world` (4,) turns its axes to ours."""
    T = len(markers.places)
    if not T or not 0 < fps <= 100_000:
        raise InputError(f"{name}: {T} frames, {fps:g} per second")
    wanted = {marker for part in worn for marker in part.names}
    if not wanted & set(markers.names):
        raise InputError(f"{name}: none of the bodies' markers is in it; there are {', '.join(markers.names[:12])}")
    positions = np.zeros((T, JOINT_COUNT, 3))
    rotations = np.tile(rot.IDENTITY, (T, JOINT_COUNT, 1))
    placed, turned = np.zeros((T, JOINT_COUNT), bool), np.zeros((T, JOINT_COUNT), bool)
    columns = {label: k for k, label in enumerate(markers.names) if label in wanted}
    turned_places = rot.rotate(world, markers.places)
    bodies = WornBodies(worn)
    for row in range(T):
        here = {label: turned_places[row, k] for label, k in columns.items()}
        found = bodies.find({label: place for label, place in here.items() if np.isfinite(place).all()})
        positions[row, found.placed], placed[row, found.placed] = found.places, True
        rotations[row, found.turned], turned[row, found.turned] = found.turns, True
    notes = tuple(f"{part.joint} is known in {100 * placed[:, INDEX[part.joint]].mean():.1f} % of all frames"
                  for part in worn)  # fmt: skip
    return HumanMotion(
        positions=positions, rotations=rotations, position_valid=placed, rotation_valid=turned, fps=fps, name=name,
        notes=notes,
    )  # fmt: skip
