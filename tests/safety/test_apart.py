"""Parts of a robot do not meet, whatever is asked; nothing that leads away, or past, is slowed."""

from __future__ import annotations

from pathlib import Path

import numba
import numpy as np
import pytest

from bunraku.kinematics.self_distance import Bodies, Body, make_bodies, make_memory, nearest_distances
from bunraku.robots import Robot, load_robot
from bunraku.safety.apart import FLOOR_SHARE, Apart
from bunraku.safety.apart_kernels import way_to_rest
from bunraku.safety.bounds import bounds_of
from bunraku.safety.guard import GuardSettings
from bunraku.safety.limiter import Limiter
from bunraku.safety.machine import State
from safety_stage import FINE, PERIOD_S, Stage
from small_robots import joint, link, urdf, write

Array = np.ndarray
PUPPET = load_robot("puppet")
MARGIN_M = 0.01
COMPILED = not numba.config.DISABLE_JIT
"""otherwise kernels run as Python, for coverage, a thousand times slower"""
ARM = ("shoulder_pitch", "shoulder_roll", "shoulder_yaw", "elbow")


def fists(robot: Robot = PUPPET, margin_m: float = MARGIN_M) -> Bodies:
    """Balls of 4 cm at both hands, one of 12 cm in the trunk, each pair apart."""
    nodes = [int(robot.links.node[robot.semantics.links[name]]) for name in ("left_hand", "right_hand", "chest")]
    point, frame = np.zeros((1, 3)), np.eye(3)
    bodies = [Body(node, point, radius, frame) for node, radius in zip(nodes, (0.04, 0.04, 0.12), strict=True)]
    return make_bodies(bodies, [(0, 1, 0, 0, margin_m), (0, 2, 0, 0, margin_m), (1, 2, 0, 0, margin_m)], 1.0)


def setup(bodies: Bodies, start: Array | None = None) -> tuple[Limiter, Apart]:
    limiter = Limiter(bounds_of(PUPPET), period_s=PERIOD_S)
    limiter.reset(PUPPET.neutral if start is None else start)
    return limiter, Apart(PUPPET, bodies, limiter)


def distance(bodies: Bodies, places: Array) -> float:
    """The least distance of all pairs over configurations (T, nq)."""
    return float(nearest_distances(bodies, make_memory(bodies, 1), *PUPPET.tree.forward(places), 5.0).min())


def posed(**joints: float) -> Array:
    out = PUPPET.neutral.copy()
    for name, value in joints.items():
        out[7 + PUPPET.joint_index(f"{name}_joint")] = value
    return PUPPET.clamp(out)


CLAP = posed(
    **{f"left_{name}": value for name, value in zip(ARM, (-1.73, -0.63, -0.62, 0.82), strict=True)},
    **{f"right_{name}": value for name, value in zip(ARM, (-1.73, 0.63, 0.62, 0.82), strict=True)},
)


def played(
    limiter: Limiter, apart: Apart | None, targets: Array, clocks: Array | None = None
) -> tuple[Array, list[bool]]:
    out, slowed = [], []
    for k, target in enumerate(targets):
        dt_s, aim = PERIOD_S if clocks is None else float(clocks[k]), target.copy()
        slowed.append(apart is not None and apart.slow(aim, dt_s, 1.0))
        limiter.step(aim, dt_s)
        out.append(limiter.position.copy())
    return np.array(out), slowed


def hostile(seed: int, count: int = 900, every: int = 30) -> Array:
    """Random poses of arms and trunk, anywhere within the limits, a new one four times a second."""
    if not COMPILED:
        return np.array([CLAP] * 35 + [PUPPET.neutral] * 5)
    generator = np.random.default_rng(seed)
    out = np.tile(PUPPET.neutral, (count, 1))
    moving = [j for part in ("left_arm", "right_arm", "torso") for j in PUPPET.semantics.joints[part]]
    for begin in range(0, count, every):
        out[begin : begin + every, 7 + np.array(moving)] = generator.uniform(PUPPET.lower[moving], PUPPET.upper[moving])
    return out


@pytest.mark.parametrize("seed", range(3))
def test_nothing_meets(seed: int) -> None:
    """Full speed into each other: never nearer than half the margin; without the brake they would be inside."""
    bodies, targets = fists(), hostile(seed)
    free, _ = played(*(setup(bodies)[0], None), targets)
    kept, slowed = played(*setup(bodies), targets)
    assert distance(bodies, free) < (-0.02 if COMPILED else -0.01)
    assert distance(bodies, kept) >= FLOOR_SHARE * MARGIN_M - 1e-9
    assert 0.02 < np.mean(slowed) < 0.9


def test_nothing_meets_when_the_clock_stumbles() -> None:
    """Steps of a third to three periods: the way to rest is not quite what was foreseen; nothing touches."""
    bodies, targets = fists(), np.array(([CLAP] * 35 + [PUPPET.neutral] * 35) * (6 if COMPILED else 1))
    clocks = np.random.default_rng(1).uniform(0.3, 3.0, len(targets)) * PERIOD_S
    kept, _ = played(*setup(bodies), targets, clocks)
    assert distance(bodies, kept) > 0.5 * FLOOR_SHARE * MARGIN_M


def test_what_is_far_from_everything_is_left_alone() -> None:
    """Bit for bit the same as without."""
    targets = np.array([posed(left_elbow=0.25 + 0.2 * np.sin(0.1 * k), left_shoulder_roll=0.6) for k in range(200)])
    free, _ = played(setup(fists())[0], None, targets)
    kept, slowed = played(*setup(fists()), targets)
    np.testing.assert_array_equal(kept, free)
    assert not any(slowed)


