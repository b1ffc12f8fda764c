"""What was found of a robot, corrected in one line of its YAML; and hands that go where the person's are."""

from __future__ import annotations

import tempfile
from pathlib import Path

import numpy as np

import bunraku as bk
from bunraku.robots.definition import definitions
from bunraku.robots.notes import notes_text

robot = bk.load_robot("puppet")
for part in definitions(robot):
    print(f"{part.part:24} person {part.person:2}  robot {part.robot:2}  {part.verdict}")

with tempfile.TemporaryDirectory() as folder:
    notes = Path(folder) / "calmer_puppet.yaml"
    text = notes_text(robot, "puppet").replace("right_elbow_joint: 16.0", "right_elbow_joint: 1.5")
    notes.write_text(text, encoding="utf-8")
    calmer = bk.load_robot(notes)

motion = bk.read_motion("synth:box?seconds=3&fps=30")
elbow = robot.joint_index("right_elbow_joint")
for one in (robot, calmer):
    for mode in ("posture", "hands"):
        result = bk.retarget(motion, one, mode=mode)
        fastest = np.abs(np.diff(result.joints[:, elbow])).max() * motion.fps
        print(f"{mode}: an elbow that may turn at {one.velocity[elbow]:4.1f} rad/s turns at {fastest:4.1f} at most")
