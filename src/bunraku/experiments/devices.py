"""What each device makes of the truth: its rate, its noise, what it does not know. Chosen from what the makers state.

Motion here is the truth at a device's rate; the result is what its driver would hand on, partial where the device is.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.human.skeleton import GROUPS, INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

LEAP_HZ, SUIT_HZ, CAMERA_HZ, MARKER_HZ = 115.0, 60.0, 30.0, 120.0

LEAP_NOISE = 0.001
"""m; Guna et al. as P2 quotes them: below 0.7 mm for each axis near by; 1 mm here, at arm's length"""
HEADSET_NOISE = 0.0005
"""rad, of an orientation that is fused at 500 Hz or more"""
_PALM_SIZE = 0.08
"""m; noise over this is the noise of a palm's orientation"""

SUIT_NOISE, SUIT_BIAS = np.radians(0.05), np.radians(1.0)
"""rad, of each bone: from frame to frame, and from how the sensor is strapped on (Perception Neuron: static 1°)"""

MARKER_NOISE, MARKER_WARP, _WARP_LENGTH = 1e-4, 5e-4, 0.5
"""m; noise of each marker, and an error that is alike for neighbours and changes over half a metre (VZ4000: 0.5 mm
accuracy, 0.015 mm resolution at 1.2 m; the noise is several times that resolution)"""
MARKER_LOSS = 0.02
"""share of frames in which a marker that could be seen is not"""

NOTES: Mapping[str, str] = {
    "leap": f"Leap Motion and headset: {LEAP_HZ:g} Hz, {LEAP_NOISE * 1e3:g} mm noise on each point, "
    f"{np.degrees(LEAP_NOISE / _PALM_SIZE):.2f}° on palm and forearm, {np.degrees(HEADSET_NOISE):.2f}° on the head.",
    "suit": f"Suit: {SUIT_HZ:g} Hz, each bone's rotation with {np.degrees(SUIT_NOISE):.2f}° noise and a constant "
    f"{np.degrees(SUIT_BIAS):g}° (sd) of misfit.",
    "markers": f"Markers: {MARKER_HZ:g} Hz, {MARKER_NOISE * 1e3:g} mm noise, {MARKER_WARP * 1e3:g} mm of smooth "
    f"distortion, corners on faces that look away hidden, {MARKER_LOSS:.0%} lost at random.",
}


def leap(truth: HumanMotion, rng: np.random.Generator) -> HumanMotion:
    """Arms from the elbow on and hands, by points and orientations; the head by the headset. Nothing else."""
    known = np.zeros(JOINT_COUNT, bool)
    for side in SIDES:
        known[[INDEX[f"{side}_forearm"], *(INDEX[name] for name in GROUPS[f"{side}_hand"])]] = True
    head = INDEX["head"]
    turn = np.full(JOINT_COUNT, LEAP_NOISE / _PALM_SIZE)
    turn[head] = HEADSET_NOISE
    shaken = _shaken(truth.rotations, turn, rng)
    spread = np.where(known, LEAP_NOISE, 0.0)
    places = truth.positions + spread[:, None] * rng.standard_normal(truth.positions.shape)
    known[head] = True  # the tracker sits on the head: points are measured from it
    return _seen(truth, places, shaken, known)


def suit(truth: HumanMotion, rng: np.random.Generator) -> HumanMotion:
    """Rotations of all bones; positions follow from them and the bones, as in the suit's own stream."""
    bias = rot.exp(SUIT_BIAS * rng.standard_normal((JOINT_COUNT, 3)) / np.sqrt(3))
    turns = rot.multiply(_shaken(truth.rotations, np.full(JOINT_COUNT, SUIT_NOISE), rng), bias)
    return _seen(truth, truth.positions, turns, np.ones(JOINT_COUNT, bool))


def marker_noise(points: Array, rng: np.random.Generator, phase: Array) -> Array:
    """Places of markers (…, 3) as the tracker measures them; `phase` (3, 3) stays the same over a recording."""
    warp = np.sin(points @ np.eye(3) * (2 * np.pi / _WARP_LENGTH) + phase[0])
    warp += np.sin(np.roll(points, 1, axis=-1) * (2 * np.pi / _WARP_LENGTH) + phase[1])
    noise = MARKER_NOISE * rng.standard_normal(points.shape)
    return np.asarray(points + MARKER_WARP / np.sqrt(3) * warp + noise)


def lost(shape: tuple[int, ...], rng: np.random.Generator) -> Flags:
    """Which markers are missed for no reason that geometry knows."""
    return np.asarray(rng.random(shape) < MARKER_LOSS)


def _shaken(rotations: Array, sizes: Array, rng: np.random.Generator) -> Array:
    """Rotations (T, J, 4) with noise of `sizes` (J,) rad about each axis."""
    return rot.multiply(rot.exp(sizes[:, None] * rng.standard_normal((*rotations.shape[:-1], 3))), rotations)


def _seen(truth: HumanMotion, positions: Array, rotations: Array, known: Flags) -> HumanMotion:
    flags = np.broadcast_to(known, truth.position_valid.shape)
    return replace(
        truth,
        positions=positions,
        rotations=rotations,
        position_valid=truth.position_valid & flags,
        rotation_valid=truth.rotation_valid & flags,
    )
