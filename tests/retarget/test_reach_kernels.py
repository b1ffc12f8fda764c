"""Where hands are wanted: one map of the space around the shoulders for both."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.human import HumanPose
from bunraku.human.body import ADULT, pose_body
from bunraku.human.contacts import FEET
from bunraku.human.skeleton import INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations
from bunraku.retarget import MODES, WholeBodyMapper
from bunraku.retarget.correspondence import Weights
from bunraku.retarget.reach import ArmBuild, RobotArm, make_reach
from bunraku.retarget.reach_kernels import yield_to_ground
from bunraku.robots import load_robot

HALF = ArmBuild().half_width
ARM = make_reach((), 0, np.zeros(0, np.int32), MODES["hands"], ArmBuild()).person_arm
NOWHERE = np.zeros(3)


@pytest.fixture(scope="module")
def mapper() -> WholeBodyMapper:
    """Of a robot with shoulders of other proportions than the person's: those set by `wanted`."""
    return WholeBodyMapper(load_robot("puppet"), mode="hands")


def pose(hands: dict[str, np.ndarray]) -> HumanPose:
    """A person in the T whose hands' middles are moved to places seen from the middle of the shoulders."""
    turns = np.tile(rotations.IDENTITY, (JOINT_COUNT, 1))
    positions = pose_body(ADULT, ADULT.bones[0], turns)
    middle = positions[[INDEX["left_upper_arm"], INDEX["right_upper_arm"]]].mean(axis=0)
    for side, at in hands.items():
        knuckle = positions[INDEX[f"{side}_middle_1"]] - positions[INDEX[f"{side}_hand"]]
        positions[INDEX[f"{side}_hand"]] = middle + at - knuckle
    known = np.ones(JOINT_COUNT, bool)
    return HumanPose(positions=positions, rotations=turns, position_valid=known, rotation_valid=known.copy())


def wanted(mapper: WholeBodyMapper, person: HumanPose, arm_m: float, half_m: float) -> np.ndarray:
    """(2, 4) for a robot with such arms: the way to each hand, and its weight."""
    arms = tuple(RobotArm(side, (0, NOWHERE, 0, NOWHERE), arm_m, half_m) for side in range(len(SIDES)))
    directions = len(mapper.pairs.directions) + len(mapper.pairs.orientations)
    of_task = np.full(directions, -1, np.int32)
    of_task[0] = 0
    reach = make_reach(arms, directions, of_task, mapper.weights, ArmBuild())
    mapper._human = mapper._human._replace(reach=reach)
    state = mapper.start()
    mapper.fill_targets(person, state)
    tasks = slice(directions, directions + len(SIDES))
    return np.column_stack([state.targets.value[tasks, 0], state.targets.weight[tasks, 0]])


def test_the_t_is_the_t(mapper: WholeBodyMapper) -> None:
    """Arms stretched to the sides: shoulders and arms of the robot, each in full."""
    out = wanted(mapper, pose({}), 0.5, 0.1)
    assert np.allclose(out[:, 1], [0.1 + 0.995 * 0.5, -0.1 - 0.995 * 0.5], atol=2e-3)
    assert np.abs(out[:, 2]).max() < 0.02
    assert np.all(out[:, 3] == MODES["hands"].reach)


@pytest.mark.parametrize("side", SIDES)
def test_a_hand_on_the_other_shoulder_is_on_the_robots(mapper: WholeBodyMapper, side: str) -> None:
    """Shoulders go to shoulders, also for the hand that crosses over."""
    other = np.array([0.0, -HALF if side == "left" else HALF, 0.0])
    out = wanted(mapper, pose({side: other}), 0.5, 0.2)
    assert out[SIDES.index(side), :3] == pytest.approx([0.0, 0.2 * np.sign(other[1]), 0.0], abs=1e-6)


