"""Shoulder and elbow for two directions, those of upper arm and forearm, as the second paper has it; compiled."""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part
from bunraku.retarget.chain_kernels import behind, elbow_way, is_rigid
from bunraku.retarget.turn_kernels import (
    added,
    angle_about,
    better_way,
    cross,
    dot,
    go,
    meeting,
    one_way,
    prefers,
    row,
    scaled,
    turned,
    two_axes,
    unit,
)

ROUNDS = 12
"""in which the place of an elbow that stands off the axis of the upper arm's turn is found"""
CLOSE_RAD = 0.5
"""a way this short, all joints together, that misses nothing is taken without looking at the others"""


@part
def _turn_for(chains, side, upper, fore, up, bend, turn, last):
    """The turn of the upper arm that the forearm asks for, when the elbow is thought to stand as after `turn`."""
    axis = chains.axis[side]
    a1, a2, a3, a4 = row(axis, 0), row(axis, 1), row(axis, 2), row(axis, 3)
    reach = elbow_way(chains, side, turn)
    t1, _ = angle_about(a1, meeting(a1, a2, reach, upper, up), upper)
    rest = turned(a1, -t1, upper)
    t2, _ = angle_about(a2, reach, rest)
    rest = turned(a2, -t2, turned(a1, -t1, fore))
    t3, _ = angle_about(a3, meeting(a3, a4, row(chains.bone[side], 2), rest, bend), rest)
    return t3 + 2.0 * np.pi * np.round((last - t3) / (2.0 * np.pi))


@part
def _find_turn(chains, side, upper, fore, up, bend, last):
    """The same where the elbow stands off the axis of that turn: found by secants."""
    turn, before, gap = last, 0.0, 0.0
    for k in range(ROUNDS):
        error = _turn_for(chains, side, upper, fore, up, bend, turn, turn) - turn
        if abs(error) < 1e-12:
            break
        slope = (error - gap) / (turn - before) if k > 0 and abs(turn - before) > 1e-13 else -1.0
        before, gap = turn, error
        turn += min(max(-error / slope if slope < -0.1 else error, -1.0), 1.0)
    return turn


@part
def _exact_turn(chains, side, upper, fore, up, bend, last):
    """The same where the whole upper arm turns: bend the elbow to the angle between the two, then lay the arm over."""
    axis = chains.axis[side]
    a1, a2, a3, a4 = row(axis, 0), row(axis, 1), row(axis, 2), row(axis, 3)
    u, f = unit(row(chains.bone[side], 1)), row(chains.bone[side], 2)
    still = dot(a4, u) * dot(a4, f)
    cosine, sine = dot(u, f) - still, dot(u, cross(a4, f))
    swing = np.sqrt(cosine * cosine + sine * sine)
    part_way = min(max((dot(upper, fore) - still) / max(swing, 1e-9), -1.0), 1.0)
    t4 = np.arctan2(sine, cosine) + bend * np.arccos(part_way)
    n, N = unit(cross(u, turned(a4, t4, f))), unit(cross(upper, fore))
    along = a3 if dot(a3, u) > 0.0 else scaled(a3, -1.0)
    side_on, ahead, across = dot(along, n), dot(along, u), dot(along, cross(n, u))
    p = added(added(scaled(N, side_on), scaled(upper, ahead)), scaled(cross(N, upper), across))
    t1, _ = angle_about(a1, meeting(a1, a2, along, p, up), p)
    rest = turned(a1, -t1, p)
    t2, _ = angle_about(a2, along, rest)
    t3, _ = angle_about(a3, u, turned(a2, -t2, turned(a1, -t1, upper)))
    return t3 + 2.0 * np.pi * np.round((last - t3) / (2.0 * np.pi))


@kernel
def _arm_by(chains, memory, side, upper, fore, fore_known, up, turn_up, bend):
    """Shoulder and elbow when each pair goes one of its two ways: the first angle, the turn of the upper arm for which
    the elbow is where it is looked for, what is missed, and the way there."""
    axis, limits, last = chains.axis[side], chains.limits[side], memory.angle[side]
    started, a1, a2, turn = memory.started[side], row(axis, 0), row(axis, 1), last[2]
    if fore_known and not is_rigid(chains, side):
        whole = dot(row(chains.bone[side], 0), row(chains.bone[side], 0)) == 0.0
        if whole:
            turn = _exact_turn(chains, side, upper, fore, turn_up, bend, turn)
        else:
            turn = _find_turn(chains, side, upper, fore, turn_up, bend, turn)
        turn = min(max(turn, limits[2, 0]), limits[2, 1])
    t1, t2, miss = one_way(
        a1, a2, elbow_way(chains, side, turn), upper, up, limits[0], limits[1], last[0], last[1], started
    )
    way = abs(t1 - last[0]) + abs(t2 - last[1])
    if fore_known:
        rest = turned(a2, -t2, turned(a1, -t1, fore))
        t3, t4, more = better_way(
            row(axis, 2), row(axis, 3), row(chains.bone[side], 2), rest,
            limits[2], limits[3], last[2], last[3], started,
        )  # fmt: skip
        miss = 1.0 - dot(elbow_way(chains, side, t3), turned(a2, -t2, turned(a1, -t1, upper))) + more
        way += abs(t3 - last[2]) + abs(t4 - last[3])
    return t1, turn, miss, way


@kernel
def solve_directions(chains, memory, side, upper, fore, fore_known, dt_s):
    """Two joints of the shoulder for the upper arm's direction, two of the elbow for the forearm's."""
    axis, limits, angle = chains.axis[side], chains.limits[side], memory.angle[side]
    started, near = memory.started[side], 0
    t1, turn, miss, way = angle[0], angle[2], np.inf, np.inf
    ways = 2 if is_rigid(chains, side) or not fore_known else 8
    for k in range(ways):
        turn_up, bend = 1.0 - 2.0 * (k % 2), 1.0 - 2.0 * (k // 2 % 2)
        up = -turn_up if k >= 4 else turn_up
        s1, other_turn, other, detour = _arm_by(chains, memory, side, upper, fore, fore_known, up, turn_up, bend)
        if near == 0 or prefers(miss, way, other, detour, started):
            t1, turn, miss, way, near = s1, other_turn, other, detour, 1
        if miss < 1e-9 and way < CLOSE_RAD:
            break
    reach = elbow_way(chains, side, turn)
    angle[0], angle[1], sure = go(
        row(axis, 0), row(axis, 1), reach, upper, t1, limits[0], limits[1], angle[0], angle[1], started, dt_s
    )
    if not fore_known:
        return sure
    rest = behind(chains, side, 2, angle, fore)
    angle[2], angle[3], elbow_sure = two_axes(
        row(axis, 2), row(axis, 3), row(chains.bone[side], 2), rest,
        limits[2], limits[3], angle[2], angle[3], started, dt_s,
    )  # fmt: skip
    return min(sure, elbow_sure)
