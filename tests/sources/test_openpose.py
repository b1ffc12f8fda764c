"""OpenPose's files: finished folders, folders that grow, depth, several cameras, and bad files."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.sources import open_source, read_motion
from bunraku.sources.fake import find_fake
from bunraku.sources.landmarks import ROW
from bunraku.sources.openpose_json import people_of
from bunraku.testing import check_source
from shared import data, need


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who walks on the spot and swings the arms."""
    return read_motion("synth:walk?seconds=1&fps=10")


def written(motion: HumanMotion, folder: Path, **options: str) -> Path:
    """Files of a motion."""
    device = find_fake("openpose").make(motion, "", 0, {"folder": str(folder), **options})
    device.open()
    for frame in range(len(motion)):
        device.send(frame)
    device.close()
    return folder


def apart(a: HumanMotion, b: HumanMotion) -> np.ndarray:
    """(T, J) m between joints that both know, NaN elsewhere; worlds moved onto each other."""
    both = a.position_valid & b.position_valid
    shift = (a.positions - b.positions)[both].mean(axis=0)
    return np.where(both, np.linalg.norm(a.positions - b.positions - shift, axis=-1), np.nan)


def test_calibrated_cameras_give_the_person_back(motion: HumanMotion, tmp_path: Path) -> None:
    """Three views: every joint to a millimetre but hips and neck, in the cameras' own world, and turns to degrees."""
    folder = written(motion, tmp_path, cameras="3")
    back = read_motion(f"openpose:{folder}?fps=10&cameras={folder / 'cameras.json'}")
    assert len(back) == len(motion) and back.fps == 10
    away = np.linalg.norm(back.positions - motion.positions, axis=-1)
    exact = back.position_valid & motion.position_valid
    assert exact.mean() > 0.9
    exact[:, [INDEX["hips"], INDEX["neck"]]] = False
    assert away[exact].max() < 2e-3
    for joint in ("head", "left_hand", "right_hand"):
        assert np.degrees(rot.angle_between(back.rotation(joint), motion.rotation(joint))).max() < 1


def test_depth_lifts_the_person(motion: HumanMotion, tmp_path: Path) -> None:
    """One camera with depth: a median joint to a centimetre, and what another limb hides is left out, not believed."""
    folder = written(motion, tmp_path, depth="")
    back = read_motion(f"openpose:{folder}?fps=10&depth={folder / 'depth'}")
    away = apart(back, motion)
    assert np.nanmedian(away) < 0.01
    assert np.nanpercentile(away, 95) < 0.08
    assert back.position_valid[:, INDEX["left_forearm"]].mean() > 0.6


def test_one_picture_is_a_plane(motion: HumanMotion, tmp_path: Path) -> None:
    """Without depth: heights and widths to centimetres, no depth, and a note that says so."""
    back = read_motion(f"openpose:{written(motion, tmp_path)}?fps=10&height=1.75")
    assert "plane" in back.notes[0]
    for joint in ("left_upper_arm", "right_thigh", "neck"):
        assert np.abs(back.position(joint)[:, 0]).max() < 1e-9
    height = back.position("neck")[:, 2] - (back.position("left_foot") + back.position("right_foot"))[:, 2] / 2
    meant = motion.position("neck")[:, 2] - (motion.position("left_foot") + motion.position("right_foot"))[:, 2] / 2
    np.testing.assert_allclose(height, meant, atol=0.15)
    assert not back.position_valid[:, INDEX["left_toe"]].any()
    taller = read_motion(f"openpose:{tmp_path}?height=1.9")
    ratio = np.ptp(taller.position("neck")[:, 2] - taller.position("hips")[:, 2] + 1) + 1
    assert ratio == pytest.approx(1, abs=0.1)
    trunk = [np.mean(m.position("neck")[:, 2] - m.position("hips")[:, 2]) for m in (taller, back)]
    assert trunk[0] / trunk[1] == pytest.approx(1.9 / 1.75, abs=0.01)


def test_coco_has_no_feet(motion: HumanMotion, tmp_path: Path) -> None:
    """COCO_18 is told by its number of points; ankles are there and toes are not."""
    folder = written(motion, tmp_path, model="COCO_18", cameras="2")
    back = read_motion(f"openpose:{folder}?cameras={folder / 'cameras.json'}")
    assert back.position_valid[:, INDEX["left_foot"]].all()
    assert not back.position_valid[:, INDEX["left_toe"]].any()


