"""The robots that ship with the package."""

from __future__ import annotations

import runpy
from pathlib import Path

import mujoco
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bunraku.human.skeleton import ADULT_BONES, INDEX
from bunraku.robots import Robot, load_robot
from bunraku.robots.model import compile_model
from shared import need, robots

Array = NDArray[np.float64]
NAMES = ("lamp", "inmoov", "puppet", "leonardo", "pepper", "coman")
ROOT = Path(__file__).resolve().parents[2]
SIDES = {
    "puppet": ("left_", "right_"), "inmoov": ("l_", "r_"), "leonardo": ("left_", "right_"),
    "coman": ("left_", "right_"),
    "pepper": ("L", "R"),
}  # fmt: skip


def pose(robot: Robot, **joints: float) -> Array:
    """The robot's zero configuration, at its neutral base, with some joints (without `_joint`) set; in rad."""
    qpos = robot.neutral.copy()
    qpos[robot.first_joint :] = 0
    for name, value in joints.items():
        qpos[robot.first_joint + robot.joint_index(f"{name}_joint")] = value
    return robot.tree.with_followers(qpos)


def point(robot: Robot, qpos: Array, link: str) -> Array:
    """World position of a link."""
    return robot.link_poses(qpos)[0][robot.links.index(link)]


def touching(robot: Robot, qpos: Array) -> set[tuple[str, str]]:
    """Pairs of links, not parent and child, that touch."""
    model = compile_model(robot, visuals=False)
    data = mujoco.MjData(model)
    data.qpos[:] = qpos
    mujoco.mj_forward(model, data)
    bodies = [(model.geom_bodyid[c.geom1], model.geom_bodyid[c.geom2]) for c in data.contact]
    return {(model.body(a).name, model.body(b).name) for a, b in bodies}


def test_files_are_what_the_generator_writes() -> None:
    """`python tools/builtin_robots` would change nothing."""
    files = runpy.run_path(str(ROOT / "tools/builtin_robots"))["files"]()
    folder = ROOT / "src/bunraku/robots/builtin"
    assert set(files) == {path for path in folder.rglob("*") if path.is_file()}
    for path, text in files.items():
        assert path.read_text(encoding="utf-8") == text, path.name


@pytest.mark.parametrize("name", NAMES)
def test_loads_without_a_warning(name: str) -> None:
    """Each has limits for every joint, and a neutral pose within them with nothing touching."""
    robot = load_robot(name)
    assert robot.warnings == ()
    assert np.isfinite([robot.lower, robot.upper]).all()
    assert (robot.lower < robot.upper).all()
    assert (robot.velocity > 0).all()
    assert (robot.effort > 0).all()
    np.testing.assert_allclose(robot.clamp(robot.neutral), robot.neutral)
    assert touching(robot, robot.neutral) == set()


def test_lamp_has_the_papers_kinematics() -> None:
    """Offsets, axes and limits of the desk light; straight out and straight up the tip is where they put it."""
    lamp = load_robot("lamp")
    np.testing.assert_allclose(lamp.tree.axis[1:], [[0, 0, 1], [0, 1, 0], [0, 1, 0], [1, 0, 0], [0, 1, 0]], atol=1e-12)
    offsets = [[0, 0, 96], [-15, 0, 30], [78, 0, 1], [68, 0, 0], [48.5, 0, 0]]
    np.testing.assert_allclose(lamp.tree.position[1:] * 1000, offsets, atol=1e-6)
    half = np.pi / 2
    np.testing.assert_allclose(lamp.lower, [-0.698, -half, 0, -1.064, -1.047], atol=1e-5)
    np.testing.assert_allclose(lamp.upper, [0.698, 0, 1.570, 1.396, 0.785], atol=1e-5)
    np.testing.assert_allclose(point(lamp, np.zeros(5), "tip"), [0.273, 0, 0.127], atol=1e-9)
    up = point(lamp, np.array([0, -half, 0, 0, 0]), "tip")
    np.testing.assert_allclose(up, [-0.015 - 0.001, 0, 0.126 + 0.288], atol=1e-9)


