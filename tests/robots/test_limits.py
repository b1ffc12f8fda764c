"""Speed and force of joints."""

from __future__ import annotations

import pytest

from bunraku.robots import load_robot
from small_robots import joint, link, mjcf, urdf, write

TWO = """<body name="base"><geom size="0.1"/>
<body name="a"><joint name="a"{0}/><inertial pos="0 0 0.5" mass="2" diaginertia="1 1 1"/></body>
<body name="b"><joint name="b" type="slide"/><inertial pos="0 0 1" mass="3" diaginertia="1 1 1"/></body></body>"""


def efforts(tmp_path, *sections: str, joint_attributes: str = "") -> dict[str, float]:
    robot = load_robot(write(tmp_path, mjcf(TWO.format(joint_attributes), *sections), "r.xml"))
    return dict(zip(robot.joint_names, robot.effort.tolist(), strict=True))


def test_the_description_comes_first(tmp_path):
    """URDF limits as they are; zero, negative and infinite ones say nothing."""
    text = urdf(*map(link, "abcd"), joint("x", "a", "b"),
                joint("y", "b", "c", inside='<limit velocity="0" effort="-3"/>'),
                joint("z", "c", "d", "prismatic", '<limit velocity="inf" lower="0" upper="1"/>'))  # fmt: skip
    robot = load_robot(write(tmp_path, text))
    assert robot.velocity.tolist() == [3.0, 10.0, 0.5]
    assert robot.effort[0] == 4.0


def test_without_a_limit_the_masses_tell(tmp_path):
    """Twice what holds up what the joint carries, at that distance; a slide carries its weight."""
    assert efforts(tmp_path) == pytest.approx({"a": 2 * 2 * 9.81 * 0.5, "b": 2 * 3 * 9.81})


def test_a_light_joint_gets_the_least(tmp_path):
    """Half a newton metre, however small the finger."""
    text = mjcf('<body><geom size="0.1"/><body><joint/><geom size="0.001"/></body></body>')
    assert load_robot(write(tmp_path, text, "r.xml")).effort.tolist() == [0.5]


@pytest.mark.parametrize(
    "actuator, expected",
    [
        ('<motor joint="a" ctrlrange="-7 7"/>', 7),
        ('<motor joint="a" ctrlrange="-7 7" gear="10"/>', 70),
        ('<motor joint="a" ctrlrange="-7 7" forcerange="-5 5"/>', 5),
        ('<position joint="a" kp="10" ctrlrange="-1 1" forcerange="-3 6"/>', 6),
        ('<position joint="a" kp="10" ctrlrange="-1 1"/>', 19.62),
        ('<motor joint="a" ctrlrange="-1 1"/><motor name="n" joint="a" ctrlrange="-4 4"/>', 4),
        ('<general joint="a" ctrlrange="-2 2" gainprm="8"/>', 16),
    ],
)
def test_actuators_tell_the_force(tmp_path, actuator, expected):
    """Force ranges, else the control range of a plain motor, times gear and gain; of several the strongest."""
    assert efforts(tmp_path, f"<actuator>{actuator}</actuator>")["a"] == pytest.approx(expected)


def test_a_joints_own_force_range_counts(tmp_path):
    """actuatorfrcrange, where no actuator has a range of its own."""
    assert efforts(tmp_path, joint_attributes=' actuatorfrcrange="-9 9"')["a"] == 9


def test_legs_are_strong_enough_for_the_robot(tmp_path):
    """A hip that carries a light leg still holds the heavy robot, at a quarter of the leg's length."""
    heavy = link("pelvis", '<inertial><mass value="50"/><inertia ixx="1" iyy="1" izz="1"/></inertial>')
    light = '<inertial><mass value="0.1"/><inertia ixx="0.001" iyy="0.001" izz="0.001"/></inertial>'
    parts = [heavy]
    for side, y in (("left", 0.1), ("right", -0.1)):
        above = "pelvis"
        for part, z in (("hip", 0), ("knee", -0.4), ("ankle", -0.4)):
            origin = f'<origin xyz="0 {y if part == "hip" else 0} {z}"/><axis xyz="0 1 0"/>'
            parts += [
                link(f"{side}_{part}", light),
                joint(f"{side}_{part}_j", above, f"{side}_{part}", "continuous", origin),
            ]
            above = f"{side}_{part}"
    robot = load_robot(write(tmp_path, urdf(*parts)))
    assert robot.effort == pytest.approx([2 * 50.6 * 9.81 * 0.8 / 4] * 6)
