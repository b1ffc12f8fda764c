"""The closed forms of the first three papers on several robots: exact, within limits, without flips."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import HANGING, SIDES, arm_columns, directions, in_paper_axes, motion, pointing, pose
from bunraku.errors import RobotError
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, JOINTS
from bunraku.kinematics import rotations as rot
from bunraku.retarget import make_mapper
from bunraku.retarget.closed_form import FITTING, ClosedFormMapper
from bunraku.robots import Robot, load_robot
from bunraku.sources import read_motion

NAMES = ("girard", "hirschmanner", "gong")
ROBOTS = ("leonardo", "pepper", "inmoov", "puppet")


@cache
def robot(name: str) -> Robot:
    return load_robot(name)


@cache
def mapper(name: str, of: str) -> ClosedFormMapper:
    made = make_mapper(name, robot(of))
    assert isinstance(made, ClosedFormMapper)
    return made


def shares(count: int) -> st.SearchStrategy[list[float]]:
    return st.lists(st.floats(0.0, 1.0), min_size=count, max_size=count)


def unit(v: np.ndarray) -> np.ndarray:
    return v / np.linalg.norm(v, axis=-1, keepdims=True)


@pytest.mark.parametrize("of", ROBOTS)
@pytest.mark.parametrize("side", SIDES)
@settings(max_examples=60, deadline=None)
@given(shares(4))
def test_directions_come_back_wherever_the_ranges_allow(of: str, side: str, share: list[float]) -> None:
    """For any configuration of an arm within its ranges, the directions of its upper arm and forearm are met."""
    this, columns = robot(of), arm_columns(robot(of), side)
    joints = columns - this.first_joint
    qpos = this.neutral.copy()
    qpos[columns] = this.lower[joints] + np.array(share) * (this.upper - this.lower)[joints]
    upper, fore = directions(this, qpos, side)
    hirschmanner = mapper("hirschmanner", of)
    found = hirschmanner.solve(pointing(upper, fore, side), hirschmanner.start()).qpos
    np.testing.assert_allclose(directions(this, found, side), (upper, fore), atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(shares(5), st.sampled_from(SIDES))
def test_the_upper_arms_orientation_comes_back(share: list[float], side: str) -> None:
    """For any configuration of Leonardo's arm within its ranges, its joints are found from the person's segments."""
    leonardo = robot("leonardo")
    columns = np.append(arm_columns(leonardo, side), leonardo.joint_index(f"{side}_wrist_joint"))
    inside = 0.01 + 0.98 * np.array(share)
    qpos = leonardo.clamp(np.zeros(len(leonardo.neutral)))
    qpos[columns] = leonardo.lower[columns] + inside * (leonardo.upper - leonardo.lower)[columns]
    _, turns = leonardo.link_poses(qpos)
    parts = {"upper_arm": "upper_arm", "forearm": "forearm"}
    person = {"hips": rot.IDENTITY, "chest": rot.IDENTITY}
    for part, link in parts.items():
        world = rot.from_matrix(turns[leonardo.links.index(f"{side}_{link}_link")])
        person[f"{side}_{part}"] = rot.multiply(world, HANGING[side])
    twist = rot.from_axis_angle([0.0, 0.0, 1.0], qpos[columns[4]])
    world = rot.from_matrix(turns[leonardo.links.index(f"{side}_forearm_link")])
    person[f"{side}_forearm"] = rot.multiply(rot.multiply(world, twist), HANGING[side])
    girard = mapper("girard", "leonardo")
    found = girard.solve(pose(person), girard.start()).qpos
    _, again = leonardo.link_poses(found)
    link = leonardo.links.index(f"{side}_upper_arm_link")
    np.testing.assert_allclose(again[link], turns[link], atol=1e-6)
    np.testing.assert_allclose(found[columns[3:]], qpos[columns[3:]], atol=1e-6)


@pytest.mark.parametrize("zyx", [(3 * np.pi / 4, 0, 0), (np.pi / 2, np.pi / 4, np.pi / 6)])
def test_the_elbow_keeps_the_orientation_along_the_papers_trajectories(zyx: tuple[float, ...]) -> None:
    """Over 100 samples from rest at 60 Hz, Leonardo's upper arm is turned exactly as the person's."""
    leonardo, girard = robot("leonardo"), mapper("girard", "leonardo")
    ways = [in_paper_axes(np.array(zyx) * k / 100) for k in range(101)]
    poses = [
        pose({"hips": rot.IDENTITY, "chest": rot.IDENTITY,
              "left_upper_arm": rot.multiply(way, HANGING["left"]), "left_forearm": rot.multiply(way, HANGING["left"])})
        for way in ways
    ]  # fmt: skip
    qpos = girard.solve_clip(motion(poses)).qpos
    turns = leonardo.link_poses(qpos)[1][:, leonardo.links.index("left_upper_arm_link")]
    assert rot.angle_between(rot.from_matrix(turns), np.array(ways)).max() < 1e-6
    if zyx[1]:
        columns = [leonardo.joint_index(f"left_shoulder_{axis}_joint") for axis in "zxy"]
        np.testing.assert_allclose(qpos[-1, columns], [1.1832, 0.3614, 0.8571], atol=1e-4)


@pytest.mark.parametrize("of", ROBOTS)
@pytest.mark.parametrize("name", NAMES)
def test_limits_and_speeds_hold(name: str, of: str) -> None:
    """For a motion turned so that it asks for more than the robot can."""
    human = read_motion("synth:random?seconds=4&fps=30&seed=3")
    wild = replace(human, rotations=rot.multiply(rot.exp([0.9, -0.7, 0.8]), human.rotations), fps=240.0)
    this = robot(of)
    joints = mapper(name, of).solve_clip(wild).joints
    assert np.all(joints >= this.lower - 1e-9) and np.all(joints <= this.upper + 1e-9)
    assert np.all(np.abs(np.diff(joints, axis=0)) * 240 <= this.velocity + 1e-6)


@pytest.mark.parametrize("name", NAMES)
def test_frame_by_frame_is_the_same_as_the_clip(name: str) -> None:
    """One pose after the other with its state, or the recording at once."""
    human = read_motion("synth:conduct?seconds=2&fps=60")
    one = mapper(name, "leonardo")
    state = one.start()
    live = np.stack([one.solve(p, state, dt_s=1 / 60).qpos for p in human])
    np.testing.assert_allclose(live, one.solve_clip(human).qpos, atol=1e-12)


@pytest.mark.parametrize("of", ROBOTS)
@pytest.mark.parametrize("name", NAMES)
def test_no_joint_jumps_where_the_arm_is_straight_or_passes_a_pole(name: str, of: str) -> None:
    """An arm that sweeps through all directions, straightens and bends another way, with noise: speeds hold."""
    rng, frames = np.random.default_rng(4), 600
    t = np.linspace(0, 1, frames)
    upper = unit(np.stack([np.cos(5 * t), np.sin(5 * t) * np.cos(3 * t), np.sin(3 * t)], axis=1))
    side = unit(np.cross(upper, [0.3, 0.2, 1.0]))
    fore = unit(upper + np.sin(9 * t)[:, None] * 0.8 * side)
    noise = rng.normal(size=(frames, 2, 3)) * 1e-3
    poses = [pointing(unit(u + n[0]), unit(f + n[1])) for u, f, n in zip(upper, fore, noise, strict=True)]
    this, one = robot(of), mapper(name, of)
    state = one.start()
    found = np.stack([one.solve(p, state, dt_s=1 / 60).qpos for p in poses])
    assert np.isfinite(found).all()
    joints = found[:, this.first_joint :]
    assert np.all(np.abs(np.diff(joints, axis=0)) <= this.velocity / 60 + 1e-9)


@pytest.mark.parametrize("of", ["pepper", "leonardo", "inmoov"])
@settings(max_examples=60, deadline=None)
@given(shares(4), st.integers(0, 2**32 - 1))
def test_small_motions_make_small_motions(of: str, share: list[float], seed: int) -> None:
    """Away from places where an angle is not determined, joints move no more than in proportion."""
    this, columns = robot(of), arm_columns(robot(of))
    joints = columns - this.first_joint
    qpos = this.neutral.copy()
    qpos[columns] = this.lower[joints] + (0.1 + 0.8 * np.array(share)) * (this.upper - this.lower)[joints]
    upper, fore = directions(this, qpos)
    one = mapper("hirschmanner", of)
    state, step = one.start(), 1e-4
    before = one.solve(pointing(upper, fore), state).qpos
    shift = np.random.default_rng(seed).normal(size=(2, 3)) * step
    after = one.solve(pointing(unit(upper + shift[0]), unit(fore + shift[1])), state).qpos
    assert np.abs(after - before).max() < 400 * step


def test_a_straight_arm_keeps_its_turn() -> None:
    """With upper arm and forearm in one line nothing says how the arm is turned: it stays, and that is counted."""
    one, leonardo = mapper("hirschmanner", "leonardo"), robot("leonardo")
    state = one.start()
    down, forward = np.array([0.1, 0.2, -1.0]), np.array([1.0, 0.4, 0.0])
    bent = one.solve(pointing(unit(down), unit(forward)), state).qpos
    straight = one.solve(pointing(unit(down), unit(down)), state).qpos
    turn = leonardo.joint_index("left_shoulder_y_joint")
    assert straight[turn] == bent[turn]
    assert state.held["left_arm_undetermined"] == 1


def test_an_elbow_locked_beyond_straight_does_not_turn_the_arm_over() -> None:
    """Places alone, bent one degree the wrong way: the plane of the arm is kept, not turned by half."""
    one, leonardo = mapper("girard", "leonardo"), robot("leonardo")
    state, down = one.start(), np.array([0.0, 0.0, -1.0])
    columns = arm_columns(leonardo)
    last = one.solve(pointing(down, [np.sin(0.6), 0.0, -np.cos(0.6)]), state).qpos
    for bend in np.linspace(0.6, -0.02, 60):
        qpos = one.solve(pointing(down, [np.sin(bend), 0.0, -np.cos(bend)]), state).qpos
        assert np.abs(qpos - last)[columns].max() < 0.03
        last = qpos


@pytest.mark.parametrize("name", NAMES)
def test_a_hand_behind_the_back_is_held_within_the_ranges(name: str) -> None:
    """Upper arm back and down, forearm across the back: clamped, finite, and steady when the pose is."""
    one, this = mapper(name, "pepper"), robot("pepper")
    state = one.start()
    poses = [pointing(unit(np.array([-0.4, 0.3, -0.9])), unit(np.array([-0.3, -0.95, 0.1]))) for _ in range(200)]
    found = np.stack([one.solve(p, state, dt_s=1 / 60).qpos for p in poses])
    assert np.all((found >= this.lower - 1e-9) & (found <= this.upper + 1e-9))
    assert np.abs(found[-1] - found[-50]).max() < 1e-6


@pytest.mark.parametrize("of", ROBOTS)
@pytest.mark.parametrize("name", NAMES)
def test_what_is_missing_is_held_and_counted(name: str, of: str) -> None:
    """A pose that knows nothing leaves every joint where it was."""
    human = read_motion("synth:wave?seconds=1&fps=60")
    one = mapper(name, of)
    state = one.start()
    last = [one.solve(p, state, dt_s=1 / 60).qpos for p in human][-1]
    gone = one.solve(HumanPose.empty(), state, dt_s=1 / 60).qpos
    np.testing.assert_array_equal(gone, last)
    assert state.held["left_arm_missing"] == state.held["right_arm_missing"] == state.held["neck_missing"] == 1


@pytest.mark.parametrize("name", NAMES)
@settings(max_examples=40, deadline=None)
@given(st.integers(0, 2**32 - 1))
def test_numbers_that_are_none_do_no_harm(name: str, seed: int) -> None:
    """NaN, infinities and zeros in what claims to be known: the robot stays finite, within its limits, and recovers."""
    rng, one, this = np.random.default_rng(seed), mapper(name, "leonardo"), robot("leonardo")
    human = read_motion("synth:wave?seconds=1&fps=10")
    state = one.start()
    for number, good in enumerate(human):
        positions, rotations = good.positions.copy(), good.rotations.copy()
        spoiled = rng.integers(0, len(JOINTS), 12)
        positions[spoiled] = rng.choice([np.nan, np.inf, -np.inf, 0.0, 1e300], (12, 3))
        rotations[spoiled] = rng.choice([np.nan, np.inf, 0.0, 1e200], (12, 4))
        bad = replace(good, positions=positions, rotations=rotations) if number % 2 else good
        qpos = one.solve(bad, state, dt_s=0.1).qpos
        assert np.isfinite(qpos).all() and np.all((qpos >= this.lower - 1e-9) & (qpos <= this.upper + 1e-9))


def test_the_palm_is_met_where_the_wrist_can() -> None:
    """Pepper turns its palm as the person's: of the normal nothing is left that a turn of the wrist could mend."""
    human = read_motion("synth:conduct?seconds=3&fps=30")
    pepper, one = robot("pepper"), mapper("hirschmanner", "pepper")
    qpos = one.solve_clip(human).qpos
    wrist = pepper.joint_index("LWristYaw")
    inside = np.abs(qpos[:, wrist]) < 1.8
    assert inside.mean() > 0.5
    _, turns = pepper.link_poses(qpos[inside])
    hand = turns[:, pepper.links.index("L_wrist")]
    chest = human.rotation("chest")[inside]
    palm = rot.rotate(rot.inverse(chest), rot.rotate(human.rotation("left_hand")[inside], [0.0, 0.0, -1.0]))
    # The wrist turns about its own x; the palm looks along its -z.
    assert np.abs(np.sum(palm * hand[..., 1], axis=1)).max() < 1e-6
    assert np.all(np.sum(palm * -hand[..., 2], axis=1) > 0)


