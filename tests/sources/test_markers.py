"""Marker recordings: C3D and TRC to a person."""

from __future__ import annotations

import re
from pathlib import Path

import ezc3d
import numpy as np
import pytest

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.marker_sets import Markers, find_set
from bunraku.sources.markers import motion_of, read_trc
from shared import data


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks."""
    return read_motion("synth:walk?seconds=1&fps=50")


def skin(motion: HumanMotion) -> dict[str, np.ndarray]:
    """Plug-in Gait's markers on a person: each rides on a segment, where it is put on an adult."""

    def on(joint: str, *offset: float) -> np.ndarray:
        return motion.position(joint) + rot.rotate(motion.rotation(joint), offset)

    out = {"C7": on("neck", -0.05, 0, 0), "CLAV": on("neck", 0.05, 0, 0), "T10": on("chest", -0.1, 0, 0),
           "STRN": on("chest", 0.1, 0, 0)}  # fmt: skip
    for letter, side, s in zip("LR", SIDES, (1.0, -1.0), strict=True):
        out[f"{letter}ASI"] = on("hips", 0.09, 0.12 * s, 0.06)
        out[f"{letter}PSI"] = on("hips", -0.09, 0.05 * s, 0.06)
        out[f"{letter}FHD"], out[f"{letter}BHD"] = on("head", 0.08, 0.06 * s, 0.12), on("head", -0.08, 0.06 * s, 0.12)
        out[f"{letter}SHO"] = on(f"{side}_upper_arm", 0, 0, 0) + rot.rotate(motion.rotation("chest"), [0, 0, 0.05])
        out[f"{letter}ELB"] = on(f"{side}_forearm", 0, 0, 0)
        out[f"{letter}WRA"], out[f"{letter}WRB"] = on(f"{side}_hand", 0.03, 0, 0), on(f"{side}_hand", -0.03, 0, 0)
        out[f"{letter}FIN"] = motion.position(f"{side}_middle_1")
        out[f"{letter}KNE"], out[f"{letter}ANK"] = (
            on(f"{side}_shin", 0, 0.05 * s, 0),
            on(f"{side}_foot", 0, 0.035 * s, 0),
        )
        out[f"{letter}TOE"] = motion.position(f"{side}_toe")
    return out


def write_c3d(path: Path, markers: dict[str, np.ndarray], *, unit: float = 1000.0, prefix: str = "Ann:") -> None:
    """A file as a laboratory's program writes it, millimetres, z up."""
    c3d = ezc3d.c3d()
    points = np.ones((4, len(markers), len(next(iter(markers.values())))))
    points[:3] = np.moveaxis(np.stack(list(markers.values()), axis=1), -1, 0).swapaxes(1, 2) * unit
    c3d["parameters"]["POINT"]["RATE"]["value"] = [50]
    c3d["parameters"]["POINT"]["LABELS"]["value"] = [prefix + name for name in markers]
    c3d["parameters"]["POINT"]["UNITS"]["value"] = ["mm" if unit == 1000 else "m"]
    c3d["data"]["points"] = points
    c3d.write(str(path))


def write_trc(path: Path, markers: dict[str, np.ndarray], between: str = "\t", *, up: str = "y") -> None:
    """The same as text, y up."""
    names, frames = list(markers), len(next(iter(markers.values())))
    lines = [between.join(["PathFileType", "4", "(X/Y/Z)", "a.trc"]),
             between.join(["DataRate", "CameraRate", "NumFrames", "NumMarkers", "Units"]),
             between.join(["50", "50", "999", str(len(names)), "mm"]),
             between.join(["Frame#", "Time", *(cell for name in names for cell in (name, "", ""))]),
             between.join(["", "", *(f"{a}{k}" for k in range(1, len(names) + 1) for a in "XYZ")]), ""]  # fmt: skip
    for k in range(frames):
        cells = [str(k + 1), f"{k / 50:.3f}"]
        for name in names:
            x, y, z = 1000 * markers[name][k]
            place = (y, z, x) if up == "y" else (x, y, z)
            cells += ["" if np.isnan(v) else f"{v:.4f}" for v in place]
        lines.append(between.join(cells))
    path.write_text("\n".join(lines))


def check(read: HumanMotion, motion: HumanMotion) -> None:
    """Limbs point where they did, to 6° on average; hips and hands turn as they did, to 12°."""
    assert (len(read), read.fps) == (len(motion), 50)
    for side in SIDES:
        for a, b in (("upper_arm", "forearm"), ("forearm", "hand"), ("thigh", "shin"), ("shin", "foot")):
            ways = [m.position(f"{side}_{b}") - m.position(f"{side}_{a}") for m in (read, motion)]
            cosine = np.sum(ways[0] * ways[1], axis=1) / np.prod([np.linalg.norm(w, axis=1) for w in ways], axis=0)
            assert np.degrees(np.arccos(np.clip(cosine, -1, 1))).mean() < 6.0, (side, a)
            length = np.linalg.norm(ways[0], axis=1)
            assert length.std() < 0.02 * length.mean()
    for part in ("hips", "left_foot"):
        assert np.degrees(rot.angle_between(read.rotation(part), motion.rotation(part))).mean() < 12.0, part


