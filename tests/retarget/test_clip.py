"""Whole recordings: what lies ahead is used against jumps, jitter and wrong branches."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from bunraku.human import HumanMotion
from bunraku.human.opening import opens_with_calibration
from bunraku.human.skeleton import INDEX, JOINT_COUNT
from bunraku.kinematics import rotations
from bunraku.retarget import clip, retarget
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion
from gestures import person


@pytest.fixture(scope="module")
def puppet() -> Robot:
    """Our own humanoid."""
    return load_robot("puppet")


def around_the_side(fps: float = 30.0, seconds: float = 3.0) -> HumanMotion:
    """A person whose arms, bent, point sideways and sway quickly around the one direction where shoulders lock."""
    time = np.arange(round(seconds * fps)) / fps
    local = np.tile(rotations.IDENTITY, (len(time), JOINT_COUNT, 1))
    sway = np.stack([0.12 * np.sin(9 * time), np.zeros(len(time)), 0.12 * np.cos(7 * time)], axis=1)
    for side, sign in (("left", 1.0), ("right", -1.0)):
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.exp(sway)
        local[:, INDEX[f"{side}_forearm"]] = rotations.exp([0.0, 0.0, -sign * 1.2])
    return person(local, fps)


def test_nothing_rushes_where_a_shoulder_locks(puppet: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """An arm that circles the locked direction by seven degrees needs no half turns, live or recorded."""
    motion = around_the_side()
    for passes in (0, clip.PASSES):
        monkeypatch.setattr(clip, "PASSES", passes)
        steps = np.abs(np.diff(retarget(motion, puppet).joints, axis=0))
        assert 0.01 < steps.max() < 0.1


def test_recordings_tremble_less_than_live(puppet: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a noisy suit's jitter the recorded result passes on less than the live one."""
    motion = around_the_side()
    noise = rotations.exp(np.random.default_rng(1).normal(0, 0.03, (*motion.rotations.shape[:2], 3)))
    known = np.zeros(motion.position_valid.shape, bool)
    noisy = replace(motion, rotations=rotations.multiply(noise, motion.rotations), position_valid=known)
    trembles = []
    for passes in (0, clip.PASSES):
        monkeypatch.setattr(clip, "PASSES", passes)
        trembles.append(np.abs(np.diff(retarget(noisy, puppet).joints, 2, axis=0)).mean())
    assert trembles[1] < 0.95 * trembles[0]


def test_smoothing_does_not_cost_likeness(puppet: Robot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Where nothing jumps the result is the same to a few milliradians, and not less like the person."""
    from bunraku.evaluate import evaluate

    motion = read_motion("synth:wave?seconds=3&fps=30")
    smooth = retarget(motion, puppet)
    monkeypatch.setattr(clip, "PASSES", 0)
    rough = retarget(motion, puppet)
    arms = [i for i, name in enumerate(puppet.joint_names) if "shoulder" in name or "elbow" in name]
    assert np.abs(smooth.joints - rough.joints)[:, arms].mean() < 0.02
    errors = [evaluate(motion, result, puppet)["limb_deg"] for result in (smooth, rough)]
    assert errors[0] < errors[1] + 0.1


def test_jitter_is_taken_out_of_what_the_motion_leaves_open(puppet: Robot) -> None:
    """With the forearms straight the arms' turn about themselves is anybody's: it does not tremble."""
    generator = np.random.default_rng(0)
    local = np.tile(rotations.IDENTITY, (90, JOINT_COUNT, 1))
    for side, sign in (("left", -1.0), ("right", 1.0)):
        local[:, INDEX[f"{side}_upper_arm"]] = rotations.exp([sign * 1.3, 0.0, 0.0])
        local[:, INDEX[f"{side}_forearm"]] = rotations.exp(generator.normal(0, 0.01, (90, 3)))
    yaw = [i for i, name in enumerate(puppet.joint_names) if "shoulder_yaw" in name]
    joints = retarget(person(local, 30.0), puppet).joints[:, yaw]
    assert np.abs(np.diff(joints, axis=0)).max() < 0.15


def test_a_wrong_branch_is_left_before_it_hurts(monkeypatch: pytest.MonkeyPatch) -> None:
    """An arm that forward ends in a corner of its range is taken over the branch found from behind."""
    wanted = np.r_[np.zeros(40), np.linspace(0.0, 1.0, 20), np.ones(40)]
    seen: list[int] = []

    class Stub:
        """A mapper of one limb with one joint, whose way from behind is right and whose way forward is not."""

        speed = np.array([10.0])

        def limb_columns(self, limb: int) -> np.ndarray:
            return np.array([0])

        def begin(self, hips: np.ndarray, qpos: np.ndarray, state: object) -> None:
            seen.append(1)

        def frames(self, state: object, dt_s: float, out: np.ndarray, costs: np.ndarray, arrays: object) -> int:
            out[:, 0] = wanted[::-1]
            return 0

        def limb_errors(self, state: object, arrays: object, qpos: np.ndarray) -> np.ndarray:
            return np.abs(qpos[:, :1] - wanted[: len(qpos), None])

    T = len(wanted)
    everything = clip.Clip(
        np.zeros((T, 1, 3)), np.zeros((T, 1, 4)), np.ones((T, 1), bool), np.ones((T, 1), bool),
        np.zeros((T, 4), bool), 30.0,
    )  # fmt: skip
    qpos = np.zeros((T, 1))
    clip._take_the_better_branch(Stub(), None, everything, qpos, 0, 0, T)  # type: ignore[arg-type]
    assert seen
    assert np.allclose(qpos[:, 0], wanted)


def test_a_lone_first_frame_does_not_start_the_motion(puppet: Robot) -> None:
    """A T-pose in front of a recording of rotations alone changes nothing, but for two frames, behind it."""
    recorded = read_motion("synth:wave?seconds=2&fps=30")
    unplaced = np.zeros(recorded.position_valid.shape, bool)
    motion = replace(recorded, position_valid=unplaced, jaw=None, eyes=None)
    rows = np.r_[0, np.arange(len(motion))]
    with_pose = replace(
        motion, positions=motion.positions[rows], position_valid=motion.position_valid[rows],
        rotations=np.concatenate([np.tile(rotations.IDENTITY, (1, JOINT_COUNT, 1)), motion.rotations]),
        rotation_valid=motion.rotation_valid[rows],
    )  # fmt: skip
    assert opens_with_calibration(with_pose)
    assert np.abs(retarget(with_pose, puppet).joints[1:] - retarget(motion, puppet).joints)[2:].max() < 0.025


def test_the_first_frame_decides_nothing_for_good(puppet: Robot) -> None:
    """The same recording cut to start a second later gives the same joints where both have settled."""
    motion = read_motion("synth:conduct?seconds=6&fps=30")
    later = replace(
        motion, positions=motion.positions[30:], rotations=motion.rotations[30:],
        position_valid=motion.position_valid[30:], rotation_valid=motion.rotation_valid[30:],
        jaw=None if motion.jaw is None else motion.jaw[30:], eyes=None if motion.eyes is None else motion.eyes[30:],
    )  # fmt: skip
    whole, cut = retarget(motion, puppet), retarget(later, puppet)
    arms = [i for i, name in enumerate(puppet.joint_names) if "shoulder" in name or "elbow" in name]
    assert np.abs(whole.joints[60:] - cut.joints[30:])[:, arms].max() < 0.1
