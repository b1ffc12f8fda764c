"""The limiter's law, compiled: position, velocity and acceleration hold together for any target, at any time step.

A joint at q with speed v and the room d ahead of it may take the speed u in a step of dt if u·dt + u²/2a ≤ d: it is
then able to stop before its limit, for any steps that follow. The largest such u is `braking_speed`. Since the last
step kept to this, u = v - a·dt does too, so there always is a speed to take.
"""

from __future__ import annotations

import numpy as np

from bunraku.kinematics.jit import kernel, part

POSITION, VELOCITY, ACCELERATION, GARBAGE = 1, 2, 4, 8
"""bits: which limit held a joint back; GARBAGE is a target that is no number, or one that nobody means"""
LOWER, UPPER, SPEED, HARD, STOP, SLOW = 0, 1, 2, 3, 4, 5
"""columns of a table of limits"""
PLACE, RATE, GOAL = 0, 1, 2
"""columns of a table of what is moving; a goal of NaN is none"""
ABSURD = 1e4
"""rad or m: a target beyond this is garbage"""
CREEP = 0.1
"""of the slow pace: how fast a joint that began outside of its limits comes back"""
_FAR = 1e12
_UNIT = 1e-2
"""a quaternion whose length is further from 1 is garbage"""


@part
def braking_speed(room, hard, dt):
    """The highest speed from which `room` (m or rad) suffices to stop, this step of dt at that speed included."""
    room = min(room, _FAR)
    return 2.0 * room / (np.sqrt(dt * dt + 2.0 * room / hard) + dt)


@part
def closing_speed(gap, hard, dt):
    """The speed with which to close a gap: all of it in this step where the next can brake again."""
    if abs(gap) <= hard * dt * dt:
        return gap / dt
    return np.copysign(braking_speed(abs(gap), hard, dt), gap)


@part
def clipped(value, bound):
    """The value, within ±bound."""
    return min(max(value, -bound), bound)


@kernel
def limit_joint(limits, state, target, dt, cap):
    """Move one joint towards its target; returns its flags. `limits` (6,), `state` (3,), `cap` its speed limit."""
    q, rate = state[PLACE], state[RATE]
    lower, upper, hard = limits[LOWER], limits[UPPER], limits[HARD]
    if not abs(target) <= ABSURD:
        state[GOAL] = np.nan
        slower = max(abs(rate) - limits[STOP] * dt, 0.0)
        state[RATE] = np.copysign(slower, rate)
        state[PLACE] = q + state[RATE] * dt
        return GARBAGE
    goal = min(max(target, lower), upper)
    flags = POSITION if goal != target else 0
    drift = 0.0
    if not np.isnan(state[GOAL]):
        drift = clipped((goal - state[GOAL]) / dt, cap)
    state[GOAL] = goal
    gap = goal - drift * dt - q
    wanted = drift + closing_speed(gap, hard, dt)
    fast = max(cap, abs(rate) - hard * dt)
    least, most = -fast, fast
    if q > upper:
        least, most = -min(cap, CREEP * limits[SLOW]), 0.0
    elif q < lower:
        least, most = 0.0, min(cap, CREEP * limits[SLOW])
    if wanted > most or wanted < least:
        flags |= VELOCITY
    if wanted > rate + hard * dt or wanted < rate - hard * dt:
        flags |= ACCELERATION
    least, most = max(least, rate - hard * dt), min(most, rate + hard * dt)
    speed = min(max(wanted, least), most)
    if lower <= q <= upper:
        ahead, behind = braking_speed(upper - q, hard, dt), -braking_speed(q - lower, hard, dt)
        if speed > ahead or speed < behind:
            flags |= POSITION
            speed = min(max(speed, behind), ahead)
        state[PLACE] = min(max(q + speed * dt, lower), upper)
    else:
        state[PLACE] = q + speed * dt
    state[RATE] = speed
    if speed == wanted and abs(gap) <= hard * dt * dt:
        state[PLACE] = goal
    return flags


