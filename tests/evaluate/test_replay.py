"""Playing configurations through MuJoCo's geometry."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bunraku.evaluate import replay as replay_module
from bunraku.evaluate.hulls import hulls, sole
from bunraku.evaluate.replay import Replay, replay

JAWS = """<mujoco><worldbody><body name="a"><freejoint/><geom type="capsule" size="0.05 0.2"/>
  <body name="b"><joint axis="1 0 0"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
    <body name="c"><joint axis="0 1 0"/><inertial mass="1" pos="0 0 0" diaginertia="1 1 1"/>
      <body name="d" pos="0.3 0 0"><joint type="slide" axis="1 0 0"/>{geom}</body></body></body></body>
</worldbody></mujoco>"""
CROSSING = '<geom type="capsule" size="0.05 0.2" euler="90 0 0"/>'


def jaws(slides: np.ndarray, geom: str = CROSSING) -> Replay:
    """Two capsules with radius 5 cm, 30 cm apart, brought together by `slides`."""
    model = mujoco.MjModel.from_xml_string(JAWS.format(geom=geom))
    qpos = np.tile(model.qpos0, (len(slides), 1))
    qpos[:, -1] = -slides
    return replay(model, qpos, 30.0, hulls(model), [])


def test_two_capsules_that_overlap_by_3_mm_are_3_mm_deep() -> None:
    """Apart, 0.5 mm, 3 mm and 8 mm deep: what is less than 1 mm deep does not count, the rest by its depth."""
    result = jaws(np.array([0.1, 0.2005, 0.203, 0.208]))
    assert result.overlap == pytest.approx([0.0, 0.0, 0.003, 0.008], abs=1e-6)
    assert result.touching == ((2, "a", "d"), (3, "a", "d"))


def test_links_that_touch_at_rest_may_touch() -> None:
    """A pair in contact in the reference configuration is how the robot is built."""
    result = jaws(np.array([0.0, 0.05]), '<geom type="capsule" size="0.05 0.2" pos="-0.22 0 0"/>')
    assert not result.overlap.any()
    assert result.touching == ()


def _tumbling(frames: int) -> tuple[mujoco.MjModel, np.ndarray]:
    model = mujoco.MjModel.from_xml_string(
        '<mujoco><worldbody><body name="foot"><freejoint/><geom type="box" size="0.1 0.05 0.02"/>'
        '<geom type="sphere" size="0.06" pos="0.1 0 0.02"/></body></worldbody></mujoco>'
    )
    time = np.arange(frames)[:, None] / 30
    qpos = np.concatenate([np.sin(time * [1.0, 1.3, 0.7]), np.cos(time * [0.9, 1.1, 1.7, 0.3])], axis=1)
    qpos[:, 3:] /= np.linalg.norm(qpos[:, 3:], axis=1, keepdims=True)
    return model, qpos


def test_lowest_points_and_their_speeds_against_points_followed_one_by_one() -> None:
    """Heights and speeds equal those of all the hull's points followed through every frame."""
    model, qpos = _tumbling(60)
    shapes = hulls(model)
    result = replay(model, qpos, 30.0, shapes, [sole(model, shapes, "foot")])
    data, paths = mujoco.MjData(model), []
    for configuration in qpos:
        data.qpos[:] = configuration
        mujoco.mj_kinematics(model, data)
        paths.append(
            np.concatenate([
                s.points @ data.geom_xmat[s.geom].reshape(3, 3).T + data.geom_xpos[s.geom] - [0, 0, s.radius]
                for s in shapes
            ])
        )  # fmt: skip
    points = np.array(paths)
    lowest, frames = points[..., 2].argmin(axis=1), np.arange(60)
    speed = np.linalg.norm(np.gradient(points, axis=0)[..., :2], axis=-1) * 30
    assert result.lowest == pytest.approx(points[..., 2].min(axis=1))
    assert result.sole_height[:, 0] == pytest.approx(points[frames, lowest, 2])
    assert result.sole_speed[:, 0] == pytest.approx(speed[frames, lowest])


@pytest.mark.parametrize("frames", [1, 2, 6, 7, 8, 20])
def test_where_the_motion_is_cut_into_chunks_does_not_matter(frames: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """Seven frames at a time, or all at once: the same heights, speeds and contacts."""
    model, qpos = _tumbling(frames)
    shapes = hulls(model)
    soles = [sole(model, shapes, "foot")]
    slides = np.linspace(0.19, 0.21, frames)
    whole, whole_jaws = replay(model, qpos, 30.0, shapes, soles), jaws(slides)
    monkeypatch.setattr(replay_module, "_CHUNK", 7)
    cut, cut_jaws = replay(model, qpos, 30.0, shapes, soles), jaws(slides)
    for name in ("lowest", "overlap", "sole_height", "sole_speed"):
        assert np.array_equal(getattr(whole, name), getattr(cut, name)), name
    assert np.array_equal(whole_jaws.overlap, cut_jaws.overlap)
    assert whole_jaws.touching == cut_jaws.touching
