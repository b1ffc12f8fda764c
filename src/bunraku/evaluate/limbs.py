"""How alike the limbs of the person and the robot point and reach, seen from the trunk and in the world."""

from __future__ import annotations

from functools import partial
from itertools import pairwise
from types import MappingProxyType

import numpy as np

from bunraku.evaluate.body import Body
from bunraku.evaluate.metric import Array, Flags, Metric, MissingError, mean, percentile
from bunraku.human.skeleton import SIDES

LIMBS = MappingProxyType(
    {
        "upper_arm": ("upper_arm", "forearm"),
        "forearm": ("forearm", "hand"),
        "thigh": ("thigh", "shin"),
        "shin": ("shin", "foot"),
    }
)
"""Limb → the points where it begins and ends."""
COLUMNS = tuple((limb, side) for limb in LIMBS for side in SIDES)
CHAINS = (("thigh", "shin", "foot"), ("upper_arm", "forearm", "hand"))
"""A leg and an arm, base first."""

_NO_LIMB = "no limb is known of both the person and the robot"


def unit(v: Array) -> Array:
    """The same directions with length 1. `(…, 3)`"""
    return np.asarray(v / np.maximum(np.linalg.norm(v, axis=-1, keepdims=True), 1e-9))


def angle(a: Array, b: Array) -> Array:
    """Angle between unit vectors, rad. `(…, 3)` → `(…)`"""
    return np.asarray(np.arccos(np.clip((a * b).sum(-1), -1, 1)))


def seen_from(frame: Array, v: Array) -> Array:
    """World vectors `(T, …, 3)` in the axes of frames `(T, 3, 3)`."""
    return np.asarray(np.einsum("tba,t...b->t...a", frame, v))


def trunk_frames(person: Body, robot: Body, line: tuple[str, str]) -> tuple[Array, Array]:
    """`(T, 3, 3)` world_from_trunk of both, with axes forward, left, up fixed in the trunk, whatever axes it came with.

    Left is along the mean of the line between the two points, up along the mean vertical, as seen from the trunk,
    over the frames in which both bodies are known.
    """
    use = person.difference(*line)[1] & person.turn_known & robot.difference(*line)[1] & robot.turn_known
    if not use.any():
        raise MissingError("the orientation of the person's trunk is unknown")
    return _trunk_frame(person, line, use), _trunk_frame(robot, line, use)


def _trunk_frame(body: Body, line: tuple[str, str], use: Flags) -> Array:
    across, _ = body.difference(*line)
    left = unit(seen_from(body.turn, unit(across))[use].mean(0))
    vertical = body.turn[use, 2, :].mean(0)
    up = unit(vertical - (vertical @ left) * left)
    return np.asarray(body.turn @ np.stack([np.cross(left, up), left, up], axis=-1))


def heading(a: Array, b: Array) -> Array:
    """(3, 3) the one turn about the vertical that best brings vectors a onto b. `(T, 3)`, `(T, 3)`"""
    yaw = np.arctan2((a[:, 0] * b[:, 1] - a[:, 1] * b[:, 0]).sum(), (a[:, 0] * b[:, 0] + a[:, 1] * b[:, 1]).sum())
    return np.array([[np.cos(yaw), -np.sin(yaw), 0.0], [np.sin(yaw), np.cos(yaw), 0.0], [0.0, 0.0, 1.0]])


def directions(body: Body) -> tuple[Array, Flags]:
    """`(T, 8, 3)` unit vectors along the limbs in the order of COLUMNS, and `(T, 8)` where they are known."""
    ways = [body.difference(f"{side}_{LIMBS[limb][1]}", f"{side}_{LIMBS[limb][0]}") for limb, side in COLUMNS]
    return unit(np.stack([way for way, _ in ways], axis=1)), np.stack([known for _, known in ways], axis=1)


def length(body: Body, chain: tuple[str, ...]) -> float:
    """Length of an arm or a leg: mean of the sides that are known, median over the frames; 0 where neither is."""
    sides = []
    for side in SIDES:
        ways = [body.difference(f"{side}_{b}", f"{side}_{a}") for a, b in pairwise(chain)]
        known = np.logical_and.reduce([known for _, known in ways])
        if known.any():
            sides.append(np.ma.array(sum(np.linalg.norm(way, axis=-1) for way, _ in ways), mask=~known))
    return float(np.ma.median(np.ma.mean(np.ma.stack(sides), axis=0))) if sides else 0.0


