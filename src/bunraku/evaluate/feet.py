"""Feet as contacts: what the robot's feet do while the person's stand on the ground. Arrays have a column per side."""

from __future__ import annotations

import numpy as np

from bunraku.evaluate.metric import Array, Flags, Metric, MissingError, mean

STILL_M_S = 0.1
LIFTED_M = 0.03
NEAR_M = 0.02
FLOOR_PERCENTILE = 2

_NO_CONTACT = "the person's feet never stand on the ground"


def speed(positions: Array, known: Flags, fps: float) -> tuple[Array, Flags]:
    """Speed by central differences, and where it is known. `(T, 2, 3)`, `(T, 2)` → `(T, 2)`, `(T, 2)`"""
    if len(positions) < 2:
        raise MissingError("it takes two frames of the person")
    whole = known.copy()
    whole[1:] &= known[:-1]
    whole[:-1] &= known[1:]
    return np.linalg.norm(np.gradient(positions, axis=0), axis=-1) * fps, whole


def contacts(toe_height: Array, toe_speed: Array, known: Flags) -> Flags:
    """Where a toe is slow and near the floor, which is the 2nd percentile of both toes' heights. All `(T, 2)`"""
    if not known.any():
        raise MissingError("the person's toes are unknown")
    floor = np.percentile(toe_height[known], FLOOR_PERCENTILE)
    return known & (toe_speed < STILL_M_S) & (toe_height < floor + LIFTED_M)


def human_contact_frames(contact: Flags) -> float:
    return int(contact.sum())


def human_slide_cm_s(contact: Flags, toe_speed: Array) -> float:
    return mean(toe_speed[contact], _NO_CONTACT) * 100


def slide_cm_s(contact: Flags, sole_height: Array, sole_speed: Array) -> float:
    if not contact.any():
        raise MissingError(_NO_CONTACT)
    near = contact & (sole_height < NEAR_M)
    return mean(sole_speed[near], "no sole of the robot is near the ground while the person's foot stands") * 100


def slide_all_cm_s(contact: Flags, sole_speed: Array) -> float:
    return mean(sole_speed[contact], _NO_CONTACT) * 100


def float_cm(contact: Flags, sole_height: Array) -> float:
    return mean(np.abs(sole_height[contact]), _NO_CONTACT) * 100


def contact_kept_pct(contact: Flags, sole_height: Array) -> float:
    return mean((sole_height[contact] < NEAR_M).astype(float), _NO_CONTACT) * 100


METRICS = (
    Metric("slide_cm_s", "cm/s", "lower",
           "horizontal speed of the lowest point of a sole near the ground while the person's foot stands", slide_cm_s),
    Metric("slide_all_cm_s", "cm/s", "lower", "the same at any height of the sole", slide_all_cm_s),
    Metric("human_slide_cm_s", "cm/s", "neither", "speed of the person's own toes meanwhile", human_slide_cm_s),
    Metric("float_cm", "cm", "lower", "distance of the sole from the ground while the person's foot stands", float_cm),
    Metric("contact_kept_pct", "%", "higher", "share of the person's contacts in which the robot's sole is below 2 cm",
           contact_kept_pct, high=100),
    Metric("human_contact_frames", "", "neither", "frames in which a foot of the person stands, both feet counted",
           human_contact_frames),
)  # fmt: skip