def brought_together() -> tuple[Limiter, Apart, Bodies]:
    """Both hands in front, as near to each other as they may come."""
    bodies = fists()
    limiter, apart = setup(bodies)
    way, _ = played(limiter, apart, np.tile(CLAP, (240 if COMPILED else 45, 1)))
    assert FLOOR_SHARE * MARGIN_M - 1e-9 <= distance(bodies, way[-1:]) < MARGIN_M + 0.02
    return limiter, apart, bodies


def test_going_apart_is_free() -> None:
    """From where hands nearly touch they leave as fast as without anything to watch over them."""
    limiter, apart, _ = brought_together()
    for _ in range(60):
        limiter.stop(PERIOD_S)
    start = limiter.position.copy()
    targets = np.tile(posed(), (30 if COMPILED else 6, 1))
    kept, slowed = played(limiter, apart, targets)
    free, _ = played(setup(fists(), start)[0], None, targets)
    assert not any(slowed)
    np.testing.assert_allclose(kept, free, atol=1e-12)


def test_only_what_closes_is_slowed() -> None:
    """With the hands as near as may be, neck and legs go on as if nothing were."""
    limiter, apart, _ = brought_together()
    target = limiter.position.copy()
    others = [7 + PUPPET.joint_index(name) for name in ("neck_yaw_joint", "left_knee_joint", "jaw_joint")]
    into = 7 + PUPPET.joint_index("left_shoulder_roll_joint")
    target[others] += 0.05
    target[into] -= 0.5
    before = limiter.position[into]
    _, slowed = played(limiter, apart, np.tile(target, (40 if COMPILED else 12, 1)))
    assert any(slowed)
    np.testing.assert_allclose(limiter.position[others], target[others], atol=1e-12)
    assert limiter.position[into] > before - 0.2


def test_what_is_too_near_already_may_only_leave() -> None:
    """A robot that was put so by hand: the distance never shrinks, and the way out is open."""
    bodies = fists(margin_m=0.5)
    limiter, apart = setup(bodies)
    start = distance(bodies, limiter.position[None])
    assert start < FLOOR_SHARE * 0.5
    kept, _ = played(limiter, apart, hostile(3, 300))
    assert distance(bodies, kept) >= start - 1e-6
    limiter.reset(PUPPET.neutral)
    away, _ = played(
        limiter, apart, np.tile(posed(left_shoulder_roll=1.2, right_shoulder_roll=-1.2), (60 if COMPILED else 20, 1))
    )
    assert distance(bodies, away[-1:]) > start + (0.1 if COMPILED else 0.02)


def test_limits_are_kept_all_the_same() -> None:
    """Speed and acceleration of every joint, slowed or not."""
    limiter, apart = setup(fists())
    rate, place = limiter.joint_rate.copy(), limiter.position.copy()
    for target in hostile(5):
        aim = target.copy()
        apart.slow(aim, PERIOD_S, 1.0)
        limiter.step(aim, PERIOD_S)
        moved = np.abs(limiter.position - place)[7:]
        assert np.all(moved <= limiter.bounds.velocity * PERIOD_S * (1 + 1e-9))
        assert np.all(np.abs(limiter.joint_rate - rate) <= limiter.bounds.acceleration * PERIOD_S * (1 + 1e-9) + 1e-9)
        rate, place = limiter.joint_rate.copy(), limiter.position.copy()


@pytest.mark.parametrize("speed", [0.0, 0.4, 1.0, 7.3, -7.3])
def test_the_way_to_rest_is_that_of_the_limiter(speed: float) -> None:
    """One step at a speed, then a stop: the limiter goes exactly so far, after every number of steps."""
    hard, goes = 40.0, 0.0
    left = abs(speed)
    for steps in range(1, 40):
        goes += left * PERIOD_S
        left = max(left - hard * PERIOD_S, 0.0)
        assert way_to_rest(speed, hard, PERIOD_S, PERIOD_S, steps) == pytest.approx(np.copysign(goes, speed), abs=1e-12)


def test_the_guard_says_that_it_slows() -> None:
    """As a warning, in words; without pairs there is nothing to watch."""
    stage = Stage(PUPPET, GuardSettings(), fists())
    assert stage.engage().decision.state is State.ACTIVE
    stage.target = lambda _: CLAP
    reasons = {reason for _ in range(120 if COMPILED else 35) for reason in stage.see(FINE).decision.reasons}
    assert "slowed: parts of the robot are near each other" in reasons
    alone = Stage(PUPPET, GuardSettings(), make_bodies([], [], 1.0))
    assert alone.guard._apart is None


def test_a_slide_is_slowed_as_a_hinge_is(tmp_path: Path) -> None:
    """A lift that carries a ball up against a ball of the base stops below it."""
    slide = '<axis xyz="0 0 1"/><limit lower="0" upper="1" velocity="1" effort="1"/>'
    tilt = '<axis xyz="0 1 0"/><limit lower="-1" upper="1" velocity="1" effort="1"/>'
    text = urdf(link("base"), link("lift"), link("head"), joint("up", "base", "lift", "prismatic", slide),
                joint("tilt", "lift", "head", inside=tilt))  # fmt: skip
    robot = load_robot(write(tmp_path, text))
    frame = np.eye(3)
    balls = [Body(0, np.array([[0.0, 0.0, 0.5]]), 0.1, frame), Body(2, np.zeros((1, 3)), 0.1, frame)]
    limiter = Limiter(bounds_of(robot), period_s=PERIOD_S)
    limiter.reset(np.zeros(2))
    apart = Apart(robot, make_bodies(balls, [(0, 1, 0, 0, 0.02)], 1.0), limiter)
    played(limiter, apart, np.tile([0.9, 0.0], (100, 1)))
    assert 0.28 < limiter.position[0] <= 0.29 + 1e-9