@pytest.mark.parametrize("name", SIDES)
@settings(deadline=None, max_examples=25)
@given(seed=st.integers(0, 2**32 - 1))
def test_sides_mirror_each_other(name: str, seed: int) -> None:
    """What the left limbs do with some joint values the right ones do mirrored with the mirrored values."""
    robot = load_robot(name)
    left, right = SIDES[name]
    rng = np.random.default_rng(seed)
    qpos = robot.neutral.copy()
    qpos[robot.first_joint :] = 0
    for k, joint in enumerate(robot.joint_names):
        if not joint.startswith(left) or "eye" in joint:
            continue
        other = robot.joint_index(right + joint.removeprefix(left))
        a, b = robot.tree.axis[k + 1], robot.tree.axis[other + 1]
        sign = 1.0 if np.allclose(b, a * [-1, 1, -1], atol=1e-6) else -1.0
        assert np.allclose(b, sign * a * [-1, 1, -1], atol=1e-6)
        span = np.sort(sign * np.array([robot.lower[k], robot.upper[k]]))
        np.testing.assert_allclose(span, [robot.lower[other], robot.upper[other]], atol=1e-9)
        value = rng.uniform(robot.lower[k], robot.upper[k])
        qpos[robot.first_joint + k], qpos[robot.first_joint + other] = value, sign * value
    qpos = robot.tree.with_followers(qpos)
    for link in robot.links.names:
        if link.startswith(left) and "eye" not in link:
            mirrored = point(robot, qpos, right + link.removeprefix(left)) * [1, -1, 1]
            np.testing.assert_allclose(point(robot, qpos, link), mirrored, atol=1e-9)


def test_puppet_has_29_joints_of_the_body_hands_and_a_face() -> None:
    """Legs 2 x 6, waist 3, arms 2 x 7; then neck, eyes and jaw, and six servos in each hand."""
    puppet = load_robot("puppet")
    servos = [puppet.joint_names[k] for k in puppet.tree.independent]
    fingers = [n for n in servos if any(f in n for f in ("thumb", "index", "middle", "ring", "little"))]
    face = [n for n in servos if n.startswith("neck") or "eye" in n or "jaw" in n]
    assert len(servos) - len(fingers) - len(face) == 29
    assert len(fingers) == 12
    assert len(face) == 6


def test_puppet_has_a_persons_proportions() -> None:
    """Limbs are an adult's at 1.3 m within 6 %; it stands on its soles and weighs about 28 kg."""
    puppet = load_robot("puppet")
    scale = 1.3 / 1.75
    limbs = {
        ("left_upper_arm", "left_forearm"): "left_forearm",
        ("left_forearm", "left_hand"): "left_hand",
        ("left_thigh", "left_shin"): "left_shin",
        ("left_shin", "left_foot"): "left_foot",
    }
    zero = pose(puppet)
    for (first, second), bone in limbs.items():
        length = np.linalg.norm(point(puppet, zero, first) - point(puppet, zero, second))
        assert length == pytest.approx(scale * np.linalg.norm(ADULT_BONES[INDEX[bone]]), rel=0.06)
    assert float(puppet.links.mass.sum()) == pytest.approx(28, abs=1.5)
    model = compile_model(puppet)
    data = mujoco.MjData(model)
    data.qpos[:] = puppet.neutral
    mujoco.mj_forward(model, data)
    frames = data.geom_xmat.reshape(-1, 3, 3)
    reach = np.einsum("gij,gj->gi", np.abs(frames), model.geom_aabb[:, 3:])
    middle = data.geom_xpos + np.einsum("gij,gj->gi", frames, model.geom_aabb[:, :3])
    assert float((middle - reach)[:, 2].min()) == pytest.approx(0, abs=1e-3)
    assert float((middle + reach)[:, 2].max()) == pytest.approx(1.33, abs=0.05)


def test_puppets_ball_joints_meet_in_a_point() -> None:
    """Shoulders, wrists, hips, waist and neck turn about one point each."""
    puppet = load_robot("puppet")
    for first, second in [
        ("left_shoulder_pitch", "left_upper_arm"),
        ("right_wrist_yaw", "right_hand"),
        ("left_hip_pitch", "left_thigh"),
        ("waist_yaw", "torso"),
        ("neck_yaw", "head"),
    ]:
        zero = pose(puppet)
        np.testing.assert_allclose(point(puppet, zero, first), point(puppet, zero, second), atol=1e-12)


@pytest.mark.parametrize(
    "joints",
    [
        {},
        {"left_shoulder_roll": 1.57, "right_shoulder_roll": -1.57},
        {"left_shoulder_roll": 2.9, "right_shoulder_roll": -2.9},
        {"left_shoulder_pitch": -1.5, "right_shoulder_pitch": -1.5, "left_elbow": 2.4, "right_elbow": 2.4},
        {"left_hip_pitch": -1.9, "left_knee": 2.2, "right_hip_pitch": -1.9, "right_knee": 2.2,
         "left_ankle_pitch": -0.6, "right_ankle_pitch": -0.6, "waist_pitch": 0.5},
        {"left_hip_roll": 1.3, "right_hip_roll": -1.3},
        {"left_hip_pitch": -1.2, "left_knee": 0.4, "right_hip_pitch": 0.6, "right_knee": 1.4},
        {"neck_pitch": 0.8, "waist_pitch": 1.0, "left_wrist_roll": 1.2, "right_wrist_roll": -1.2},
    ],
)  # fmt: skip
def test_puppet_takes_a_persons_poses_without_touching_itself(joints: dict[str, float]) -> None:
    """T, arms up, guard, squat, splits, stride, bow: within the limits, and no two links touch."""
    puppet = load_robot("puppet")
    qpos = pose(puppet, **joints)
    np.testing.assert_allclose(puppet.clamp(qpos), qpos)
    assert touching(puppet, qpos) == set()