@kernel
def _limit_vector(state, wanted, dt, cap, hard):
    """Bring a velocity `state[RATE]` (3,) nearer to the wanted one; returns its flags. Changes `wanted`."""
    rate, flags = state[RATE], 0
    length = np.sqrt(wanted[0] ** 2 + wanted[1] ** 2 + wanted[2] ** 2)
    if length > cap:
        flags |= VELOCITY
        for k in range(3):
            wanted[k] *= cap / length
    change = np.sqrt((wanted[0] - rate[0]) ** 2 + (wanted[1] - rate[1]) ** 2 + (wanted[2] - rate[2]) ** 2)
    share = 1.0
    if change > hard * dt:
        flags |= ACCELERATION
        share = hard * dt / change
    for k in range(3):
        rate[k] = wanted[k] if share == 1.0 else rate[k] + share * (wanted[k] - rate[k])
    return flags


@kernel
def _follow_vector(state, gap, drift, dt, cap, hard):
    """Velocity `state[RATE]` that closes a gap (3,) to what drifts (3,); flags, and whether it closes in this step."""
    length = np.sqrt(gap[0] ** 2 + gap[1] ** 2 + gap[2] ** 2)
    speed = closing_speed(length, hard, dt)
    for k in range(3):
        drift[k] += speed * gap[k] / length if length > 0.0 else 0.0
    flags = _limit_vector(state, drift, dt, cap, hard)
    return flags, flags == 0 and length <= hard * dt * dt


@part
def _shorten(vector, bound):
    length = np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    if length > bound:
        for k in range(3):
            vector[k] *= bound / length


@part
def _within(values, most):
    """Whether all values are numbers within ±most."""
    for value in values:  # noqa: SIM110 (a kernel knows no generators)
        if not abs(value) <= most:
            return False
    return True


@kernel
def limit_place(limits, state, target, dt, cap, scratch):
    """Move the base's place towards a target (3,); its flags. `limits` (6,), `state` (3, 4), `scratch` (3, 4)."""
    place, goal, drift, gap = state[PLACE], state[GOAL], scratch[0], scratch[1]
    drift[:3] = 0.0
    if not _within(target, ABSURD):
        goal[0] = np.nan
        _limit_vector(state, drift, dt, np.inf, limits[STOP])
        for k in range(3):
            place[k] += state[RATE, k] * dt
        return GARBAGE
    if not np.isnan(goal[0]):
        for k in range(3):
            drift[k] = (target[k] - goal[k]) / dt
        _shorten(drift, cap)
    for k in range(3):
        goal[k] = target[k]
        gap[k] = target[k] - drift[k] * dt - place[k]
    flags, closed = _follow_vector(state, gap, drift, dt, cap, limits[HARD])
    for k in range(3):
        place[k] = target[k] if closed else place[k] + state[RATE, k] * dt
    return flags


@kernel
def turn_between(a, b, out):
    """Rotation vector (3,) in world axes that turns the unit quaternion `a` into `b` or `-b`, the shorter way."""
    w = a[0] * b[0] + a[1] * b[1] + a[2] * b[2] + a[3] * b[3]
    x = -b[0] * a[1] + b[1] * a[0] - b[2] * a[3] + b[3] * a[2]
    y = -b[0] * a[2] + b[1] * a[3] + b[2] * a[0] - b[3] * a[1]
    z = -b[0] * a[3] - b[1] * a[2] + b[2] * a[1] + b[3] * a[0]
    sign = -1.0 if w < 0.0 else 1.0
    sine = np.sqrt(x * x + y * y + z * z)
    factor = sign * 2.0
    if sine > 1e-12:
        factor = sign * 2.0 * np.arctan2(sine, sign * w) / sine
    out[0], out[1], out[2] = factor * x, factor * y, factor * z


