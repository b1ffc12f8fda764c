"""P3, Fig. 10 and 15: how alike the two move, by dynamic time warping; three motions of people that are one robot's."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from bunraku.evaluate.similarity import trajectory_similarity
from bunraku.experiments.devices import SUIT_HZ
from bunraku.experiments.findings import Figure, Findings, Line, Panel, Row
from bunraku.experiments.p3.maps import ELBOW, WRIST, link_turn
from bunraku.experiments.scripted import HANGING, person
from bunraku.kinematics import rotations as rot
from bunraku.retarget import make_mapper
from bunraku.retarget.gong import signed_wrist_turn
from bunraku.robots import Robot, load_robot
from bunraku.sources.synth_curves import ease, waves

Array = NDArray[np.float64]

JOINTS = ("shoulder 1", "shoulder 2", "shoulder 3", "elbow", "wrist")
WEIGHTS = np.array([150.0, 210.0, 40.0, 135.0, 180.0])
"""°, the joints' ranges as the paper has them"""
SHOULDER = ("r_shoulder_out_joint", "r_shoulder_lift_joint", "r_upper_arm_roll_joint")
LEAKS = (np.radians([10.0, 40.0]), np.radians([5.0, 20.0]))
"""rad: how far the elbow turns and the wrist bends in the first experiment and in the second, which the paper says is
smaller; no joint of the robot follows either"""
SECONDS = 10.0
ALIKE, APART_FRAMES = 1e-3, 20


def trajectories(seed: int) -> Findings:
    """Two random motions of the right arm, joint by joint, in degrees as the paper has it."""
    robot, rows, lines, scores, order = load_robot("inmoov"), [], [], [], []
    for turn, bend in LEAKS:
        human, arm = _random_arm(np.random.default_rng(seed), float(turn), float(bend))
        found = trajectory_similarity(np.degrees(human), np.degrees(_robot(robot, arm)), WEIGHTS)
        t = np.arange(len(found.system)) / SUIT_HZ
        lines.append(
            [*(Line(t, found.joints[:, k], JOINTS[k]) for k in range(5)), Line(t, found.system, "system", "k")]
        )
        order.append((float(found.joints[-1, :3].max()), *found.joints[-1, 3:], float(found.system[-1])))
        scores.append(float(found.score))
    (shoulder1, elbow1, wrist1, system1), (shoulder2, elbow2, wrist2, system2) = order
    how = "end of the running distance, degrees summed over frames; mapper gong on InMoov"
    rows = [
        Row(paper="P3", quantity="DTW of the shoulder, both experiments", theirs=0.0,
            ours=round(max(shoulder1, shoulder2), 9), unit="°", ok=max(shoulder1, shoulder2) < 1e-3, how=how),
        _order("experiment 1: wrist > system > elbow", (wrist1, system1, elbow1), how),
        _order("experiment 2: wrist > system > elbow", (wrist2, system2, elbow2), how),
        _order("system: experiment 1 > experiment 2", (system1, system2), how),
        Row(paper="P3", quantity="normalised likeness of the system, experiments 1 and 2", theirs=None,
            ours=f"{scores[0]:.1f}, {scores[1]:.1f}", unit="%", ok=scores[0] < scores[1] <= 100,
            how="100 less the distance per step as a share of each joint's range, weighted; the second is more alike"),
    ]  # fmt: skip
    panels = [Panel(f"experiment {k}", "s", "DTW, °", drawn) for k, drawn in enumerate(lines, start=1)]
    return Findings(rows, [Figure("fig_15", "P3 Fig. 15: running DTW distance of each joint and the system.", panels)])


def same_robot_motion(seed: int) -> Findings:
    """Three wrists that twist and bend differently, and one motion of the robot's."""
    del seed
    robot = load_robot("inmoov")
    t = np.arange(round(3.0 * SUIT_HZ)) / SUIT_HZ
    wanted = 1.6 * ease((t - 0.3) / 2.4)
    bends = {"A": 0.0 * t, "B": 0.7 * np.sin(np.pi * t / 3.0), "C": -0.45 * np.sin(np.pi * t / 3.0) ** 2}
    twists = {name: _twist_for(wanted, bend) for name, bend in bends.items()}
    played = {name: _wrist(robot, twists[name], bends[name]) for name in bends}
    apart = max(float(np.abs(played[name] - played["A"]).max()) for name in "BC")
    frames = max(_frames_apart(twists["A"], twists[name]) for name in "BC")
    row = Row(
        paper="P3", quantity="human trajectories A, B, C map to one robot trajectory: largest difference", theirs=0.0,
        ours=apart, unit="rad", ok=apart < ALIKE and frames <= APART_FRAMES,
        how=f"wrist of InMoov, mapper gong, bends of 0, 40° and -26°; the same twist comes up to {frames} frames apart "
        f"(the paper: up to {APART_FRAMES}); below {ALIKE:g} rad",
    )  # fmt: skip
    panels = [
        Panel("operators: twist", "s", "rad", [Line(t, twists[name], name) for name in twists]),
        Panel("operators: bend", "s", "rad", [Line(t, bends[name], name) for name in bends]),
        Panel(
            "robot: wrist", "s", "rad", [Line(t, played[n], n, s) for n, s in zip("ABC", ("-", "--", ":"), strict=True)]
        ),
    ]
    return Findings(
        [row], [Figure("fig_10", "P3 Fig. 10: three trajectories of people, one of the robot's.", panels, 3)]
    )


