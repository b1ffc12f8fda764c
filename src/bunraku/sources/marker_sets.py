"""Where joints are, from the markers on a person's skin: the sets that laboratories put on.

A set gives each canonical joint places to take the mean of, in order of preference, and where the joint lies inside the
body from there, as shares of what is measured on the pelvis or as millimetres of an average adult. Hip centres follow
Harrington et al. (2007).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

_KNEE_M, _ANKLE_M = 0.05, 0.035
"""from the outer side to the middle of an adult's joint"""
_SHOULDER_M = 0.05
"""from the top of the shoulder to its centre"""
_HEAD_M = 0.12
"""from the markers around the forehead to the joint that carries the head"""


@dataclass(frozen=True, eq=False)
class Markers:
    """Trajectories in our world: M markers, T frames."""

    names: tuple[str, ...]
    """without what stands before a colon"""
    places: Array
    """(T, M, 3) m; NaN where one is not seen"""

    def mean(self, *names: str) -> Array:
        """(T, 3) mean of those markers; NaN where one of them is not there or not seen."""
        if not all(name in self.names for name in names):
            return np.full((len(self.places), 3), np.nan)
        columns = [self.names.index(name) for name in names]
        return np.asarray(self.places[:, columns].mean(axis=1))

    def first(self, *choices: Sequence[str]) -> Array:
        """(T, 3) the mean of the first choice that is seen, frame by frame."""
        out = self.mean(*choices[0])
        for choice in choices[1:]:
            out = np.where(np.isfinite(out), out, self.mean(*choice))
        return out


@dataclass(frozen=True)
class MarkerSet:
    """A way to put markers on."""

    name: str
    telling: tuple[str, ...]
    """markers by which it is known"""
    joints: Callable[[Markers], Mapping[str, Array]]
    """canonical joint → (T, 3)"""


def find_set(names: Sequence[str]) -> MarkerSet | None:
    """The set most of whose telling markers are there, at least half of them."""
    best = max(SETS, key=lambda kind: sum(name in names for name in kind.telling) / len(kind.telling))
    there = sum(name in names for name in best.telling)
    return best if 2 * there >= len(best.telling) else None


def joint_places(kind: MarkerSet, markers: Markers) -> tuple[Array, Flags]:
    """(T, J, 3) and (T, J) which of them are known."""
    places = np.full((len(markers.places), JOINT_COUNT, 3), np.nan)
    for joint, at in kind.joints(markers).items():
        places[:, INDEX[joint]] = at
    known = np.isfinite(places).all(axis=-1)
    return np.where(known[..., None], places, 0.0), known


def _unit(vector: Array) -> Array:
    with np.errstate(invalid="ignore", divide="ignore"):
        return np.asarray(vector / np.linalg.norm(vector, axis=-1, keepdims=True))


def _pelvis(left: Array, right: Array, back: Array) -> tuple[Array, dict[str, Array], Array]:
    """Middle, hip centres by side, and the direction to the left, from the front spines and the middle of the back."""
    front = (left + right) / 2
    aside = _unit(left - right)
    ahead = front - back
    ahead = _unit(ahead - np.sum(ahead * aside, axis=-1, keepdims=True) * aside)
    up = np.cross(ahead, aside)
    width = np.linalg.norm(left - right, axis=-1, keepdims=True)
    depth = np.linalg.norm(front - back, axis=-1, keepdims=True)
    centre = front - (0.24 * depth + 0.0099) * ahead - (0.30 * width + 0.0109) * up
    out = 0.33 * width + 0.0073
    return (front + back) / 2, {"left": centre + out * aside, "right": centre - out * aside}, aside


def _inside(outer: Array, inner: Array, toward: Array, distance: float) -> Array:
    """The middle of a joint between its two sides; from the outer one alone, so far towards the other side."""
    return np.where(np.isfinite(inner), (outer + inner) / 2, outer + distance * toward)


