"""Generated human motion."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import ADULT, Body, HumanMotion, measure, pose_body
from bunraku.human.body import local_from_world
from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT, JOINTS, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth import MOST_FRAMES, MOTIONS, SOURCE, synthesize

NAMES = sorted(MOTIONS)
STILL = ("t-pose", "arms-down", "arms-forward")
"""poses, held"""
STANDING = [name for name in NAMES if name not in ("walk", "box")]
X, Y, Z = np.eye(3)
seeds = st.integers(0, 2**63 - 1)


@cache
def _motion(name: str) -> HumanMotion:
    return synthesize(name)


def _local(motion: HumanMotion) -> np.ndarray:
    return local_from_world(motion.rotations)


def _heel(motion: HumanMotion, side: str, body: Body = ADULT) -> np.ndarray:
    return motion.position(f"{side}_foot") + rot.rotate(motion.rotation(f"{side}_foot"), body.heel)


def _assert_within_anatomy(motion: HumanMotion) -> None:
    """Hinges bend one way about one axis, and every other joint stays within a healthy adult's range."""
    local = _local(motion)

    def euler(joint: str, order: str) -> np.ndarray:
        return np.degrees(rot.to_euler(order, local[:, INDEX[joint]]))

    def inside(values: np.ndarray, low: float, high: float, what: str) -> None:
        assert low <= values.min(), f"{what} {values.min():.1f} < {low}"
        assert values.max() <= high, f"{what} {values.max():.1f} > {high}"

    for joint, limits in {
        "spine": (35, 35, 25),
        "chest": (35, 40, 25),
        "neck": (45, 40, 25),
        "head": (45, 40, 25),
    }.items():
        for k, limit in enumerate(limits):
            inside(euler(joint, "ZYX")[:, k], -limit, limit, f"{joint} {k}")
    for side, out in (("left", 1.0), ("right", -1.0)):
        knee = euler(f"{side}_shin", "YXZ")
        inside(knee[:, 0], 0, 140, "knee")
        assert np.abs(knee[:, 1:]).max() < 1e-6
        hip = euler(f"{side}_thigh", "YXZ") * [1, out, out]
        inside(hip[:, 0], -125, 25, "hip flexion")
        inside(hip[:, 1], -20, 50, "hip abduction")
        inside(hip[:, 2], -45, 45, "hip turn")
        ankle = euler(f"{side}_foot", "YXZ")
        inside(ankle[:, 0], -45, 50, "ankle")
        inside(ankle[:, 1], -25, 25, "ankle roll")
        inside(ankle[:, 2], -30, 30, "ankle turn")
        toe = euler(f"{side}_toe", "YXZ")
        inside(toe[:, 0], -60, 30, "toe")
        elbow = local[:, INDEX[f"{side}_forearm"]]
        flexed, turned = rot.swing_twist(elbow, Y)
        inside(np.degrees(rot.twist_angle(flexed, -out * Z)), 0, 145, "elbow")
        assert np.abs(rot.log(flexed)[:, :2]).max() < 1e-6
        inside(np.degrees(rot.twist_angle(turned, -Y)), -12, 170, "forearm turn")
        wrist = euler(f"{side}_hand", "XZY") * [out, out, 1]
        inside(wrist[:, 0], -70, 70, "wrist flexion")
        inside(wrist[:, 1], -30, 40, "wrist deviation")
        assert np.abs(wrist[:, 2]).max() < 1e-6
        arm = local[:, INDEX[f"{side}_upper_arm"]]
        inside(np.degrees(rot.twist_angle(arm, Y)), -95, 60, "shoulder turn")
        inside(rot.rotate(arm, out * Y)[:, 0], -0.8, 1.0, "upper arm backwards")
        inside(rot.rotate(arm, out * Y)[:, 1] * out, -0.75, 1.0, "upper arm across")
        inside(np.linalg.norm(rot.log(local[:, INDEX[f"{side}_clavicle"]]), axis=-1), 0, 0.8, "clavicle")
        for finger in FINGERS[1:]:
            for part, most in (("2", 110), ("3", 80)):
                bend = euler(f"{side}_{finger}_{part}", "XYZ") * [-out, 1, 1]
                inside(bend[:, 0], -1, most, f"{finger} {part}")
                assert np.abs(bend[:, 1:]).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_everything_is_known_and_consistent(name: str) -> None:
    """All 61 joints in all frames, quaternions continuous, positions exactly the body's forward kinematics."""
    motion = _motion(name)
    assert motion.position_valid.all()
    assert motion.rotation_valid.all()
    np.testing.assert_allclose(np.linalg.norm(motion.rotations, axis=-1), 1)
    assert np.all(np.sum(motion.rotations[1:] * motion.rotations[:-1], axis=-1) > 0.9)
    np.testing.assert_allclose(motion.positions, pose_body(ADULT, motion.positions[:, 0], motion.rotations), atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_joints_stay_within_anatomical_ranges(name: str) -> None:
    """For every performance in full."""
    _assert_within_anatomy(_motion(name))


@given(seeds)
@settings(max_examples=25, deadline=None)
def test_random_movement_stays_within_anatomical_ranges_for_every_seed(seed: int) -> None:
    """And on its feet, and at speeds that joints reach."""
    motion = synthesize("random", seconds=12, fps=30, seed=seed)
    _assert_within_anatomy(motion)
    for side in SIDES:
        assert np.ptp(motion.position(f"{side}_toe"), axis=0).max() < 1e-9
    turned = rot.angle_between(_local(motion)[1:], _local(motion)[:-1]) * motion.fps
    assert turned.max() < 10


@pytest.mark.parametrize("name", NAMES)
def test_joints_turn_slower_than_ten_radians_a_second(name: str) -> None:
    """Relative to their parents; the papers' recordings are gentle: below three."""
    local = _local(_motion(name))
    fastest = rot.angle_between(local[1:], local[:-1]).max() * 60
    assert fastest < (3 if name in ("p2-recording", "figure-eight") else 10)
    assert (fastest > 0.5) == (name not in STILL)


@pytest.mark.parametrize("name", NAMES)
def test_nothing_jumps(name: str) -> None:
    """Sampled four times as fine, the largest acceleration and its largest change per time stay the same: it is C2."""
    accelerations, jerks = [], []
    for fps in (120.0, 480.0):
        path = synthesize(name, seconds=min(8.0, _motion(name).duration_s), fps=fps).positions
        accelerations.append(np.abs(np.diff(path, 2, axis=0)).max() * fps**2)
        jerks.append(np.abs(np.diff(path, 3, axis=0)).max() * fps**3)
    assert accelerations[1] < 1.1 * accelerations[0] + 0.1
    assert jerks[1] < 1.6 * jerks[0] + 10


@pytest.mark.parametrize("name", [name for name in NAMES if name != "random"])
def test_a_repeated_performance_has_no_seam(name: str) -> None:
    """Run twice through, the second time shows what the first did, and the step across the seam is an ordinary one."""
    once = synthesize(name, fps=50)
    period = len(once) - 1
    twice = synthesize(name, fps=50, seconds=2 * once.duration_s)
    np.testing.assert_allclose(twice.positions[period:], once.positions, atol=1e-9)
    steps = np.linalg.norm(np.diff(twice.positions, axis=0), axis=-1).max(axis=1)
    assert (
        steps[period - 2 : period + 2].max() < 1.5 * max(steps[:8].max(), steps[period - 9 : period - 2].max()) + 1e-6
    )


@pytest.mark.parametrize("name", NAMES)
def test_nothing_is_below_the_floor(name: str) -> None:
    """Toe joints keep their 2 cm, ankles their 8 cm, heels reach z = 0 and not deeper, nor does anything else."""
    motion = _motion(name)
    z = motion.positions[..., 2]
    assert z.min() > 0.02 - 1e-9
    for side in SIDES:
        assert z[:, INDEX[f"{side}_foot"]].min() > 0.08 - 1e-9
        assert -1e-9 < _heel(motion, side)[:, 2].min() < (0.05 if name == "box" else 1e-6)


@pytest.mark.parametrize("name", STANDING)
def test_planted_feet_do_not_move(name: str) -> None:
    """Ankles, toes and the feet's turns are constant."""
    motion = _motion(name)
    for side in SIDES:
        for joint in ("foot", "toe"):
            assert np.ptp(motion.position(f"{side}_{joint}"), axis=0).max() < 1e-9
        assert rot.angle_between(motion.rotation(f"{side}_foot"), motion.rotation(f"{side}_foot")[0]).max() < 1e-7


def test_a_boxer_turns_on_the_balls_of_the_feet() -> None:
    """The toe joints do not move; the front sole stays flat; the rear heel rises with the cross."""
    box = _motion("box")
    for side in SIDES:
        assert np.ptp(box.position(f"{side}_toe"), axis=0).max() < 1e-9
    assert np.abs(_heel(box, "left")[:, 2]).max() < 1e-9
    rear = _heel(box, "right")[:, 2]
    assert rear.max() > rear[0] + 0.03


def test_the_t_pose_is_the_canonical_pose() -> None:
    """Identity rotations, arms level, and it does not move."""
    pose = _motion("t-pose")
    np.testing.assert_array_equal(pose.rotations, np.tile(rot.IDENTITY, (len(pose), JOINT_COUNT, 1)))
    np.testing.assert_array_equal(pose.positions, np.tile(ADULT.joints, (len(pose), 1, 1)))


def test_hands_and_faces_live() -> None:
    """Hands open and close, jaws open, eyes move; all within their ranges."""
    for name in ("wave", "conduct", "reach", "random"):
        local = _local(_motion(name))
        bend = np.concatenate([rot.log(local[:, INDEX[f"{side}_middle_2"]])[:, 0] for side in SIDES])
        assert np.ptp(bend) > 0.3, name
    assert np.degrees(np.abs(rot.log(_local(_motion("box"))[:, INDEX["left_middle_2"]])[:, 0])).min() > 60
    for name in ("wave", "conduct", "box", "random"):
        assert _motion(name).jaw.max() > 0.3
    for name in NAMES:
        motion = _motion(name)
        assert motion.jaw.min() >= 0
        assert motion.jaw.max() <= 1
        assert motion.eyes.shape == (len(motion), 2)
        assert np.abs(motion.eyes).max() < 0.7
        assert (np.ptp(motion.eyes) > 0.02) == (name not in STILL)


@pytest.mark.parametrize("name", NAMES)
def test_the_whole_body_takes_part(name: str) -> None:
    """Hips, chest and head all move in every performance, so that nobody looks nailed down."""
    motion = _motion(name)
    for joint in ("hips", "chest", "head"):
        assert (np.ptp(motion.position(joint), axis=0).max() > 0.003) == (name not in STILL)


@pytest.mark.parametrize("name", NAMES)
def test_everyone_begins_near_the_origin_facing_x(name: str) -> None:
    """The hips within 10 cm of the origin, the face towards x."""
    motion = _motion(name)
    assert np.linalg.norm(motion.positions[0, 0, :2]) < 0.1
    assert abs(rot.yaw(motion.rotation("head")[0])) < (0.7 if name == "random" else 0.35)


@pytest.mark.parametrize("name", NAMES)
def test_it_is_the_same_at_every_call_and_in_every_part(name: str) -> None:
    """Equal arguments give equal arrays, and a shorter motion is the beginning of a longer one."""
    again = synthesize(name)
    np.testing.assert_array_equal(again.positions, _motion(name).positions)
    np.testing.assert_array_equal(again.rotations, _motion(name).rotations)
    if name != "random":
        np.testing.assert_allclose(synthesize(name, seconds=1.5).positions, again.positions[:91], atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_the_seed_has_an_effect(name: str) -> None:
    """On the small movements of every performance but the pose, and on all of random."""
    other = synthesize(name, seed=1)
    most = np.abs(other.positions - _motion(name).positions).max()
    assert (most > (0.1 if name == "random" else 0.001)) == (name not in STILL)


@given(st.sampled_from(NAMES), st.floats(0, 4), st.floats(1, 130))
@settings(max_examples=40, deadline=None)
def test_length_and_rate_are_as_asked(name: str, seconds: float, fps: float) -> None:
    """From zero up to `seconds`, a frame every 1 / fps; a frame's content depends on its time alone."""
    motion = synthesize(name, seconds=seconds, fps=fps)
    assert motion.fps == fps
    assert motion.duration_s <= seconds + 1e-6
    assert seconds - motion.duration_s < 1 / fps + 1e-6
    double = synthesize(name, seconds=seconds, fps=2 * fps)
    shared = min(len(motion), (len(double) + 1) // 2)
    np.testing.assert_allclose(double.positions[: 2 * shared : 2], motion.positions[:shared], atol=1e-9)


def test_long_motions_are_made_in_parts_without_seams() -> None:
    """Beyond the number of frames that are worked out at once, nothing changes."""
    long = synthesize("wave", seconds=100)
    steps = np.linalg.norm(np.diff(long.positions, axis=0), axis=-1).max(axis=1)
    assert steps[4090:4100].max() < 0.1
    np.testing.assert_allclose(long.positions[5640:5700], long.positions[:60], atol=1e-9)  # 94 s: ten times through


@given(st.floats(0.7, 2.2), st.sampled_from(NAMES))
@settings(max_examples=15, deadline=None)
def test_people_of_other_sizes_do_the_same(height: float, name: str) -> None:
    """A scaled body gives the scaled motion: same turns, positions in proportion."""
    adult, other = synthesize(name, seconds=2, fps=20), synthesize(name, seconds=2, fps=20, body=Body.scaled(height))
    np.testing.assert_allclose(other.positions, adult.positions * height / 1.75, atol=1e-9)
    assert rot.angle_between(other.rotations, adult.rotations).max() < 1e-6


@pytest.mark.parametrize("name", NAMES)
def test_people_of_other_proportions_stand_on_their_feet(name: str) -> None:
    """Long legs, short arms, big feet: bones keep their lengths, feet stay on the ground, knees bend one way."""
    bones = np.array(ADULT.bones)
    legs = [INDEX[f"{side}_{joint}"] for side in SIDES for joint in ("shin", "foot")]
    bones[legs] *= [[1.2], [1.1], [1.2], [1.1]]
    bones[[INDEX[f"{side}_{joint}"] for side in SIDES for joint in ("forearm", "hand", "toe")]] *= 0.8
    bones[0, 2] = 0.05 + 0.43 * 1.2 + 0.42 * 1.1 + 0.8 * ADULT.ankle_height
    body = Body(bones)
    motion = synthesize(name, fps=30, body=body)
    np.testing.assert_allclose(measure(motion).body.lengths, body.lengths, rtol=1e-6)
    for side in SIDES:
        assert motion.position(f"{side}_toe")[:, 2].min() > body.toe_height - 1e-6
        assert _heel(motion, side, body)[:, 2].min() > -1e-6
        knee = rot.to_euler("YXZ", _local(motion)[:, INDEX[f"{side}_shin"]])
        assert knee[:, 0].min() >= -1e-9
    _assert_within_anatomy(motion)


def test_every_motion_is_described() -> None:
    """Twelve names, one line each."""
    assert set(MOTIONS) == {"wave", "reach", "figure-eight", "p2-recording", "t-pose", "arms-forward",
                            "arms-down", "walk", "box", "conduct",
                            "squat", "random"}  # fmt: skip
    assert all(line and "\n" not in line for line in MOTIONS.values())


def test_an_unknown_name_is_refused_with_the_valid_ones() -> None:
    """A misspelling gets the nearest name and all others."""
    with pytest.raises(UnknownNameError, match="unknown motion 'wavee'\\. Did you mean 'wave'"):
        synthesize("wavee")


@pytest.mark.parametrize(
    "arguments, message",
    [
        ({"seconds": -1.0}, "no motion"),
        ({"seconds": np.nan}, "no motion"),
        ({"seconds": np.inf}, "no motion"),
        ({"fps": 0.0}, "no motion"),
        ({"fps": np.inf}, "no motion"),
        ({"seconds": 1e9}, f"more than {MOST_FRAMES} frames"),
        ({"fps": 1e300}, f"more than {MOST_FRAMES} frames"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**70}, "seed"),
    ],
)
def test_impossible_arguments_are_refused(arguments: dict[str, float], message: str) -> None:
    """At once, in one line, before memory is taken."""
    with pytest.raises(InputError, match=message) as error:
        synthesize("walk", **arguments)  # type: ignore[arg-type]
    assert len(str(error.value)) < 200


def test_the_source_reads_its_options() -> None:
    """`synth:walk?seconds=2&fps=30&seed=3&height=1.4` is what the function gives."""
    read = SOURCE.read("walk", {"seconds": "2", "fps": "30", "seed": "3", "height": "1.4"})
    made = synthesize("walk", seconds=2, fps=30, seed=3, body=Body.scaled(1.4))
    np.testing.assert_array_equal(read.positions, made.positions)
    assert len(SOURCE.read("t-pose", {})) == 181
    assert set(SOURCE.options) == {"seconds", "fps", "seed", "height"}


@pytest.mark.parametrize(
    "options", [{"height": "40"}, {"height": "nan"}, {"seed": "0.5"}, {"seconds": "long"}, {"fps": "0"}]
)
def test_the_source_refuses_bad_options(options: dict[str, str]) -> None:
    """With a typed error that names the option's value or its range."""
    with pytest.raises(InputError):
        SOURCE.read("walk", options)


def test_all_joints_carry_names_in_the_order_of_the_skeleton() -> None:
    """The last axis but one is the skeleton's."""
    assert _motion("wave").positions.shape[1] == len(JOINTS)
