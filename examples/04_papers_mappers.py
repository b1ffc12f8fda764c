"""One motion by the mappers of three papers, on the robot that each was made for, and how alike the two then move."""

from __future__ import annotations

import bunraku as bk
from bunraku.retarget import make_mapper

motion = bk.read_motion("synth:conduct?seconds=4&fps=60")
for name, robot_name in (("girard", "leonardo"), ("hirschmanner", "pepper"), ("gong", "inmoov")):
    robot = bk.load_robot(robot_name)
    result = make_mapper(name, robot).solve_clip(motion)
    scores = bk.evaluate(motion, result, robot)
    held = {what: int(frames) for what, frames in result.quality.items() if what.startswith("held")}
    print(
        f"{name:13s} on {robot_name:9s} forearms {scores['limb_deg_forearm']:4.1f}° off, "
        f"alike {scores['dtw_score']:5.1f} %, held {held or 'nothing'}"
    )
