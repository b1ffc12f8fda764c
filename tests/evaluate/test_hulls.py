"""Hulls of collision shapes against MuJoCo's own facts."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest

from bunraku.evaluate.hulls import ancestors, apart, hulls, sole
from bunraku.kinematics import rotations

CUBE = " ".join(f"{x} {y} {z}" for x in (-1, 1) for y in (-1, 1) for z in (-1, 1)) + " 0 0 0 0.3 0.2 0.1"


def model(bodies: str, assets: str = "") -> mujoco.MjModel:
    return mujoco.MjModel.from_xml_string(
        f"<mujoco><asset>{assets}</asset><worldbody><geom type='plane' size='1 1 1'/>{bodies}</worldbody></mujoco>"
    )


@pytest.mark.parametrize(
    ("geom", "lowest"),
    [
        ('type="sphere" size="0.2"', -0.2),
        ('type="capsule" size="0.1 0.3"', -0.4),
        ('type="box" size="0.1 0.2 0.3"', -0.3),
        ('type="cylinder" size="0.1 0.3"', -0.3),
        ('type="ellipsoid" size="0.1 0.2 0.3"', -0.3),
        ('type="capsule" size="0.1 0.3" euler="90 0 0"', -0.1),
        ('type="box" size="0.1 0.2 0.3" euler="0 90 0"', -0.1),
        ('type="cylinder" size="0.1 0.3" euler="90 0 0"', -0.1),
        ('type="ellipsoid" size="0.1 0.2 0.3" euler="90 0 0"', -0.2),
    ],
)
def test_the_lowest_point_of_each_shape(geom: str, lowest: float) -> None:
    """Each kind of shape, upright or lying, reaches as low as its size says."""
    m = model(f"<body><freejoint/><geom {geom}/></body>")
    (hull,) = hulls(m)
    turn = rotations.to_matrix(m.geom_quat[hull.geom])
    assert (hull.points @ turn[2]).min() - hull.radius == pytest.approx(lowest, abs=1e-9)


def test_a_mesh_is_its_convex_hull() -> None:
    """Of a cube with points inside it the eight corners remain."""
    m = model('<body><freejoint/><geom type="mesh" mesh="cube"/></body>', f'<mesh name="cube" vertex="{CUBE}"/>')
    (hull,) = hulls(m)
    turn = rotations.to_matrix(m.geom_quat[hull.geom])
    corners = hull.points @ turn.T + m.geom_pos[hull.geom]
    assert sorted(np.round(corners, 5).tolist()) == sorted([x, y, z] for x in (-1, 1) for y in (-1, 1) for z in (-1, 1))


def test_scenery_and_pictures_are_not_the_robot() -> None:
    """The floor and geoms that collide with nothing have no hull."""
    m = model('<body><freejoint/><geom size="0.1"/><geom size="0.5" contype="0" conaffinity="0"/></body>')
    assert [hull.radius for hull in hulls(m)] == pytest.approx([0.1])


CHAIN = """
<body name="a"><freejoint/><geom size="0.1"/>
  <body name="b"><joint/><geom size="0.1"/>
    <body name="c"><geom size="0.1"/>
      <body name="d"><joint/><geom size="0.1"/>
        <body name="e"><joint/><geom size="0.1"/></body></body></body></body>
  <body name="f"><joint/><geom size="0.1"/></body>
</body>"""


def test_distance_counts_joints_and_not_welds() -> None:
    """a–d is two joints (c is welded to b), a–e and e–f are more than two; nothing is apart from the world."""
    m = model(CHAIN)
    far = apart(m)
    index = {m.body(i).name: i for i in range(m.nbody)}
    pairs = {a + b for a in "abcdef" for b in "abcdef" if a < b and far[index[a], index[b]]}
    assert pairs == {"ae", "df", "ef"}
    assert not far[0].any()
    assert (far == far.T).all()


def test_what_hangs_on_a_foot_belongs_to_its_sole() -> None:
    """A foot's sole has its own shapes, those welded to it, and its toes'; a name that is not there has none."""
    m = model(CHAIN)
    shapes = hulls(m)

    def bodies(name: str) -> set[str]:
        return {m.body(m.geom_bodyid[shape.geom]).name for shape in sole(m, shapes, name)}

    assert bodies("d") == {"d", "e"}
    assert bodies("c") == {"b", "c", "d", "e"}
    assert bodies("nobody") == set()
    assert ancestors(m)[:, 0].all()