def test_the_real_signer() -> None:
    """OpenPose 1.3 of a signer, legs out of the picture: upper body, both hands seen, wrists before the trunk's width,
    the head above the neck."""
    folder = need(data("openpose/*"))[0]
    motion = read_motion(f"openpose:{folder}")
    assert len(motion) == 9
    known = {JOINTS[j] for j in np.flatnonzero(motion.position_valid.mean(axis=0) > 0.5)}
    assert {"neck", "head", "left_upper_arm", "right_forearm", "left_hand", "right_hand"} <= known
    assert not known & {"left_shin", "right_foot", "hips"}
    assert (motion.position("head")[:, 2] > motion.position("neck")[:, 2]).all()
    assert (motion.position("left_upper_arm")[:, 1] > motion.position("right_upper_arm")[:, 1]).all()
    shoulders = np.linalg.norm(motion.position("left_upper_arm") - motion.position("right_upper_arm"), axis=1)
    assert ((shoulders > 0.25) & (shoulders < 0.5)).all()


def test_one_person_is_kept(motion: HumanMotion, tmp_path: Path) -> None:
    """Somebody who appears beside the person, and whose order in the files changes, is left out and counted."""
    folder = written(motion, tmp_path)
    alone = read_motion(f"openpose:{folder}")
    for k, path in enumerate(sorted(folder.glob("*.json"))):
        frame = json.loads(path.read_bytes())
        other = json.loads(json.dumps(frame["people"][0]))
        points = np.array(other["pose_keypoints_2d"]).reshape(-1, 3)
        points[points[:, 2] > 0, 0] += 250
        other["pose_keypoints_2d"] = points.ravel().tolist()
        frame["people"] = [other, *frame["people"]] if k % 2 else [*frame["people"], other]
        path.write_text(json.dumps(frame))
    both = read_motion(f"openpose:{folder}")
    np.testing.assert_array_equal(alone.positions, both.positions)
    assert any("others" in note for note in both.notes)


def test_holes_in_the_numbers_are_frames_without_anybody(motion: HumanMotion, tmp_path: Path) -> None:
    """A file that is missing, cut off or empty keeps the others at their times."""
    folder = written(motion, tmp_path)
    files = sorted(folder.glob("*.json"))
    files[3].unlink()
    files[4].write_bytes(files[4].read_bytes()[:100])
    files[5].write_text('{"version": 1.3, "people": []}')
    back = read_motion(f"openpose:{folder}")
    assert len(back) == len(motion)
    assert list(np.flatnonzero(~back.position_valid.any(axis=1))) == [3, 4, 5]
    assert any("no JSON" in note for note in back.notes)


def test_a_folder_that_grows_is_followed(motion: HumanMotion, tmp_path: Path) -> None:
    """Each new file is one pose; a file of which half is written is waited for; what was there before is not shown."""
    device = find_fake("openpose").make(motion, "", 0, {"folder": str(tmp_path), "cameras": "2"})
    uri = device.open()
    device.send(0)
    source = open_source(uri)
    source.open(0)
    now = 0
    for frame in range(1, 5):
        now += 10_000_000
        source.receive(now)
        before = source.latest(now)
        device.send(frame)
        path = tmp_path / "cam01" / f"video_{frame:012d}_keypoints.json"
        whole = path.read_bytes()
        path.write_bytes(whole[:200])
        now += 10_000_000
        source.receive(now)
        assert source.latest(now) is before
        path.write_bytes(whole)
        now += 10_000_000
        source.receive(now)
        assert source.latest(now) is not before
    health = source.health(now)
    assert (health.accepted, health.connected, health.lost) == (4, True, 0)
    device.send(7)
    source.receive(now + 10_000_000)
    source.receive(now + 1_000_000_000)
    source.receive(now + 1_010_000_000)
    assert source.health(now).lost == 2
    source.close()


