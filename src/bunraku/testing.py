"""What every source and output must keep to, as functions that a plug-in's own tests call: green means done."""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np

from bunraku.human import HumanPose
from bunraku.human.skeleton import JOINT_COUNT
from bunraku.outputs.output import Output
from bunraku.robots import Robot
from bunraku.robots.command import Command, Measured
from bunraku.sources.live import Source


class ConformanceError(AssertionError):
    """What a plug-in does that its users must not meet; the message says what."""


def check_source(make: Callable[[], Source], *, seconds: float = 2.0, rate_hz: float = 120.0, start_ns: int = 0) -> int:
    """Use a source as the session does, on a clock that this function moves; returns how many poses it gave.

    `make` gives an unopened source; what it is fed with is the caller's. The source must take instants as they come,
    count what it receives, give poses of the canonical skeleton that are not from the future, and close twice.
    """
    source = make()
    _need(source.latest(start_ns) is None, "it has a pose before it is opened")
    source.open(start_ns)
    shown, poses = None, 0
    for tick in range(1, round(seconds * rate_hz) + 1):
        now = start_ns + round(tick / rate_hz * 1e9)
        _need(all(isinstance(fd, int) and fd >= 0 for fd in source.waits_on()), "waits_on() gives no descriptors")
        source.receive(now)
        source.receive(now)
        pose, health = source.latest(now), source.health(now)
        rejected = sum(health.rejected.values())
        _need(
            health.accepted + rejected == health.received,
            f"of {health.received} frames received, {health.accepted} were accepted and {rejected} rejected",
        )
        _need(health.age_s >= 0, f"the newest frame is {health.age_s} s old")
        _need(bool(health.connected or health.reason), "it is not connected and does not say why")
        _need(source.latest(now) is pose, "latest() gives another object though nothing new arrived")
        if pose is not None and pose is not shown:
            _check_pose(pose, now)
            _need(shown is None or pose.received_ns >= shown.received_ns, "a newer pose arrived earlier")
            shown, poses = pose, poses + 1
    source.close()
    source.close()
    source.receive(start_ns + round((seconds + 1) * 1e9))
    return poses


def check_output(make: Callable[[], Output], robot: Robot, *, seconds: float = 1.0, rate_hz: float = 120.0) -> int:
    """Use an output as the session does, in real time; returns how many measurements it gave.

    It must say whose joints it takes, count its commands, measure in the robot's order in finite numbers, give up its
    authority, and close twice. The robot stays where it is: it is told its own measured, or neutral, pose.
    """
    output = make()
    info = output.open()
    _need(info.joint_names == robot.joint_names, "its joints are not the robot's, in the robot's order")
    last, reports, sequence = None, 0, -1
    period_s = 1 / rate_hz
    for tick in range(round(seconds * rate_hz)):
        measured = output.measured()
        if measured is not None and measured is not last:
            _check_measured(measured, robot)
            _need(last is None or measured.stamp_ns >= last.stamp_ns, "a newer measurement has an earlier stamp")
            last, reports = measured, reports + 1
        qpos = robot.neutral.copy() if last is None else last.qpos
        begun = time.monotonic_ns()
        command = Command(qpos=qpos, stamp_ns=begun, weight=min(tick * period_s, 1.0), arming=1)
        sent = output.send(command)
        _need(np.shape(sent.qpos) == np.shape(robot.neutral), "what it says was sent is no configuration")
        _need(sent.sequence > sequence, "it does not count its commands")
        _need(sent.acknowledged <= sent.sequence, "the robot acknowledged a command that was not sent")
        sequence = sent.sequence
        time.sleep(max(period_s - (time.monotonic_ns() - begun) / 1e9, 0.0))
    output.stop()
    output.release()
    output.close()
    output.close()
    return reports


def _check_measured(measured: Measured, robot: Robot) -> None:
    """Shapes and numbers of one measurement."""
    n, nq, nv = len(robot.joint_names), len(robot.neutral), robot.tree.velocity_size
    for name, length in (("qpos", nq), ("qvel", nv), ("effort", n), ("error", n), ("saturated", n)):
        got = np.shape(getattr(measured, name))
        _need(got == (length,), f"{name} has shape {got}, not {(length,)}")
    _need(bool(np.isfinite(measured.qpos).all() and np.isfinite(measured.qvel).all()), "it measures what is no number")


def _check_pose(pose: HumanPose, now_ns: int) -> None:
    """Shapes, stamps and numbers of one pose."""
    for name, shape in (("positions", 3), ("rotations", 4), ("position_valid", None), ("rotation_valid", None)):
        wanted = (JOINT_COUNT,) if shape is None else (JOINT_COUNT, shape)
        got = np.shape(getattr(pose, name))
        _need(got == wanted, f"{name} has shape {got}, not {wanted}")
    received = pose.received_ns
    _need(received <= now_ns, f"a pose from the future: received {(received - now_ns) / 1e9:g} s from now")
    for values, flags in (("positions", "position_valid"), ("rotations", "rotation_valid")):
        known = np.asarray(getattr(pose, values))[np.asarray(getattr(pose, flags), bool)]
        _need(bool(np.isfinite(known).all()), f"{values} that are said to be known are not finite")
        if values == "rotations" and len(known):
            _need(bool(np.allclose(np.linalg.norm(known, axis=-1), 1, atol=1e-3)), "rotations are not unit quaternions")


def _need(holds: bool, otherwise: str) -> None:
    if not holds:
        raise ConformanceError(otherwise)
