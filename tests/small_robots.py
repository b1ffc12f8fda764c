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
