"""The model that is simulated."""

from __future__ import annotations

from pathlib import Path

import mujoco
import numpy as np

from bunraku.outputs.sim_model import addresses, simulation_model
from bunraku.robots import load_robot


def test_motors_drive_what_leads() -> None:
    """One motor for each servo, as strong as the joint's effort limit; none for a joint that follows."""
    robot = load_robot("puppet")
    model = simulation_model(robot, held=True, timestep_s=0.002)
    names = [model.actuator(k).name for k in range(model.nu)]
    assert names == [robot.joint_names[k] for k in robot.tree.independent]
    np.testing.assert_allclose(model.actuator_forcerange[:, 1], robot.effort[robot.tree.independent])
    np.testing.assert_allclose(model.opt.gravity, [0, 0, -9.81])
    assert model.opt.integrator == mujoco.mjtIntegrator.mjINT_IMPLICITFAST


def test_a_held_base_has_no_freedom_and_a_free_one_has_six() -> None:
    """Joint addresses follow the names either way."""
    robot = load_robot("puppet")
    n = len(robot.joint_names)
    held, free = (simulation_model(robot, held=h, timestep_s=0.002) for h in (True, False))
    assert (held.nv, held.nmocap) == (n, 1)
    assert (free.nv, free.nmocap) == (n + 6, 0)
    np.testing.assert_array_equal(addresses(held, robot)[1], np.arange(n))
    np.testing.assert_array_equal(addresses(free, robot)[1], np.arange(n) + 6)


def test_neighbours_do_not_push_each_other(tmp_path: Path) -> None:
    """Links up to two joints apart, and links that touch in the neutral pose, are left alone; others are not."""
    links = ""
    for k in range(4):
        links += f'<body name="link{k}" pos="0.1 0 0"><joint name="j{k}" axis="0 1 0" range="-90 90"/>'
        links += '<geom type="capsule" size="0.08 0.05"/>'
    xml = f'<mujoco><worldbody><body name="base"><geom size="0.05"/>{links}{"</body>" * 4}</body></worldbody></mujoco>'
    path = tmp_path / "chain.xml"
    path.write_text(xml)
    robot = load_robot(path, base="fixed")
    model = simulation_model(robot, held=False, timestep_s=0.002)
    pairs = {(model.exclude_signature[k] >> 16, model.exclude_signature[k] & 0xFFFF) for k in range(model.nexclude)}
    named = {frozenset((model.body(int(a)).name, model.body(int(b)).name)) for a, b in pairs}
    assert frozenset(("link0", "link2")) in named
    assert frozenset(("base", "link1")) in named
    assert frozenset(("base", "link3")) not in named


def test_motors_that_the_description_forgot(tmp_path: Path) -> None:
    """A joint without rotor inertia and friction gets both in proportion to its motor; given ones stay."""
    xml = """<mujoco><worldbody><body name="base"><geom size="0.05"/>
      <body name="a"><joint name="bare" axis="0 1 0" range="-90 90"/><geom size="0.05" pos="0.2 0 0"/>
      <body name="b"><joint name="given" axis="0 1 0" range="-90 90" armature="0.3" damping="0.2"/>
      <geom size="0.05" pos="0.4 0 0"/></body></body></body></worldbody></mujoco>"""
    path = tmp_path / "two.xml"
    path.write_text(xml)
    limits = {"velocity": {"bare": 4.0, "given": 4.0}, "effort": {"bare": 40.0, "given": 40.0}}
    robot = load_robot(path, base="fixed", overrides=limits)
    model = simulation_model(robot, held=False, timestep_s=0.002)
    np.testing.assert_allclose(model.dof_armature, [0.05, 0.3])
    np.testing.assert_allclose(model.dof_damping, [0.5, 0.2])
