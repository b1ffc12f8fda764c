"""Slowing down what would bring a robot's parts together, and nothing else; compiled."""

from __future__ import annotations

from bunraku.kinematics.jit import kernel
from bunraku.kinematics.kernels import forward_kinematics
from bunraku.kinematics.self_distance import near_pairs, pair_distance, place_bodies
from bunraku.safety.limiter_kernels import braking_speed

ROUNDS = 4
"""over all pairs: to slow one down may speed another up"""
STOP_SHARE = 0.5
"""of a pair's margin: nothing goes nearer"""
BRAKE_SHARE = 0.5
"""of what the joints can brake with is planned for"""


@kernel
def _add_speeds(tree, node, at, normal, sign, position, rotation, row):
    """Add to `row` (m,) what each independent joint adds to the speed of a point `at` of a node along `normal`."""
    while node > 0:
        R, a, k = rotation[node], tree.axis[node], tree.variable[node - 1] - tree.base_size
        u = R[0, 0] * a[0] + R[0, 1] * a[1] + R[0, 2] * a[2]
        v = R[1, 0] * a[0] + R[1, 1] * a[1] + R[1, 2] * a[2]
        w = R[2, 0] * a[0] + R[2, 1] * a[1] + R[2, 2] * a[2]
        if tree.joint_type[node] == 1:
            x, y, z = at[0] - position[node, 0], at[1] - position[node, 1], at[2] - position[node, 2]
            u, v, w = v * z - w * y, w * x - u * z, u * y - v * x
        row[k] += sign * tree.ratio[node - 1] * (u * normal[0] + v * normal[1] + w * normal[2])
        node = tree.parent[node]


@kernel
def watch_pairs(tree, bodies, memory, reach, qpos, hard, dt, position, rotation, rows, allowed):
    """Pairs nearer than `reach` (P,), m, at `qpos`: how each joint opens them, how fast they may close; their number.

    `hard` (m,) accelerations of the independent joints; `position` (N, 3) and `rotation` (N, 3, 3) scratch;
    into `rows` (P, m), m/s for a joint's 1/s, and `allowed` (P,), m/s.
    """
    forward_kinematics(tree.parent, tree.joint_type, tree.axis, tree.position, tree.rotation, tree.free_base, qpos,
                       position, rotation)  # fmt: skip
    place_bodies(bodies, memory, position, rotation)
    count = 0
    for n in range(near_pairs(bodies, memory, reach)):
        k = memory.near[n]
        distance = pair_distance(bodies, memory, k, reach[k])
        if distance >= reach[k]:
            continue
        row = rows[count]
        row[:] = 0.0
        _add_speeds(tree, bodies.node[bodies.pair[k, 0]], memory.point[0], memory.normal, -1.0, position, rotation, row)
        _add_speeds(tree, bodies.node[bodies.pair[k, 1]], memory.point[1], memory.normal, 1.0, position, rotation, row)
        brake, most = 0.0, 0.0
        for j in range(len(row)):
            brake += hard[j] * row[j] * row[j]
            most = max(most, abs(row[j]))
        room = max(distance - STOP_SHARE * bodies.margin[k], 0.0)
        allowed[count] = 0.0
        if room > 0.0 and most > 0.0:
            allowed[count] = braking_speed(room, BRAKE_SHARE * brake / most, dt)
        count += 1
    return count


@kernel
def slow_approach(rows, allowed, count, hard, speed):
    """Take from joint speeds (m,) what closes a pair faster than allowed; returns whether there was any.

    Each joint gives what it can brake with; what opens a pair, or leads past it, stays as it is.
    """
    slowed = False
    for _ in range(ROUNDS):
        for n in range(count):
            closing, share = -allowed[n], 0.0
            for j in range(len(speed)):
                closing -= rows[n, j] * speed[j]
                share += hard[j] * rows[n, j] * rows[n, j]
            if closing > 1e-9 and share > 0.0:
                slowed = True
                for j in range(len(speed)):
                    speed[j] += closing / share * hard[j] * rows[n, j]
    return slowed
