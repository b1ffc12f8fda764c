"""Tiny robot descriptions for tests, written in place."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from bunraku.errors import BunrakuError
from bunraku.robots import Robot
from bunraku.robots.meshes import to_stl

INERTIAL = '<inertial><mass value="1"/><inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial>'
SHAPE = "<collision><geometry>{}</geometry></collision>"
MESH = '<mesh filename="{}"/>'


def link(name: str, inside: str = INERTIAL) -> str:
    return f'<link name="{name}">{inside}</link>'


def joint(name: str, parent: str, child: str, kind: str = "revolute", inside: str | None = None) -> str:
    inside = '<axis xyz="0 1 0"/><limit lower="-1" upper="2" velocity="3" effort="4"/>' if inside is None else inside
    return f'<joint name="{name}" type="{kind}"><parent link="{parent}"/><child link="{child}"/>{inside}</joint>'


def urdf(*parts: str, name: str = "small") -> str:
    return f'<robot name="{name}">{"".join(parts)}</robot>'


def arm(inside: str = "") -> str:
    """Two links and a joint, and whatever else."""
    return urdf(link("base"), link("hand"), joint("elbow", "base", "hand"), inside)


def mjcf(worldbody: str, *sections: str, compiler: str = "") -> str:
    head = f'<compiler angle="radian" {compiler}/>{"".join(sections)}'
    return f'<mujoco model="small">{head}<worldbody>{worldbody}</worldbody></mujoco>'


def pendulum(inside: str = "", joint_attributes: str = 'axis="0 1 0" range="-1 2"') -> str:
    """A base body and one that hangs on it."""
    return mjcf(
        f'<body name="base"><geom size="0.1"/><body name="bob" pos="0 0 0.3"><joint name="swing" {joint_attributes}/>'
        f'<geom type="capsule" size="0.02 0.1"/>{inside}</body></body>'
    )


@contextmanager
def our_errors_only() -> Iterator[None]:
    """Whatever is done to the input: it goes well, or ends in one of our errors, of one line."""
    try:
        yield
    except BunrakuError as error:
        if "\n" in str(error):
            raise AssertionError("an error of several lines") from error


def write(folder: Path, text: str | bytes, name: str = "robot.urdf") -> Path:
    path = folder / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text if isinstance(text, bytes) else text.encode())
    return path


def box_stl(
    half: tuple[float, float, float] = (0.1, 0.05, 0.02), centre: tuple[float, float, float] = (0, 0, 0)
) -> bytes:
    """A box as a binary STL file."""
    return to_stl(box_triangles(half, centre))


def box_triangles(half: tuple[float, float, float], centre: tuple[float, float, float] = (0, 0, 0)) -> np.ndarray:
    """(12, 3, 3) triangles of a box."""
    out = []
    for axis in range(3):
        for sign in (-1, 1):
            u, v = np.eye(3)[(axis + 1) % 3], np.eye(3)[(axis + 2) % 3]
            face = [sign * np.eye(3)[axis] + a * u + b * v for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
            face = face if sign > 0 else face[::-1]
            out += [[face[0], face[1], face[2]], [face[0], face[2], face[3]]]
    return np.array(out) * half + centre


def random_configurations(robot: Robot, count: int, seed: int = 0) -> np.ndarray:
    """(count, nq) joints within ±2, or their limits where those are narrower; any base pose."""
    generator = np.random.default_rng(seed)
    low, high = np.maximum(robot.lower, -2), np.minimum(robot.upper, 2)
    low, high = np.minimum(low, high), np.maximum(low, high)
    joints = generator.uniform(low, high, (count, len(low)))
    if not robot.tree.free_base:
        return joints
    turn = generator.normal(size=(count, 4))
    turn /= np.linalg.norm(turn, axis=1, keepdims=True)
    return np.concatenate([generator.uniform(-1, 1, (count, 3)), turn, joints], axis=1)


def shaped(name: str, length: float = 0.2, middle: float = -0.1) -> str:
    """A link that is a capsule's length of upright cylinder."""
    cylinder = f'<geometry><cylinder radius="0.03" length="{length}"/></geometry>'
    return link(name, f'{INERTIAL}<collision><origin xyz="0 0 {middle}"/>{cylinder}</collision>')


def hinge(
    name: str, parent: str, child: str, at: str, axis: str = "0 1 0", limit: str = 'lower="-1.5" upper="1.5"'
) -> str:
    inside = f'<origin xyz="{at}"/><axis xyz="{axis}"/><limit {limit} velocity="3" effort="4"/>'
    return joint(name, parent, child, inside=inside)


TRUNK = shaped("torso", 0.5, 0.2)


def limb_arm(side: str, limit: str = 'lower="-1.5" upper="1.5"') -> str:
    """Shoulder with two joints, elbow and a wrist that turns, on a TRUNK."""
    y = 0.2 if side == "left" else -0.2
    names = [f"{side}_{part}_link" for part in ("shoulder", "upper_arm", "forearm", "hand")]
    return "".join([
        *(shaped(name, 0.2) for name in names),
        hinge(f"{side}_shoulder_pitch_joint", "torso", names[0], f"0 {y} 0.4", limit=limit),
        hinge(f"{side}_shoulder_roll_joint", names[0], names[1], "0 0 0", "1 0 0", limit),
        hinge(f"{side}_elbow_joint", names[1], names[2], "0 0 -0.25", limit=limit),
        hinge(f"{side}_wrist_joint", names[2], names[3], "0 0 -0.25", "0 0 1", limit),
    ])  # fmt: skip


def limb_leg(side: str) -> str:
    """Hip with two joints, knee and ankle, on a TRUNK."""
    y = 0.1 if side == "left" else -0.1
    names = [f"{side}_{part}_link" for part in ("hip", "thigh", "shin", "foot")]
    return "".join([
        *(shaped(name) for name in names),
        hinge(f"{side}_hip_roll_joint", "torso", names[0], f"0 {y} 0", "1 0 0"),
        hinge(f"{side}_hip_pitch_joint", names[0], names[1], "0 0 0"),
        hinge(f"{side}_knee_joint", names[1], names[2], "0 0 -0.4"),
        hinge(f"{side}_ankle_joint", names[2], names[3], "0 0 -0.4"),
    ])  # fmt: skip


def limb_head() -> str:
    """A neck with two joints on a TRUNK."""
    return "".join([
        shaped("neck_link", 0.05, 0.05), shaped("head_link", 0.1, 0.1),
        hinge("neck_yaw_joint", "torso", "neck_link", "0 0 0.5", "0 0 1"),
        hinge("neck_pitch_joint", "neck_link", "head_link", "0 0 0.05"),
    ])  # fmt: skip


def wheels() -> str:
    """Two wheels below a TRUNK."""
    spin = '<origin xyz="0 {} -0.4"/><axis xyz="0 1 0"/>'
    return "".join(
        link(f"{side}_wheel_link", f'{INERTIAL}<collision><geometry><sphere radius="0.1"/></geometry></collision>')
        + joint(f"{side}_wheel_joint", "torso", f"{side}_wheel_link", "continuous", spin.format(y))
        for side, y in (("left", 0.2), ("right", -0.2))
    )
