"""What a robot's YAML says of its body plan: parts replaced, left out or put elsewhere, after they were found."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from bunraku.errors import RobotError
from bunraku.robots.anatomy import Plan
from bunraku.robots.overrides import SIDES
from bunraku.robots.robot import Point, Robot
from bunraku.robots.skeleton import UP

_CHAINS = {"torso", "neck"} | {f"{side}_{part}" for side in SIDES for part in ("arm", "leg")}
"""parts whose joints lie one behind the other"""
_OF_LIMB = {
    f"{side}_{part}": f"{side}_{limb}"
    for side in SIDES
    for limb, parts in (("arm", ("upper_arm", "forearm", "hand")), ("leg", ("thigh", "shin", "foot")))
    for part in parts
}
_SAME = 1e-9


def check_names(robot: Robot) -> None:
    """Refuse links and joints that the robot does not have, and chains that are none."""
    said = _said(robot)
    for link in said.get("links", {}).values():
        robot.links.index(link)
    for point in said.get("points", {}).values():
        robot.links.index(point["link"])
    for part, names in said.get("joints", {}).items():
        nodes = [robot.joint_index(name) + 1 for name in names]
        for above, node in pairwise(nodes):
            if part in _CHAINS and not _hangs_on(robot, node, above):
                first, second = (robot.joint_names[k - 1] for k in (above, node))
                raise RobotError(f"joints of {part}: '{second}' does not come after '{first}' in the robot's tree")


def corrected_plan(plan: Plan, robot: Robot) -> Plan:
    """The plan with the chains of joints that the YAML names; an empty one is left out. A torso moves the chest."""
    said = _said(robot)
    reasons = list(plan.reasons)
    tables: dict[str, dict[str, list[int]]] = {"arm": dict(plan.arms), "leg": dict(plan.legs)}
    tables["fingers"] = dict(plan.fingers)
    single = {"torso": plan.torso, "neck": plan.neck, "face": plan.face}
    found = {part: chain for part, chain in single.items() if chain}
    found |= {f"{side}_{kind}": chain for kind, table in tables.items() for side, chain in table.items()}
    for part, names in said.get("joints", {}).items():
        chain = [robot.joint_index(name) + 1 for name in names]
        if chain == found.get(part, []):
            continue
        side, _, kind = part.partition("_")
        if part in single:
            single[part] = chain
        elif chain:
            tables[kind][side] = chain
        else:
            tables[kind].pop(side, None)
        reasons.append(f"{part}: {', '.join(names) or 'none'}, as the robot's YAML says")
    chest = single["torso"][-1] if single["torso"] != plan.torso and single["torso"] else plan.chest
    left = plan.left
    if "forward" in said:
        given = np.cross(UP, np.asarray(said["forward"], float))
        given /= np.linalg.norm(given)
        if np.abs(given - left).max() > _SAME:
            left = given
            reasons.append(f"forward: {said['forward']}, as the robot's YAML says")
    return replace(
        plan, left=left, legs=tables["leg"], arms=tables["arm"], fingers=tables["fingers"],
        torso=single["torso"], neck=single["neck"], face=single["face"], chest=chest, reasons=reasons,
    )  # fmt: skip


def correct_links(robot: Robot, links: dict[str, int], points: dict[str, Point], reasons: list[str]) -> None:
    """Links and joint centres that the YAML names, in place; those of limbs that it leaves out are not added.

    Wrist and ankle go along with the link of hand and foot, where no point says otherwise.
    """
    said = _said(robot)
    out = {part for part, names in said.get("joints", {}).items() if not names}
    for part, name in said.get("links", {}).items():
        link = robot.links.index(name)
        if links.get(part) == link or _OF_LIMB.get(part) in out:
            continue
        links[part] = link
        if part in points:
            points[part] = Point(link, np.zeros(3))
        reasons.append(f"{part}: {name}, as the robot's YAML says")
    for part, point in said.get("points", {}).items():
        given = Point(robot.links.index(point["link"]), np.asarray(point["at"], float))
        if _OF_LIMB[part] in out or (part in points and _same(points[part], given)):
            continue
        points[part] = given
        reasons.append(f"{part}: at {point['at']} on {point['link']}, as the robot's YAML says")


def _said(robot: Robot) -> Mapping[str, Any]:
    said: Mapping[str, Any] = robot.overrides.get("semantics", {})
    return said


def _same(one: Point, other: Point) -> bool:
    return one.link == other.link and bool(np.abs(one.position - other.position).max() <= _SAME)


def _hangs_on(robot: Robot, node: int, above: int) -> bool:
    while node > above:
        node = int(robot.tree.parent[node])
    return node == above