def test_a_c3d_comes_back(motion: HumanMotion, tmp_path: Path) -> None:
    """Markers on a walking person, by the laboratory's file."""
    path = tmp_path / "walk.c3d"
    for unit in (1000.0, 1.0):
        write_c3d(path, skin(motion), unit=unit)
        read = read_motion(path)
        check(read, motion)
        assert "Plug-in Gait" in read.notes[0]
        assert "up axis z" in read.notes[1]


@pytest.mark.parametrize("between", ["\t", ","])
def test_a_trc_comes_back(motion: HumanMotion, tmp_path: Path, between: str) -> None:
    """As text, y up; the number of frames in its heading is not believed."""
    path = tmp_path / "walk.trc"
    write_trc(path, skin(motion), between)
    check(read_motion(path), motion)


def test_hidden_markers_are_not_known(motion: HumanMotion, tmp_path: Path) -> None:
    """A marker that is hidden takes its joint with it, for those frames alone; where another one tells, it does."""
    markers = skin(motion)
    markers["LELB"] = markers["LELB"].copy()
    markers["LELB"][10:20] = np.nan
    markers["LWRB"] = np.full_like(markers["LWRB"], np.nan)
    path = tmp_path / "walk.trc"
    write_trc(path, markers)
    read = read_motion(path)
    elbow = read.position_valid[:, INDEX["left_forearm"]]
    assert not elbow[10:20].any()
    assert elbow[:10].all()
    assert read.position_valid[:, INDEX["left_hand"]].all()
    assert "hidden" in read.notes[-1]
    assert np.isfinite(read.positions).all()


def test_joint_centres_are_taken_as_they_are(motion: HumanMotion) -> None:
    """Programs that work without markers write joints by name."""
    names = {"LShoulder": "left_upper_arm", "RShoulder": "right_upper_arm", "LElbow": "left_forearm",
             "RElbow": "right_forearm", "LWrist": "left_hand", "RWrist": "right_hand", "LHip": "left_thigh",
             "RHip": "right_thigh", "Neck": "neck"}  # fmt: skip
    places = np.stack([motion.position(joint) for joint in names.values()], axis=1)
    read = motion_of(Markers(tuple(names), places), 50.0, "x")
    np.testing.assert_allclose(read.position("left_forearm"), motion.position("left_forearm"), atol=1e-9)
    assert find_set(["box1", "box2"]) is None


@pytest.mark.parametrize(
    "change, message",
    [
        (lambda text: re.sub("ASI|SHO|ELB|KNE|ANK", "X", text), "of no set that is known"),
        (lambda text: "nonsense", "does not begin"),
        (lambda text: "\n".join(text.splitlines()[:4]), "five lines"),
        (lambda text: "\n".join(text.splitlines()[:6]), "no frames"),
        (lambda text: text.replace("DataRate", "Rate"), "no TRC"),
        (lambda text: text.replace("\nmm", "\nmm").replace("\tmm", "\tfurlong"), "furlong"),
        (lambda text: text.replace("50\t50", "0\t50", 1), "0 frames per second"),
        (lambda text: text + "\n1\tx\t" + "abc\t" * 5, "no TRC"),
    ],
)  # fmt: skip
def test_broken_text_is_refused(motion: HumanMotion, tmp_path: Path, change: object, message: str) -> None:
    """Each with its reason, in one line."""
    path = tmp_path / "walk.trc"
    write_trc(path, skin(motion.frames(slice(0, 3))))
    path.write_text(change(path.read_text()))
    with pytest.raises(InputError, match=message) as error:
        read_motion(path)
    assert "\n" not in str(error.value)


@pytest.mark.parametrize("cut", [0, 3, 511, 512, 700, 1500])
def test_broken_c3d_is_refused(motion: HumanMotion, tmp_path: Path, cut: int) -> None:
    """A file that ends too early, or is none."""
    path = tmp_path / "walk.c3d"
    write_c3d(path, skin(motion.frames(slice(0, 3))))
    whole = path.read_bytes()
    for content in (whole[:cut], whole[:600] + bytes(200) + whole[800:] if cut > 600 else b"\0" * 2000):
        path.write_bytes(content)
        with pytest.raises(InputError):
            read_motion(path)


def test_wrong_words_are_refused(tmp_path: Path) -> None:
    """Axes and files that are not there."""
    with pytest.raises(UnknownNameError, match="x, y, z"):
        read_motion("trc:a.trc?up=w")
    with pytest.raises(InputError, match="no such file"):
        read_motion(tmp_path / "none.c3d")


@pytest.mark.parametrize("path", data("optical/*/*.c3d") + data("optical/*/*.trc"), ids=lambda path: path.name)
def test_real_recordings(path: Path) -> None:
    """An arm that lifts a box: bones keep their lengths to 2 %."""
    motion = read_motion(path)
    for a, b in (("upper_arm", "forearm"), ("forearm", "hand")):
        rows = [INDEX[f"right_{part}"] for part in (a, b)]
        known = motion.position_valid[:, rows].all(axis=1)
        bone = np.linalg.norm(motion.positions[known, rows[0]] - motion.positions[known, rows[1]], axis=1)
        assert 0.2 < bone.mean() < 0.35
        assert bone.std() < 0.02 * bone.mean()
    assert motion.rotation_valid[:, INDEX["hips"]].mean() > 0.9
    assert len(read_trc(path)[0].names) == 51 if path.suffix == ".trc" else True