def _plug_in_gait(m: Markers) -> dict[str, Array]:
    left, right = m.first(["LASI"], ["LFWT"]), m.first(["RASI"], ["RFWT"])
    back = m.first(["LPSI", "RPSI"], ["SACR"], ["LBWT", "RBWT"])
    hips, centres, aside = _pelvis(left, right, back)
    neck = m.first(["C7", "CLAV"], ["C7"], ["CLAV"])
    chest = m.first(["T10", "STRN"], ["T10"], ["STRN"])
    up = _unit(neck - hips)
    out = {"hips": hips, "neck": neck, "spine": hips + 0.35 * (chest - hips), "chest": chest}
    front, behind = m.mean("LFHD", "RFHD"), m.mean("LBHD", "RBHD")
    out["head"] = (front + behind) / 2 - _HEAD_M * up
    for letter, side, sign in zip("LR", SIDES, (-1.0, 1.0), strict=True):
        out[f"{side}_thigh"] = centres[side]
        inner = m.first([f"{letter}KNM"], [f"{letter}MKNE"], [f"{letter}KNI"])
        out[f"{side}_shin"] = _inside(m.mean(f"{letter}KNE"), inner, sign * aside, _KNEE_M)
        inner = m.first([f"{letter}MED"], [f"{letter}MANK"], [f"{letter}ANM"])
        out[f"{side}_foot"] = _inside(m.mean(f"{letter}ANK"), inner, sign * aside, _ANKLE_M)
        out[f"{side}_toe"] = m.first([f"{letter}TOE"], [f"{letter}MT5", f"{letter}MT1"], [f"{letter}MT5"])
        out[f"{side}_upper_arm"] = m.mean(f"{letter}SHO") - _SHOULDER_M * up
        out[f"{side}_clavicle"] = neck + 0.15 * (out[f"{side}_upper_arm"] - neck)
        out[f"{side}_forearm"] = m.first([f"{letter}ELB", f"{letter}ELBM"], [f"{letter}ELB", f"{letter}IEL"], [f"{letter}ELB"])  # fmt: skip # noqa: E501
        out[f"{side}_hand"] = m.first([f"{letter}WRA", f"{letter}WRB"], [f"{letter}WRI"], [f"{letter}WRA"])
        out[f"{side}_middle_1"] = m.mean(f"{letter}FIN")
    return out


def _upper_limb(m: Markers) -> dict[str, Array]:
    """Pelvis, trunk and one arm, the right one, after the ISB's landmarks."""
    hips, centres, _ = _pelvis(m.mean("ASISl"), m.mean("ASISr"), m.mean("PSISl", "PSISr"))
    neck, chest = m.first(["T1", "STER"], ["T1"]), m.first(["T10", "XIPH"], ["T10"])
    up = _unit(neck - hips)
    shoulder = m.first(["ACRO_tip"], ["SCAP_AA"]) - _SHOULDER_M * up
    return {
        "hips": hips, "left_thigh": centres["left"], "right_thigh": centres["right"], "neck": neck, "chest": chest,
        "spine": hips + 0.35 * (chest - hips), "right_clavicle": m.first(["CLAV_SC"], ["STERr"]),
        "right_upper_arm": shoulder, "right_forearm": m.mean("EPICl", "EPICm"),
        "right_hand": m.first(["STYLr", "STYLu"], ["WRIST"]), "right_index_1": m.first(["INDEX"], ["LATH"]),
        "right_little_1": m.first(["LASTC"], ["MEDH"]), "right_middle_1": m.first(["LATH", "MEDH"], ["INDEX"]),
    }  # fmt: skip


def _keypoints(m: Markers) -> dict[str, Array]:
    """Joint centres already, as programs that work without markers write them."""
    hips = m.first(["Hip"], ["MidHip"], ["LHip", "RHip"])
    neck = m.first(["Neck"], ["LShoulder", "RShoulder"])
    out = {"hips": hips, "neck": neck, "chest": hips + 0.55 * (neck - hips), "spine": hips + 0.2 * (neck - hips),
           "head": m.first(["LEar", "REar"], ["Head"], ["Nose"])}  # fmt: skip
    parts = {"Shoulder": "upper_arm", "Elbow": "forearm", "Wrist": "hand", "Hip": "thigh", "Knee": "shin",
             "Ankle": "foot", "BigToe": "toe"}  # fmt: skip
    for letter, side in zip("LR", SIDES, strict=True):
        out |= {f"{side}_{joint}": m.mean(letter + part) for part, joint in parts.items()}
    return out


SETS = (
    MarkerSet("Plug-in Gait", ("LASI", "RASI", "LKNE", "RKNE", "LANK", "RANK", "LSHO", "RSHO", "LELB", "C7", "CLAV"),
              _plug_in_gait),
    MarkerSet("CMU's set", ("LFWT", "RFWT", "LBWT", "RBWT", "LKNE", "RKNE", "LSHO", "RSHO", "C7"), _plug_in_gait),
    MarkerSet("upper limb (ISB)", ("ASISl", "ASISr", "PSISl", "PSISr", "T10", "EPICl", "EPICm", "STYLr"), _upper_limb),
    MarkerSet("joint centres", ("LShoulder", "RShoulder", "LElbow", "RElbow", "LWrist", "RWrist", "LHip", "RHip"),
              _keypoints),
)  # fmt: skip
"""all that are known"""
