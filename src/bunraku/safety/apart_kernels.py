"""Slowing down what would bring a robot's parts together, and nothing else; compiled.

At every step the robot must be able to brake without its parts meeting. Where each joint then is at every further step
is known in closed form, so one looks there. If a step keeps to this, braking is a way out in the next one: there always
is one. To look at every second step is not enough: parts came 16 mm into each other in ten seconds of random goals.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.self_distance import near_pairs, pair_distance, place_bodies

Array = NDArray[np.float64]

ROUNDS = 3
"""of slowing down what closes a pair; then all its joints brake"""
_STRICT = 4
"""further rounds; then everything brakes"""


class Reach(NamedTuple):
    """Memory of `slow_down`, for m independent joints and P pairs."""

    qpos: Array
    """(nq,)"""
    position: Array
    """(N, 3)"""
    rotation: Array
    """(N, 3, 3)"""
    floor: Array
    """(P,) m, the distance that a pair must keep: half its margin, or what there is of that"""
    row: Array
    """(m,) how each joint opens a pair"""
    wanted: Array
    """(m,) speeds"""
    brake: Array
    """(m,) speeds after braking in this step"""
    share: Array
    """(m,) 0 … 1 of the braking that is asked for"""


@kernel
def _look(tree, bodies, memory, reach, qpos):
    forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base, qpos,
                       reach.position, reach.rotation)  # fmt: skip
    place_bodies(bodies, memory, reach.position, reach.rotation)
    return near_pairs(bodies, memory, reach.floor)


@kernel
def _opening(tree, joints, node, at, normal, sign, reach):
    """Add to `reach.row` what each joint adds to the speed of a point `at` of a node along `normal`."""
    row, position, rotation = reach.row, reach.position, reach.rotation
    while node > 0:
        k = tree.variable[node - 1] - tree.base_size
        if joints[k]:
            R, a = rotation[node], tree.axis[node]
            u = R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2]
            v = R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2]
            w = R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2]
            if tree.joint_type[node] == 1:
                x, y, z = at[0] - position[node, 0], at[1] - position[node, 1], at[2] - position[node, 2]
                u, v, w = v * z - w * y, w * x - u * z, u * y - v * x
            row[k] += sign * tree.ratio[node - 1] * (u * normal[0] + v * normal[1] + w * normal[2])
        node = tree.parent[node]


@kernel
def way_to_rest(speed, hard, dt, then, steps):
    """How far a joint goes that takes one step of dt at a speed and then brakes in steps of `then`, within so many."""
    count = min(int(abs(speed) / (hard * then)), steps - 1)
    return np.copysign(abs(speed) * dt + count * then * (abs(speed) - 0.5 * (count + 1) * hard * then), speed)


@kernel
def _brake_some(tree, bodies, memory, joints, reach, hard, dt, then, steps, k, lacking):
    """Brake what closes pair k, as much as is lacking (m) so many steps from now."""
    row = reach.row
    row[:] = 0.0
    _opening(tree, joints, bodies.node[bodies.pair[k, 0]], memory.point[0], memory.normal, -1.0, reach)
    _opening(tree, joints, bodies.node[bodies.pair[k, 1]], memory.point[1], memory.normal, 1.0, reach)
    gain = 0.0
    for j in range(len(row)):
        less = way_to_rest(reach.wanted[j], hard[j], dt, then, steps)
        less -= way_to_rest(reach.brake[j], hard[j], dt, then, steps)
        row[j] = max(-row[j] * less * (1.0 - reach.share[j]), 0.0)
        gain += row[j]
    if gain <= 0.0:
        return
    more = min(lacking / gain, 1.0)
    for j in range(len(row)):
        if row[j] > 0.0:
            reach.share[j] += more * (1.0 - reach.share[j])


@kernel
def _speed(reach, j):
    return reach.wanted[j] + reach.share[j] * (reach.brake[j] - reach.wanted[j])


@kernel
def _advance(tree, reach, columns, start, hard, dt, then, steps):
    """Into `reach.qpos`: where the robot is after so many steps of its way to rest."""
    reach.qpos[:] = start
    for j in range(len(columns)):
        reach.qpos[columns[j]] += way_to_rest(_speed(reach, j), hard[j], dt, then, steps)
    first = tree.first_joint
    for joint in range(len(tree.leader)):
        if tree.leader[joint] != joint:
            reach.qpos[first + joint] = tree.ratio[joint] * reach.qpos[first + tree.leader[joint]] + tree.offset[joint]


@kernel
def _check(tree, bodies, memory, joints, reach, columns, start, hard, dt, then, attempt):
    """Whether all pairs keep their distance until the robot rests; brakes where they do not, the harder the later."""
    longest, clear = 1, True
    for j in range(len(hard)):
        longest = max(longest, 1 + int(abs(_speed(reach, j)) / (hard[j] * then)))
    for steps in range(longest, 0, -1):
        _advance(tree, reach, columns, start, hard, dt, then, steps)
        for n in range(_look(tree, bodies, memory, reach, reach.qpos)):
            k = memory.near[n]
            lacking = reach.floor[k] - pair_distance(bodies, memory, k, reach.floor[k])
            if lacking <= 0.0:
                continue
            clear = False
            if attempt < ROUNDS:
                _brake_some(tree, bodies, memory, joints[k], reach, hard, dt, then, steps, k, lacking)
                continue
            for j in range(len(hard)):
                if joints[k, j] or attempt == ROUNDS + _STRICT:
                    reach.share[j] = 1.0
    return clear


@kernel
def slow_down(tree, bodies, memory, joints, reach, columns, floor, start, rate, hard, dt, then):
    """Set `reach.share` (m,): how much of their braking joints need so that no pair comes too near; whether any does.

    `start` (nq,) where the robot is, `rate` (m,) how fast its independent joints go, `reach.wanted` (m,) how fast they
    would go in this step of `dt` s, the next ones being `then`; `joints` (P, m) which of them move the bodies of a
    pair against each other; `floor` (P,) m.
    """
    reach.share[:] = 0.0
    for j in range(len(rate)):
        reach.brake[j] = np.copysign(max(abs(rate[j]) - hard[j] * dt, 0.0), rate[j])
    reach.floor[:] = floor
    for n in range(_look(tree, bodies, memory, reach, start)):
        k = memory.near[n]
        reach.floor[k] = min(floor[k], pair_distance(bodies, memory, k, floor[k]))
    for attempt in range(ROUNDS + _STRICT + 1):
        if _check(tree, bodies, memory, joints, reach, columns, start, hard, dt, then, attempt):
            return attempt > 0
    return True