def _random_arm(rng: np.random.Generator, turn: float, bend: float) -> tuple[Array, dict[str, Array]]:
    """(T, 5) the person's angles that the robot's joints stand for, rad; and the arm's rotations."""
    t = np.arange(round(SECONDS * SUIT_HZ)) / SUIT_HZ
    wave = [waves(t, SECONDS, rng, 2.5) for _ in range(7)]
    shoulder = np.column_stack([-0.55 + 0.4 * wave[0], -0.6 + 0.9 * wave[1], 0.3 * wave[2]])
    flexion, twist = 0.85 + 0.45 * wave[3], 0.5 * wave[4]
    upper = rot.multiply(rot.from_euler("XYZ", shoulder), HANGING["right"])
    zero = np.zeros_like(t)
    fore = rot.multiply(upper, link_turn(np.column_stack([flexion, turn * wave[5], zero])))
    hand = rot.multiply(fore, link_turn(np.column_stack([zero, bend * wave[6], twist])))
    human = np.column_stack([shoulder, flexion, twist])
    return human, {"right_upper_arm": upper, "right_forearm": fore, "right_hand": hand}


def _robot(robot: Robot, arm: dict[str, Array]) -> Array:
    """(T, 5) the robot's joints for these rotations, elbow and wrist counted from where they are straight."""
    at = _play(robot, arm, (*SHOULDER, ELBOW, WRIST))
    straight = _wrist(robot, np.zeros(1), np.zeros(1))[0]
    sign = np.sign(_wrist(robot, np.full(1, 0.3), np.zeros(1))[0] - straight)
    bent = rot.multiply(HANGING["right"], link_turn(np.array([[0.5, 0.0, 0.0]])))
    elbow = -_play(robot, {"right_upper_arm": HANGING["right"][None], "right_forearm": bent}, (ELBOW,))[0, 0] - 0.5
    return np.column_stack([at[:, :3], -at[:, 3] - elbow, sign * (at[:, 4] - straight)])


def _wrist(robot: Robot, twist: Array, bend: Array) -> Array:
    fore = np.tile(rot.multiply(HANGING["right"], link_turn(np.array([[0.8, 0.0, 0.0]]))), (len(twist), 1))
    hand = rot.multiply(fore, link_turn(np.column_stack([np.zeros_like(twist), bend, twist])))
    return _play(robot, {"right_forearm": fore, "right_hand": hand}, (WRIST,))[:, 0]


def _play(robot: Robot, told: dict[str, Array], joints: tuple[str, ...]) -> Array:
    qpos = make_mapper("gong", robot).solve_clip(person(told, SUIT_HZ, "arm")).qpos
    return qpos[:, [robot.first_joint + robot.joint_index(name) for name in joints]]


def _twist_for(wanted: Array, bend: Array) -> Array:
    """The twist that, with this bend, is mapped to the wanted turn: found by halving."""
    low, high = np.zeros_like(wanted), np.full_like(wanted, 3.0)
    for _ in range(60):
        middle = (low + high) / 2
        less = np.abs(signed_wrist_turn(0.0, bend, middle)) < wanted
        low, high = np.where(less, middle, low), np.where(less, high, middle)
    return (low + high) / 2


def _frames_apart(first: Array, second: Array) -> int:
    """How many frames one comes to a value before or after the other, at the most, where both rise."""
    values = np.linspace(0.1, 1.4, 40)
    when = [np.interp(values, path, np.arange(len(path))) for path in (first, second)]
    return round(float(np.abs(when[0] - when[1]).max()))


def _order(what: str, values: tuple[float, ...], how: str) -> Row:
    falling = all(a > b for a, b in pairwise(values))
    ours = " > ".join(f"{value:.0f}" for value in values) if falling else ", ".join(f"{value:.0f}" for value in values)
    return Row(paper="P3", quantity=f"DTW, {what}", theirs="that order", ours=ours, unit="°", ok=falling, how=how)