def reach_errors(person: Body, robot: Body, frames: tuple[Array, Array]) -> tuple[Array, Flags]:
    """Distances of knee, ankle, elbow, wrist from where the person has them, relative to hip or shoulder.

    In the trunk's frames, each body in units of its own limb. `(T, 8)`, and where they are known.
    """
    errors, flags = [], []
    for chain in CHAINS:
        lengths = length(person, chain), length(robot, chain)
        for side in SIDES:
            for end in chain[1:]:
                one, known = person.difference(f"{side}_{end}", f"{side}_{chain[0]}")
                other, other_known = robot.difference(f"{side}_{end}", f"{side}_{chain[0]}")
                errors.append(_distance(one, other, frames, lengths))
                flags.append(known & other_known & (min(lengths) > 0))
    return np.stack(errors, axis=1), np.stack(flags, axis=1)


def place_errors(person: Body, robot: Body, frames: tuple[Array, Array]) -> tuple[Array, Flags]:
    """Distances of knee, ankle, shoulder, elbow, wrist from where the person has them, relative to the trunk's origin.

    In the trunk's frames, each body in units of its own leg. `(T, 10)`, and where they are known.
    """
    lengths = length(person, CHAINS[0]), length(robot, CHAINS[0])
    if min(lengths) <= 0:
        raise MissingError("the person and the robot do not both have a leg to measure by")
    errors, flags = [], []
    for side in SIDES:
        for name in (*CHAINS[0][1:], *CHAINS[1]):
            (one, known), (other, other_known) = person.point(f"{side}_{name}"), robot.point(f"{side}_{name}")
            errors.append(_distance(one - person.trunk, other - robot.trunk, frames, lengths))
            flags.append(known & other_known & person.trunk_known)
    return np.stack(errors, axis=1), np.stack(flags, axis=1)


def _distance(one: Array, other: Array, frames: tuple[Array, Array], lengths: tuple[float, float]) -> Array:
    a = seen_from(frames[0], one) / max(lengths[0], 1e-9)
    b = seen_from(frames[1], other) / max(lengths[1], 1e-9)
    return np.asarray(np.linalg.norm(a - b, axis=-1))


def turn_angles(a: Array, b: Array) -> Array:
    """Angle between orientations, rad. `(T, 3, 3)`, `(T, 3, 3)` → `(T,)`"""
    return np.asarray(np.arccos(np.clip((np.einsum("tij,tij->t", a, b) - 1) / 2, -1, 1)))


def limb_deg(limb_angles: Array, limb_known: Flags) -> float:
    return float(np.degrees(mean(limb_angles[limb_known], _NO_LIMB)))


def limb_deg_p95(limb_angles: Array, limb_known: Flags) -> float:
    return float(np.degrees(percentile(limb_angles[limb_known], 95, _NO_LIMB)))


def limb_deg_world(limb_world_angles: Array, limb_world_known: Flags) -> float:
    return limb_deg(limb_world_angles, limb_world_known)


def limb_deg_world_p95(limb_world_angles: Array, limb_world_known: Flags) -> float:
    return limb_deg_p95(limb_world_angles, limb_world_known)


def one_limb_deg(limb_angles: Array, limb_known: Flags, limb: str = "thigh") -> float:
    columns = [i for i, (name, _) in enumerate(COLUMNS) if name == limb]
    angles = limb_angles[:, columns][limb_known[:, columns]]
    return float(np.degrees(mean(angles, f"no {limb.replace('_', ' ')} is known of both the person and the robot")))


def kp_root(place_error: Array, place_known: Flags) -> float:
    return mean(place_error[place_known], "no joint centre is known of both the person and the robot")


def kp_limb(reach_error: Array, reach_known: Flags) -> float:
    return mean(reach_error[reach_known], _NO_LIMB)


def pelvis_r_deg(pelvis_angles: Array, turn_known: Flags) -> float:
    return float(np.degrees(mean(pelvis_angles[turn_known], "the orientation of the person's pelvis is unknown")))


METRICS = (
    Metric("limb_deg", "°", "lower", "angle between the limbs of person and robot, seen from the pelvis, mean of all",
           limb_deg, high=180),
    Metric("limb_deg_p95", "°", "lower", "its 95th percentile", limb_deg_p95, high=180),
    Metric("limb_deg_world", "°", "lower", "the same in the world, after one constant heading for the whole motion",
           limb_deg_world, high=180),
    Metric("limb_deg_world_p95", "°", "lower", "its 95th percentile", limb_deg_world_p95, high=180),
    *(
        Metric(f"limb_deg_{limb}", "°", "lower", f"limb_deg of the {limb.replace('_', ' ')}s alone",
               partial(one_limb_deg, limb=limb), high=180)
        for limb in LIMBS
    ),
    Metric("kp_root", "", "lower", "distance of joint centres from the person's, from the pelvis, in leg lengths",
           kp_root),
    Metric("kp_limb", "", "lower", "distance of joint centres from the person's, from hip or shoulder, in limb lengths",
           kp_limb),
    Metric("pelvis_R_deg", "°", "lower", "angle between the pelvises, after one constant heading for the whole motion",
           pelvis_r_deg, high=180),
)  # fmt: skip