def test_the_head_looks_where_the_person_does() -> None:
    """Yaw and pitch of a neck with two joints are those of the person's gaze; beyond the range they stop."""
    one, leonardo = mapper("girard", "leonardo"), robot("leonardo")
    for yaw, pitch in ((0.4, 0.2), (-0.7, -0.3), (2.0, 0.0)):
        head = rot.from_euler("ZYX", [yaw, pitch, 0.3])
        qpos = one.solve(pose({"hips": rot.IDENTITY, "chest": rot.IDENTITY, "head": head}), one.start()).qpos
        found = [qpos[leonardo.joint_index(f"neck_{n}_joint")] for n in ("yaw", "pitch")]
        np.testing.assert_allclose(found, [np.clip(yaw, -1.3963, 1.3963), pitch], atol=1e-4)


def test_the_trunk_turns_and_the_arms_are_seen_from_it() -> None:
    """When the chest turns with the arms, Leonardo's waist takes the turn and its shoulders stay as they were."""
    one, leonardo = mapper("girard", "leonardo"), robot("leonardo")
    arm = rot.multiply(rot.from_euler("XYZ", [0.4, -0.6, 0.2]), HANGING["left"])
    still = {"hips": rot.IDENTITY, "chest": rot.IDENTITY, "left_upper_arm": arm, "left_forearm": arm}
    yaw = rot.from_axis_angle([0.0, 0, 1], 0.5)
    turned = {name: q if name == "hips" else rot.multiply(yaw, q) for name, q in still.items()}
    a, b = (one.solve(pose(p), one.start()).qpos for p in (still, turned))
    columns = arm_columns(leonardo)
    np.testing.assert_allclose(a[columns], b[columns], atol=1e-9)
    assert b[leonardo.joint_index("waist_yaw_joint")] == pytest.approx(0.5)