def test_puppet_raises_its_hands_above_its_head_and_closes_them() -> None:
    """Arms up: hands over the head. Fist: every finger tip comes nearer to the wrist."""
    puppet = load_robot("puppet")
    up = pose(puppet, left_shoulder_pitch=-3.0, right_shoulder_roll=-2.9)
    for side in ("left", "right"):
        assert point(puppet, up, f"{side}_hand")[2] > point(puppet, up, "head")[2] + 0.2
    for side, finger in [(s, f) for s in ("left", "right") for f in ("index", "middle", "ring", "little")]:
        fist = pose(puppet, **{f"{side}_{finger}_1": 1.4})
        tip, wrist = f"{side}_{finger}_3", f"{side}_hand"
        open_hand = pose(puppet)
        apart = np.linalg.norm(point(puppet, open_hand, tip) - point(puppet, open_hand, wrist))
        assert np.linalg.norm(point(puppet, fist, tip) - point(puppet, fist, wrist)) < 0.75 * apart
        inwards = point(puppet, fist, tip)[1] - point(puppet, open_hand, tip)[1]
        assert inwards * (-1 if side == "left" else 1) > 0


def test_inmoov_stands_as_its_public_model() -> None:
    """Joint for joint the axes are where the public description has them, within 3 mm and in the same direction."""
    path = need(robots("inmoov/inmoov_expanded.urdf"))[0]
    ours, theirs = load_robot("inmoov"), load_robot(path, base="fixed")
    rng = np.random.default_rng(0)
    shared_joints = [n for n in ours.joint_names if n in theirs.joint_names and "eye" not in n]
    assert len(shared_joints) >= 50
    places = []
    for _ in range(5):
        values = {}
        for n in shared_joints:
            k = ours.joint_index(n)
            values[n] = rng.uniform(ours.lower[k], ours.upper[k])
        frames = []
        for robot in (ours, theirs):
            q = np.array([values.get(n, 0.0) for n in robot.joint_names])
            position, rotation = robot.tree.forward(robot.tree.with_followers(q))
            axis = np.einsum("nij,nj->ni", rotation, robot.tree.axis)
            rows = [robot.joint_index(n) + 1 for n in shared_joints]
            frames.append((position[rows], axis[rows]))
        places.append(np.abs(frames[0][0] - frames[1][0]).max())
        np.testing.assert_allclose(frames[0][1], frames[1][1], atol=0.03)
    assert max(places) < 0.003


def test_inmoovs_elbow_cannot_be_straight() -> None:
    """Zero lies outside the elbow's range, so the neutral pose is not all zeros; fingers follow their servo."""
    inmoov = load_robot("inmoov")
    for side in ("l", "r"):
        assert inmoov.upper[inmoov.joint_index(f"{side}_elbow_flex_joint")] < 0
    followers = set(range(len(inmoov.joint_names))) - set(inmoov.tree.independent.tolist())
    assert len(followers) == 25
    assert inmoov.tree.leader[inmoov.joint_index("l_index3_joint")] == inmoov.joint_index("l_index_joint")


def test_every_part_of_the_puppet_that_can_touch_has_a_shape() -> None:
    """Trunk, head, and both sides' arms and legs down to hands and feet."""
    puppet = load_robot("puppet")
    limbs = ("upper_arm", "forearm", "hand", "thigh", "shin", "foot")
    parts = {"pelvis", "torso", "head", *(f"{side}_{limb}" for side in ("left", "right") for limb in limbs)}
    assert {puppet.links.names[shape.link] for shape in puppet.shapes} == parts


