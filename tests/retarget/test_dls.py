"""Damped least squares for the place and orientation of a hand."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arms import pose
from bunraku.errors import RobotError
from bunraku.evaluate import evaluate
from bunraku.human import HumanPose
from bunraku.human.body import Body
from bunraku.kinematics import rotations as rot
from bunraku.retarget.dls import MARGIN, ReachMapper
from bunraku.robots import load_robot
from bunraku.sources import read_motion
from small_robots import arm, write

SHARES = st.lists(st.floats(0.05, 0.95), min_size=5, max_size=5)
UPRIGHT = rot.from_axis_angle([0, 1.0, 0], -np.pi / 2)


@cache
def mapper() -> ReachMapper:
    return ReachMapper(load_robot("lamp"))


def tip(qpos: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    lamp = load_robot("lamp")
    at, turn = lamp.link_poses(qpos)
    row = lamp.links.index("tip")
    return at[row], rot.from_matrix(turn[row])


@settings(max_examples=60, deadline=None)
@given(SHARES)
def test_any_place_and_orientation_that_the_light_can_take_is_found(share: list[float]) -> None:
    """From its neutral configuration, turns about y as well as any others: within 0.1 mm and 1e-3 rad."""
    lamp = load_robot("lamp")
    place, turn = tip(lamp.lower + np.array(share) * (lamp.upper - lamp.lower))
    qpos, off_m, off_rad = mapper().solve_target(place, turn, lamp.neutral, steps=1000)
    assert off_m < 1e-4 and off_rad < 1e-3
    found, turned = tip(qpos)
    np.testing.assert_allclose(found, place, atol=1e-4)
    assert float(rot.angle_between(turn, turned)) < 1e-3


def test_one_step_is_the_papers() -> None:
    """Δq = Jᵀ(JJᵀ + λ²I)⁻¹ e with λ = 100, millimetres, and 100 for a radian: against a Jacobian by differences."""
    lamp, q = load_robot("lamp"), np.array([0.1, -0.9, 0.7, 0.2, 0.1])
    place, turn = tip(q)
    target, aim = place + [0.004, -0.003, 0.002], rot.multiply(rot.exp([0.02, 0.05, -0.03]), turn)
    J = np.empty((6, 5))
    for k in range(5):
        a, b = (tip(q + h * np.eye(5)[k]) for h in (-1e-6, 1e-6))
        J[:3, k] = 1000 * (b[0] - a[0]) / 2e-6
        J[3:, k] = 100 * rot.log(rot.multiply(b[1], rot.inverse(a[1]))) / 2e-6
    e = np.concatenate([1000 * (target - place), 100 * rot.log(rot.multiply(aim, rot.inverse(turn)))])
    expected = q + J.T @ np.linalg.solve(J @ J.T + 100.0**2 * np.eye(6), e)
    found, _, _ = mapper().solve_target(target, aim, q, steps=1)
    np.testing.assert_allclose(found, expected, atol=1e-8)
    assert lamp.joint_names[0] == "joint_1"


def test_out_of_reach_it_stretches_towards_the_place() -> None:
    """Twice as high as the light is long: upright, at rest, and what is missed is the rest of the way."""
    lamp = load_robot("lamp")
    qpos, off_m, _ = mapper().solve_target([0.0, 0.0, 0.83], UPRIGHT, lamp.neutral, steps=3000)
    again, off_again, _ = mapper().solve_target([0.0, 0.0, 0.83], UPRIGHT, qpos, steps=10)
    np.testing.assert_allclose(again, qpos, atol=1e-4)
    assert np.all((qpos >= lamp.lower - 1e-12) & (qpos <= lamp.upper + 1e-12))
    assert off_m == pytest.approx(0.83 - 0.414, abs=0.01) and off_again == pytest.approx(off_m, abs=1e-5)


def test_the_calibration_pose_is_the_light_upright() -> None:
    """An arm straight up, the hand in line with it, is the light stretched upright, 400 of its 414 mm high."""
    body = Body.scaled(1.6)
    mapper().prepare_for(body)
    fore, hand = (body.lengths[_row(f"right_{name}")] for name in ("hand", "middle_1"))
    up = rot.multiply(UPRIGHT, rot.from_axis_angle([0, 0, 1.0], np.pi / 2))
    person = pose(
        {"chest": rot.IDENTITY, "right_forearm": up, "right_hand": up},
        {"right_forearm": [0, 0, 1.0], "right_hand": [0, 0, 1.0 + fore], "right_middle_1": [0, 0, 1.0 + fore + hand]},
    )
    place, _ = tip(mapper().solve(person, mapper().start()).qpos)
    assert np.linalg.norm(place) == pytest.approx(0.4143 * MARGIN, abs=0.012)
    assert place[2] > 0.38


def test_a_robot_with_arms_brings_its_wrists_where_the_persons_are() -> None:
    """In arm lengths, seen from the shoulder: the distance of the joints from the person's is small."""
    leonardo, human = load_robot("leonardo"), read_motion("synth:conduct?seconds=3&fps=30")
    result = ReachMapper(leonardo).solve_clip(human)
    assert evaluate(human, result, leonardo)["kp_limb"] < 0.15


def test_joints_keep_their_speeds_and_what_is_missing_is_held() -> None:
    """Frames of an arm that jumps, and frames that know nothing."""
    lamp, human = load_robot("lamp"), read_motion("synth:random?seconds=3&fps=30&seed=2")
    state = mapper().start()
    last = mapper().solve(human.pose(0), state, dt_s=1 / 240).qpos
    for k in range(1, len(human)):
        qpos = mapper().solve(HumanPose.empty() if k % 7 == 0 else human.pose(k), state, dt_s=1 / 240).qpos
        assert np.all(np.abs(qpos - last) <= lamp.velocity / 240 + 1e-9)
        if k % 7 == 0:
            np.testing.assert_array_equal(qpos, last)
        last = qpos
    assert state.held["hand_missing"] == (len(human) - 1) // 7


def test_half_a_turn_off_it_does_not_waver() -> None:
    """Where the way round is a toss-up, noise does not change it from frame to frame."""
    lamp, rng = load_robot("lamp"), np.random.default_rng(3)
    place, turn = tip(lamp.neutral)
    q, ways = lamp.neutral.copy(), []
    for _ in range(50):
        aim = rot.multiply(rot.exp([0.0, 0.0, np.pi] + 0.01 * rng.normal(size=3)), turn)
        q, _, _ = mapper().solve_target(place, aim, q, steps=3)
        ways.append(q)
    assert np.isfinite(ways).all()


def test_robots_that_fit_are_named(tmp_path) -> None:  # type: ignore[no-untyped-def]
    """A single hinge is neither a light nor an arm."""
    with pytest.raises(RobotError, match=r"mapper 'dls' does not fit .* Robots that fit: lamp"):
        ReachMapper(load_robot(str(write(tmp_path, arm()))))


def _row(joint: str) -> int:
    from bunraku.human.skeleton import INDEX

    return INDEX[joint]
