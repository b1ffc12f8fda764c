"""The stage that pictures are taken on: a robot with light meshes, a floor, and soft light."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import RobotError
from bunraku.robots.meshes import to_stl
from bunraku.robots.model import parse_spec
from bunraku.robots.robot import Robot

if TYPE_CHECKING:
    import mujoco

MESH_FACES = 1200
"""a mesh of more faces is drawn with about this many: software renderers are bound by vertices"""
_DARKEST = 0.16
"""a part in pure black would be a hole in the picture"""
_STL = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("extra", "<u2")])
FLOOR = "stage floor"
FLOOR_PERIOD = 1.0
"""metres after which the floor's pattern repeats"""
_SKY = ([0.985, 0.98, 0.97], [0.87, 0.895, 0.925])
_FLOOR = ([0.90, 0.89, 0.87], [0.855, 0.845, 0.825])


def stage_model(robot: Robot, width: int, height: int, shadows: bool) -> mujoco.MjModel:
    """The robot's model to look at, not to simulate; its qpos is the robot's. Without shadows it is drawn faster."""
    import mujoco

    spec = parse_spec(robot.xml)
    spec.assets = {name: lighter(content) for name, content in robot.assets.items()}
    for geom in spec.geoms:
        geom.rgba[:3] = np.maximum(geom.rgba[:3], _DARKEST)
    _floor(spec)
    _light(spec, shadows)
    view = spec.visual
    view.global_.offwidth, view.global_.offheight = width, height
    view.global_.fovy = 24.0
    view.quality.shadowsize = 4096
    view.quality.offsamples = 4
    view.quality.numslices, view.quality.numstacks = (24, 14) if shadows else (16, 8)
    # beyond the clip the shadow map is noise: the floor in front of the camera must lie within
    view.map.shadowclip, view.map.znear, view.map.zfar = 2.2, 0.03, 40.0
    view.map.fogstart, view.map.fogend = 2.4, 7.5
    view.rgba.fog = [*(np.array(_SKY[0]) / 2 + np.array(_SKY[1]) / 2), 1]
    try:
        return spec.compile()
    except (ValueError, mujoco.FatalError) as error:
        raise RobotError(f"{robot.name}: cannot be drawn: {' '.join(str(error).split())[:300]}") from None


def _floor(spec: mujoco.MjSpec) -> None:
    import mujoco

    two_d, sky = mujoco.mjtTexture.mjTEXTURE_2D, mujoco.mjtTexture.mjTEXTURE_SKYBOX
    checker, gradient = mujoco.mjtBuiltin.mjBUILTIN_CHECKER, mujoco.mjtBuiltin.mjBUILTIN_GRADIENT
    size = {"width": 256, "height": 256}
    spec.add_texture(name="stage floor", type=two_d, builtin=checker, rgb1=_FLOOR[0], rgb2=_FLOOR[1], **size)
    spec.add_texture(name="stage sky", type=sky, builtin=gradient, rgb1=_SKY[1], rgb2=_SKY[0], **size)
    material = spec.add_material(name="stage floor", texrepeat=[2, 2], texuniform=True, specular=0.1, shininess=0.1)
    material.textures[mujoco.mjtTextureRole.mjTEXROLE_RGB] = "stage floor"
    plane = mujoco.mjtGeom.mjGEOM_PLANE
    spec.worldbody.add_geom(name=FLOOR, type=plane, size=[25, 25, 0.05], material="stage floor")


def _light(spec: mujoco.MjSpec, shadows: bool) -> None:
    """A warm key light from the front left, a cool one from behind, and what the sky gives."""
    import mujoco

    distant = mujoco.mjtLightType.mjLIGHT_DIRECTIONAL
    spec.worldbody.add_light(
        name="key", type=distant, dir=[-0.55, -0.30, -0.95], castshadow=shadows,
        diffuse=[0.60, 0.575, 0.54], specular=[0.28, 0.28, 0.26], ambient=[0, 0, 0],
    )  # fmt: skip
    spec.worldbody.add_light(
        name="rim", type=distant, dir=[0.6, 0.5, -0.6], castshadow=False,
        diffuse=[0.20, 0.22, 0.27], specular=[0.10, 0.10, 0.12], ambient=[0, 0, 0],
    )  # fmt: skip
    head = spec.visual.headlight
    head.ambient, head.diffuse, head.specular = [0.36, 0.36, 0.37], [0.20, 0.20, 0.20], [0.04, 0.04, 0.04]


def lighter(content: bytes) -> bytes:
    """A binary STL file with about `MESH_FACES` faces, where it has more and the extra `robots` is installed."""
    count = (len(content) - 84) // _STL.itemsize
    if count <= MESH_FACES or len(content) != 84 + count * _STL.itemsize:
        return content
    try:
        from fast_simplification import simplify
    except ImportError:
        return content
    corners = np.frombuffer(content, _STL, count, 84)["corners"].reshape(-1, 3)
    points, index = np.unique(corners, axis=0, return_inverse=True)
    points, faces = simplify(points, index.reshape(-1, 3).astype(np.int32), target_count=MESH_FACES)
    out: NDArray[np.float64] = points[faces].astype(float)
    return to_stl(out) if len(out) else content