@kernel
def turned(q, vector, factor, out):
    """The unit quaternion `q` (4,) turned by `factor` times a rotation vector (3,) in world axes."""
    angle = abs(factor) * np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    s = 0.5 * factor * (np.sin(0.5 * angle) / (0.5 * angle) if angle > 1e-12 else 1.0)
    c, x, y, z = np.cos(0.5 * angle), s * vector[0], s * vector[1], s * vector[2]
    w = c * q[0] - x * q[1] - y * q[2] - z * q[3]
    u = c * q[1] + x * q[0] + y * q[3] - z * q[2]
    v = c * q[2] - x * q[3] + y * q[0] + z * q[1]
    t = c * q[3] + x * q[2] - y * q[1] + z * q[0]
    length = np.sqrt(w * w + u * u + v * v + t * t)
    out[0], out[1], out[2], out[3] = w / length, u / length, v / length, t / length


@kernel
def limit_turn(limits, state, target, dt, cap, scratch):
    """The same for the base's orientation, a target quaternion (4,) of either sign; one that is not unit is garbage."""
    place, goal, drift, gap = state[PLACE], state[GOAL], scratch[0], scratch[1]
    drift[:3] = 0.0
    length = 0.0
    if _within(target, 2.0):
        length = np.sqrt(target[0] ** 2 + target[1] ** 2 + target[2] ** 2 + target[3] ** 2)
    if not abs(length - 1.0) <= _UNIT:
        goal[0] = np.nan
        _limit_vector(state, drift, dt, np.inf, limits[STOP])
        turned(place, state[RATE], dt, place)
        return GARBAGE
    along = place[0] * target[0] + place[1] * target[1] + place[2] * target[2] + place[3] * target[3]
    length = 1.0 if abs(length - 1.0) < 1e-12 else length
    aim = scratch[2]
    for k in range(4):
        aim[k] = (target[k] if along >= 0.0 else -target[k]) / length
    if not np.isnan(goal[0]):
        turn_between(goal, aim, drift)
        for k in range(3):
            drift[k] /= dt
        _shorten(drift, cap)
    goal[:] = aim
    turned(aim, drift, -dt, gap)
    turn_between(place, gap, gap)
    flags, closed = _follow_vector(state, gap, drift, dt, cap, limits[HARD])
    if closed:
        place[:] = aim
    else:
        turned(place, state[RATE], dt, place)
    return flags


@kernel
def limit_body(limits, state, independent, follows, base_limits, base_state, scratch, target, dt, scale, slow, flags,
               out):  # fmt: skip
    """One step of the whole robot into `out` (nq,): base, joints, then joints that follow others.

    `limits` (n, 6) and `state` (n, 3) of the joints; `follows` (n, 3) leader, ratio, offset; `base_limits` (2, 6) and
    `base_state` (2, 3, 4) linear and angular, `scratch` (3, 4); `flags` and `slow` (n + 2,) the joints', then the
    base's two.
    """
    n = len(limits)
    first = len(out) - n
    if first > 0:
        cap = scale * base_limits[0, SLOW if slow[n] else SPEED]
        flags[n] = limit_place(base_limits[0], base_state[0], target[:3], dt, cap, scratch)
        cap = scale * base_limits[1, SLOW if slow[n + 1] else SPEED]
        flags[n + 1] = limit_turn(base_limits[1], base_state[1], target[3:7], dt, cap, scratch)
        out[:3], out[3:7] = base_state[0, PLACE, :3], base_state[1, PLACE]
    for j in independent:
        cap = scale * limits[j, SLOW if slow[j] else SPEED]
        flags[j] = limit_joint(limits[j], state[j], target[first + j], dt, cap)
    for j in range(n):
        leader = int(follows[j, 0])
        flags[j] = flags[leader]
        out[first + j] = follows[j, 1] * state[leader, PLACE] + follows[j, 2]