def test_a_frame_waits_for_its_depth(motion: HumanMotion, tmp_path: Path) -> None:
    """A depth picture that comes after its keypoints, and in two halves, is waited for, with a reason."""
    device = find_fake("openpose").make(motion, "", 0, {"folder": str(tmp_path), "depth": ""})
    source = open_source(device.open())
    source.open(0)
    for frame in range(3):
        device.send(frame)
    depth = tmp_path / "depth" / f"video_{2:012d}.png"
    whole = depth.read_bytes()
    depth.write_bytes(whole[:-50])
    source.receive(10_000_000)
    assert source.health(10_000_000).accepted == 2
    assert "no depth picture" in source.health(10_000_000).reason
    depth.write_bytes(whole)
    source.receive(20_000_000)
    assert (source.health(20_000_000).accepted, source.health(20_000_000).reason) == (3, "")
    source.close()


def test_live_and_played_keep_to_the_rules(motion: HumanMotion, tmp_path: Path) -> None:
    """`check_source` on a folder that grows while it looks, and on a finished one."""
    device = find_fake("openpose").make(motion, "", 0, {"folder": str(tmp_path)})
    uri = device.open()
    frames = iter(range(100))

    class Growing:
        def __init__(self) -> None:
            self._source = open_source(uri)

        def __getattr__(self, name: str) -> object:
            if name == "receive":
                device.send(next(frames, 0))
            return getattr(self._source, name)

    assert check_source(Growing, seconds=0.2) >= 5  # type: ignore[arg-type]
    assert check_source(lambda: open_source(f"openpose:{tmp_path}?fps=30"), seconds=0.5) >= 10


def test_bad_options_are_named(tmp_path: Path) -> None:
    """One line each, with what is valid."""
    (tmp_path / "x_000_keypoints.json").write_text('{"people": []}')
    for options, words in (
        ("fps=0.1", "fps"), ("height=9", "height"), ("up=w", "up axis"), ("tilt=400", "tilt"), ("fx=3", "fy, cx, cy"),
        ("depth=/nowhere", "no such folder"), ("cameras=/nowhere.toml", "cannot be read"),
        ("depth=.&cameras=x", "both"),
    ):  # fmt: skip
        with pytest.raises((InputError, UnknownNameError), match=words):
            read_motion(f"openpose:{tmp_path}?{options}")
    with pytest.raises(InputError, match="nobody is seen"):
        read_motion(f"openpose:{tmp_path}")
    with pytest.raises(InputError, match="no such folder"):
        read_motion("openpose:nowhere_at_all")
    with pytest.raises(UnknownNameError, match="live"):
        open_source(f"openpose:{tmp_path}?live=maybe")


def test_normalised_points_are_told() -> None:
    """Shares of the picture say nothing without its size; the file names the switch."""
    body = [0.5, 0.5, 0.9] * 25
    told = people_of(json.dumps({"people": [{"pose_keypoints_2d": body}]}).encode())
    assert isinstance(told, str) and "keypoint_scale 0" in told


def test_missing_points_are_not_known() -> None:
    """Three zeros, or little confidence."""
    body = np.tile([100.0, 200.0, 0.9], (25, 1))
    body[4], body[7, 2] = 0.0, 0.05
    people = people_of(json.dumps({"people": [{"pose_keypoints_2d": body.ravel().tolist()}]}).encode())
    assert not isinstance(people, str)
    assert not people[0].known[[ROW["right_wrist"], ROW["left_wrist"]]].any()
    assert people[0].known[ROW["left_elbow"]]


@given(st.binary(max_size=400))
def test_any_bytes_are_people_or_a_reason(junk: bytes) -> None:
    """Nothing raises."""
    assert isinstance(people_of(junk), str | list)


values = st.none() | st.floats() | st.integers() | st.text(max_size=3) | st.lists(st.floats(), max_size=4)
lists = st.lists(values, max_size=10) | st.lists(st.floats(), min_size=75, max_size=75) | values


keys = st.sampled_from(["pose_keypoints_2d", "hand_left_keypoints_2d", "hand_right_keypoints_2d"])


@given(st.lists(st.dictionaries(keys, lists) | values, max_size=3) | values)
def test_any_json_is_people_or_a_reason(people: object) -> None:
    """Nothing raises, and what is known is finite."""
    told = people_of(json.dumps({"people": people}).encode())
    if not isinstance(told, str):
        assert all(np.isfinite(one.points[one.known]).all() for one in told)
