"""A generated wave on the built-in puppet: read, retarget, judge, save."""

from __future__ import annotations

import tempfile
from pathlib import Path

import bunraku as bk

motion = bk.read_motion("synth:wave?seconds=4")
robot = bk.load_robot("puppet")
result = bk.retarget(motion, robot)

print(f"{len(motion)} human frames became {result.qpos.shape} numbers for {robot.name}")
print(bk.evaluate(motion, result, robot))

with tempfile.TemporaryDirectory() as folder:
    path = result.save(Path(folder) / "wave.puppet.npz")
    again = bk.RobotMotion.load(path)
    print(f"saved and read again: {again.joint_names[:3]} … at {again.fps:g} frames per second")