def test_robots_that_fit_are_named_when_one_does_not() -> None:
    """One line, with the reason and the robots that fit; all of those that ship do fit."""
    for name in NAMES:
        with pytest.raises(RobotError, match=r"lamp: there is no left arm.*leonardo.*romeo"):
            make_mapper(name, robot("lamp"))
    for of in set(FITTING) - {"romeo"}:
        mapper("girard", of)


def test_both_sides_are_mirror_images() -> None:
    """A pose and its mirror image make mirrored joints."""
    from bunraku.human import mirrored

    human = read_motion("synth:conduct?seconds=2&fps=30")
    leonardo = robot("leonardo")
    for name in NAMES:
        a, b = (mapper(name, "leonardo").solve_clip(m).qpos for m in (human, mirrored(human)))
        for joint, sign in (("shoulder_z", -1), ("shoulder_x", 1), ("shoulder_y", -1), ("elbow", 1), ("wrist", -1)):
            left, right = (leonardo.joint_index(f"{s}_{joint}_joint") for s in SIDES)
            np.testing.assert_allclose(a[:, left], sign * b[:, right], atol=1e-6)


def test_positions_or_rotations_say_the_same() -> None:
    """Of a person whose bones lie along their segments, the directions are the same whichever is known."""
    human = read_motion("synth:conduct?seconds=1&fps=30")
    arms = [INDEX[f"{s}_{n}"] for s in SIDES for n in ("upper_arm", "forearm", "hand")]
    valid = human.position_valid.copy()
    valid[:, arms] = False
    blind = replace(human, position_valid=valid)
    a, b = (mapper("hirschmanner", "leonardo").solve_clip(m).qpos for m in (human, blind))
    np.testing.assert_allclose(a, b, atol=1e-6)
