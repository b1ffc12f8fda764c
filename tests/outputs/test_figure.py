"""Bodies given as points."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bunraku.outputs.figure import Figure, draw_figure, height_of

FIGURE = Figure(edges=((0, 1), (1, 2), (2, 3)), head=(2, 3))
POINTS = np.array([[0, 0, 1.0], [0, 0, 1.2], [0, 0, 1.4], [0, 0, 1.5]])


def scene(room: int = 100) -> mujoco.MjvScene:
    model = mujoco.MjModel.from_xml_string("<mujoco/>")
    return mujoco.MjvScene(model, maxgeom=room)


def drawn(valid: list[bool], room: int = 100) -> list[mujoco.MjvGeom]:
    stage = scene(room)
    draw_figure(stage, FIGURE, POINTS, np.array(valid), 1.7)
    return list(stage.geoms[: stage.ngeom])


def test_bones_knobs_and_a_head() -> None:
    """Three bones, a knob on each point, and a head around the last."""
    kinds = [geom.type for geom in drawn([True] * 4)]
    assert kinds.count(mujoco.mjtGeom.mjGEOM_CAPSULE) == 3
    assert kinds.count(mujoco.mjtGeom.mjGEOM_SPHERE) == 4
    assert kinds.count(mujoco.mjtGeom.mjGEOM_ELLIPSOID) == 1
    head = next(geom for geom in drawn([True] * 4) if geom.type == mujoco.mjtGeom.mjGEOM_ELLIPSOID)
    assert head.pos[2] > 1.5


def test_what_is_not_valid_is_not_drawn() -> None:
    """A missing point takes its bones, its knob and a head that needs it with it."""
    kinds = [geom.type for geom in drawn([True, True, False, True])]
    assert kinds.count(mujoco.mjtGeom.mjGEOM_CAPSULE) == 1
    assert kinds.count(mujoco.mjtGeom.mjGEOM_SPHERE) == 2
    assert kinds.count(mujoco.mjtGeom.mjGEOM_ELLIPSOID) == 0
    assert drawn([False] * 4) == []


def test_a_full_scene_takes_no_more() -> None:
    """Drawing stops where the scene's room ends."""
    assert len(drawn([True] * 4, room=5)) == 5


def test_height_counts_the_head_and_only_what_is_valid() -> None:
    """Somewhat more than from the lowest to the highest valid point; an adult's where there is nothing to see."""
    assert height_of(POINTS, np.ones(4, bool)) == pytest.approx(0.54)
    assert height_of(POINTS, np.array([False, True, True, False])) == pytest.approx(0.216)
    assert height_of(POINTS, np.zeros(4, bool)) == pytest.approx(1.75)
