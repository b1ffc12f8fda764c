"""Live use: one pose in, one configuration out, as a control loop would do it."""

from __future__ import annotations

import numpy as np

import bunraku as bk
from bunraku.retarget import WholeBodyMapper

motion = bk.read_motion("synth:walk?seconds=3&fps=60")
robot = bk.load_robot("puppet")
mapper = WholeBodyMapper(robot)
state = mapper.start()

elbow = robot.first_joint + robot.semantics.hinges["left_arm"]
for number, pose in enumerate(motion):
    target = mapper.solve(pose, state, dt_s=1 / motion.fps)
    if number % 30 == 0:
        angle = np.degrees(target.qpos[elbow])
        print(f"{number / motion.fps:4.1f} s  left elbow {angle:6.1f}°  left over {target.cost:.4f} rad²")