@settings(deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    x=st.floats(0.05, 0.3), y=st.floats(-0.1, 0.1), z=st.floats(-0.3, 0.1),
    arm=st.floats(0.3, 1.0), half=st.floats(0.05, 0.2),
)  # fmt: skip
def test_hands_that_meet_are_wanted_at_one_place(
    mapper: WholeBodyMapper, x: float, y: float, z: float, arm: float, half: float
) -> None:
    """Wherever they meet within the robot's reach, and whatever its build."""
    at = np.array([x, y, z])
    out = wanted(mapper, pose({"left": at, "right": at}), arm, half)
    scaled = arm / ARM * np.array([x, 0.0, z])
    across = y / HALF * half if abs(y) < HALF else np.sign(y) * (half + (abs(y) - HALF) * arm / ARM)
    reachable = [np.linalg.norm(scaled + [0, across - shoulder, 0]) < 0.99 * arm for shoulder in (half, -half)]
    if all(reachable):
        assert out[0, :3] == pytest.approx(out[1, :3], abs=1e-9)
        assert out[0, :3] == pytest.approx(scaled + [0, across, 0], abs=1e-6)
    else:
        assert np.isfinite(out).all()


def test_no_hand_is_wanted_beyond_its_arm(mapper: WholeBodyMapper) -> None:
    """However far away the person's wrist is said to be."""
    out = wanted(mapper, pose({"left": np.array([50.0, 3.0, 9.0])}), 0.5, 0.2)
    assert np.linalg.norm(out[0, :3] - [0.0, 0.2, 0.0]) == pytest.approx(0.995 * 0.5)


def test_directions_only_guide_where_the_place_is_known(mapper: WholeBodyMapper) -> None:
    """A hand that is not seen leaves its arm to the directions, in full; the other arm is not touched."""
    person = pose({})
    unseen = person.position_valid.copy()
    unseen[INDEX["left_hand"]] = False
    state = mapper.start()
    weights = {}
    for name, one in (("seen", person), ("unseen", replace(person, position_valid=unseen))):
        out = wanted(mapper, one, 0.5, 0.2)
        mapper.fill_targets(one, state)
        weights[name] = (out[0, 3], out[1, 3], state.targets.weight[0, 0])
    assert weights["seen"] == pytest.approx((200.0, 200.0, MODES["hands"].guide))
    assert weights["unseen"] == pytest.approx((0.0, 200.0, Weights().limb))


def test_a_hand_on_the_ground_is_led_by_its_contact(mapper: WholeBodyMapper) -> None:
    """By how firm the contact is; the other hand keeps its place."""
    wanted(mapper, pose({}), 0.5, 0.2)
    state = mapper.start()
    mapper.fill_targets(pose({}), state)
    reach, firm = mapper._human.reach, np.zeros(8)
    firm[FEET] = 0.75
    yield_to_ground(reach, firm, state.targets)
    assert state.targets.weight[reach.task, 0] == pytest.approx([50.0, 200.0])


def test_a_hand_whose_turn_is_not_known_lies_along_its_forearm(mapper: WholeBodyMapper) -> None:
    """In the T that is the same place; without an elbow the wrist stands for the hand."""
    person = pose({})
    known = wanted(mapper, person, 0.5, 0.2)[0, :3]
    unturned = person.rotation_valid.copy()
    unturned[INDEX["left_hand"]] = False
    along = wanted(mapper, replace(person, rotation_valid=unturned), 0.5, 0.2)[0, :3]
    assert along == pytest.approx(known, abs=0.01)
    unseen = person.position_valid.copy()
    unseen[INDEX["left_forearm"]] = False
    wrist = wanted(mapper, replace(person, rotation_valid=unturned, position_valid=unseen), 0.5, 0.2)[0, :3]
    palm = np.linalg.norm(ADULT.bones[INDEX["left_middle_1"]])
    assert known[1] - wrist[1] == pytest.approx(0.5 / ARM * palm, abs=0.01)