def test_leonardos_shoulder_is_the_papers() -> None:
    """Z, X and Y of the paper (x left, y up, z forward, the arm hanging), and l = 0.1 m along X before Y."""
    leonardo = load_robot("leonardo")
    zero = np.zeros(len(leonardo.neutral))
    _, rotation = leonardo.tree.forward(zero)
    axes = np.einsum("nij,nj->ni", rotation, leonardo.tree.axis)
    arm = [leonardo.joint_index(f"left_{n}_joint") + 1 for n in ("shoulder_z", "shoulder_x", "shoulder_y", "elbow")]
    np.testing.assert_allclose(axes[arm], [[1, 0, 0], [0, 1, 0], [0, 0, 1], [0, 1, 0]], atol=1e-12)
    first, third = point(leonardo, zero, "left_shoulder_z_link"), point(leonardo, zero, "left_upper_arm_link")
    np.testing.assert_allclose(third - first, [0, 0.1, 0], atol=1e-12)
    assert np.all(np.abs((point(leonardo, zero, "left_forearm_link") - third)[:2]) < 1e-12)
    servos = [leonardo.joint_names[k] for k in leonardo.tree.independent]
    assert len([n for n in servos if "finger" not in n and not any(f in n for f in ("thumb", "index", "middle", "ring",
                "pinky"))]) == 2 + 2 + 1 + 2 * 5  # fmt: skip


def test_pepper_stands_as_its_public_model() -> None:
    """Joint for joint of head and arms the axes are where the public description has them; ranges and speeds too."""
    path = need(robots("pepper/ros_naoqi/pepper.urdf"))[0]
    ours, theirs = load_robot("pepper"), load_robot(path, base="fixed")
    names = [
        n for n in theirs.joint_names if n in ours.joint_names and not any(f in n for f in ("Hand", "Finger", "Thumb"))
    ]
    assert len(names) == 2 + 2 * 5 + 3
    rows = [(ours.joint_index(n), theirs.joint_index(n)) for n in names]
    for a, b in rows:
        np.testing.assert_allclose([ours.lower[a], ours.upper[a]], [theirs.lower[b], theirs.upper[b]], atol=2e-4)
        assert ours.velocity[a] == pytest.approx(theirs.velocity[b], rel=1e-4)
        assert ours.effort[a] == pytest.approx(theirs.effort[b], rel=1e-3)
    rng = np.random.default_rng(0)
    for _ in range(5):
        seen = []
        values = {n: rng.uniform(ours.lower[a], ours.upper[a]) for n, (a, _) in zip(names, rows, strict=True)}
        for robot, base in ((ours, "torso"), (theirs, "torso")):
            q = np.array([values.get(n, 0.0) for n in robot.joint_names])
            q = robot.tree.with_followers(q)
            position, rotation = robot.tree.forward(q)
            at, turn = (x[robot.links.index(base)] for x in robot.link_poses(q))
            upper = [robot.joint_index(n) + 1 for n in names if "Hip" not in n and "Knee" not in n]
            axis = np.einsum("nij,nj->ni", rotation, robot.tree.axis)[upper]
            seen.append(((position[upper] - at) @ turn, axis @ turn))
        lifted = seen[0][0] - [0, 0, 0.139]  # our torso begins at the hip's roll joint
        np.testing.assert_allclose(lifted, seen[1][0], atol=2e-4)
        np.testing.assert_allclose(seen[0][1], seen[1][1], atol=1e-4)


def test_peppers_forearm_is_inclined_and_its_hands_open_with_their_joint() -> None:
    """9° against the upper arm; at LHand = 0.98 the finger tips are farther from the palm's middle than at 0.02."""
    pepper = load_robot("pepper")
    zero = pepper.clamp(np.zeros(len(pepper.neutral)))
    zero[pepper.joint_index("LElbowYaw")] = 0.0
    fore = point(pepper, zero, "L_wrist") - point(pepper, zero, "LForeArm")
    assert np.degrees(np.arcsin(fore[2] / np.linalg.norm(fore))) == pytest.approx(9.0, abs=0.01)
    reach = []
    for opening in (0.02, 0.98):
        q = zero.copy()
        q[pepper.joint_index("LHand")] = opening
        q = pepper.tree.with_followers(q)
        reach.append(np.linalg.norm(point(pepper, q, "LFinger23_link") - point(pepper, q, "L_wrist")))
    assert reach[1] > 1.2 * reach[0]


def test_coman_has_the_published_size() -> None:
    """0.945 m to the neck, 0.312 m across the shoulders, 31 kg; 6 joints to a leg, 3 to the waist, 7 to an arm."""
    coman = load_robot("coman")
    zero = pose(coman)
    sole = point(coman, zero, "left_foot")[2] - 0.094
    assert point(coman, zero, "head")[2] - sole == pytest.approx(0.945, abs=1e-3)
    across = point(coman, zero, "left_shoulder_pitch") - point(coman, zero, "right_shoulder_pitch")
    assert np.linalg.norm(across) == pytest.approx(0.312)
    assert float(coman.links.mass.sum()) == pytest.approx(31, abs=0.5)
    assert len(coman.joint_names) == 2 * 6 + 3 + 2 + 2 * 7
