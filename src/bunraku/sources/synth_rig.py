"""A puppet on anatomical strings: what a performer decides becomes world rotations and positions of all joints.

The performer decides pelvis, trunk, gaze, wrists, elbows' direction, hands and feet. Knees and elbows follow in closed
form as hinges that bend one way. Sides: arms are given in left-hand terms (x forward, y outward, z up) for both sides.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from bunraku.human.body import Body, pose_body
from bunraku.human.skeleton import FINGERS, INDEX, JOINT_COUNT, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.synth_curves import ease

Array = NDArray[np.float64]

_X, _Y, _Z = np.eye(3)
_MIRROR = np.array([1.0, -1.0, 1.0])
_MIRROR_TURN = np.array([1.0, -1.0, 1.0, -1.0])
_STRAIGHTEST = 0.9985  # a standing leg's share of its full length: the knee keeps 6 degrees
_STRAIGHTEST_ARM = 0.995
_SOFT = 0.0047  # share of a limb's length over which one bound hands over to the next
# Bend of a fist, rad: knuckle, middle, last joint; thumb likewise.
_FIST, _FIST_THUMB = (1.4, 1.65, 1.0), (0.55, 0.75, 0.95)
_SPREAD = {"index": 0.13, "middle": 0.01, "ring": -0.11, "little": -0.26}  # rad towards the thumb
_CURL_SHARE = {"thumb": 1.0, "index": 0.9, "middle": 1.0, "ring": 1.06, "little": 1.1}  # of a half-closed hand
_THUMB_AXIS = np.cross([0.64, 0.75, -0.17], [-0.60, 0.45, -0.66])
_THUMB_AXIS /= np.linalg.norm(_THUMB_AXIS)


@dataclass
class Arm:
    """One arm over T frames, in left-hand terms."""

    wrist: Array
    """(T, 3) from the shoulder joint, m"""
    elbow: Array
    """(T, 3) the direction that the elbow points to"""
    turn: Array
    """(T,) of the forearm, rad: 0 palm down in the canonical pose, positive supinates"""
    flexion: Array
    """(T,) of the wrist, rad, positive towards the palm"""
    deviation: Array
    """(T,) of the wrist, rad, positive towards the thumb"""
    curl: Array
    """(T, 5) of thumb … little finger, 0 straight … 1 a fist"""
    spread: Array
    """(T,) 0 fingers together, 1 fanned out"""
    shrug: Array
    """(T,) lift of the shoulder beyond what the arm asks for, rad"""
    in_world: bool = False
    """wrist and elbow are given in world axes, not the chest's"""


@dataclass
class Foot:
    """One foot over T frames."""

    ball: Array
    """(T, 3) the toe joint in the world, m; z counts from where it is with the sole on the ground"""
    yaw: Array
    """(T,) rad"""
    pitch: Array
    """(T,) rad, positive with the heel up"""
    toe_pitch: Array
    """(T,) of the toes, in the world, rad"""


@dataclass
class Act:
    """What a performer does over T frames. Turns are (T, 3): yaw left, pitch forward, roll right; rad."""

    hips: Array
    """(T, 3) x, y in the world, and z as the height that is missing to the tallest stance (0 or less), m"""
    pelvis: Array
    """(T, 3) in the world"""
    trunk: Array
    """(T, 3) chest relative to the pelvis"""
    head: Array
    """(T, 3) in the world"""
    feet: dict[str, Foot]
    arms: dict[str, Arm]
    splay: Array
    """(T,) of the knees to the outside, rad"""
    jaw: Array
    """(T,)"""
    eyes: Array
    """(T, 2)"""
    ceiling: Array | None = None
    """(T,) height that the hips stay below, m"""


def perform(body: Body, act: Act) -> tuple[Array, Array]:
    """Positions (T, J, 3) and world rotations (T, J, 4) of all joints."""
    T = len(act.hips)
    world = np.tile(rot.IDENTITY, (T, JOINT_COUNT, 1))
    _trunk(act, world)
    hips = _hips(body, act, world[:, INDEX["hips"]])
    for side in SIDES:
        _leg(body, side, act, hips, world)
        _arm(body, side, act.arms[side], world)
    world = rot.continuous(world)
    return pose_body(body, hips, world), world


def _turn(angles: Array) -> Array:
    return rot.from_euler("ZYX", angles)


def _trunk(act: Act, world: Array) -> None:
    hips = _turn(act.pelvis)
    whole = rot.log(_turn(act.trunk))
    spine = rot.multiply(hips, rot.exp(0.45 * whole))
    chest = rot.multiply(hips, rot.exp(whole))
    head = _turn(act.head)
    for joint, turn in (("hips", hips), ("spine", spine), ("chest", chest), ("neck", rot.slerp(chest, head, 0.45)),
                        ("head", head)):  # fmt: skip
        world[:, INDEX[joint]] = turn


def _hips(body: Body, act: Act, pelvis: Array) -> Array:
    """(T, 3) place of the hips: as high as both legs let them be, less what the performer goes down."""
    heights = []
    for side in SIDES:
        socket = rot.rotate(pelvis, body.bones[INDEX[f"{side}_thigh"]])
        away = _ankle(body, side, act.feet[side]) - socket
        reach = _STRAIGHTEST * float(sum(body.lengths[INDEX[f"{side}_{part}"]] for part in ("shin", "foot")))
        across = np.sum((away[:, :2] - act.hips[:, :2]) ** 2, axis=-1)
        heights.append(away[:, 2] + np.sqrt(np.maximum(reach**2 - across, 0.0)))
    soft = _SOFT * body.leg_length
    height = _soft_minimum(heights[0], heights[1], soft)
    if act.ceiling is not None:
        height = _soft_minimum(height, act.ceiling, soft)
    return np.column_stack([act.hips[:, :2], height + act.hips[:, 2]])


def _soft_minimum(a: Array, b: Array | float, soft: float) -> Array:
    """The lower of the two, handed over smoothly within about `soft`, never above it."""
    return np.asarray(np.minimum(a, b) - soft * np.log1p(np.exp(-np.abs(a - b) / soft)))


def _ankle(body: Body, side: str, foot: Foot) -> Array:
    """(T, 3) in the world."""
    ball = foot.ball + np.array([0.0, 0.0, body.toe_height])
    return np.asarray(ball - rot.rotate(_foot_turn(foot.yaw, foot.pitch), body.bones[INDEX[f"{side}_toe"]]))


def _foot_turn(yaw: Array, pitch: Array) -> Array:
    return rot.from_euler("ZY", np.column_stack([yaw, pitch]))


def _leg(body: Body, side: str, act: Act, hips: Array, world: Array) -> None:
    foot, out = act.feet[side], 1.0 if side == "left" else -1.0
    socket = hips + rot.rotate(world[:, INDEX["hips"]], body.bones[INDEX[f"{side}_thigh"]])
    heading = 0.5 * (foot.yaw + act.pelvis[:, 0]) + out * act.splay
    knee = np.column_stack([np.cos(heading), np.sin(heading), np.zeros_like(heading)])
    upper, lower = body.bones[INDEX[f"{side}_shin"]], body.bones[INDEX[f"{side}_foot"]]
    thigh, shin = _hinge(_ankle(body, side, foot) - socket, knee, upper, lower, _Y)
    world[:, INDEX[f"{side}_thigh"]] = thigh
    world[:, INDEX[f"{side}_shin"]] = shin
    world[:, INDEX[f"{side}_foot"]] = _foot_turn(foot.yaw, foot.pitch)
    world[:, INDEX[f"{side}_toe"]] = _foot_turn(foot.yaw, foot.toe_pitch)


def _hinge(way: Array, bulge: Array, upper: Array, lower: Array, axis: Array) -> tuple[Array, Array]:
    """World turns of both bones of a limb whose end stands at `way` from its root and whose joint bulges to `bulge`.

    In the canonical pose the bones are `upper` and `lower`, and the joint bends by a positive turn about `axis`.
    """
    a, b = float(np.linalg.norm(upper)), float(np.linalg.norm(lower))
    length = np.linalg.norm(way, axis=-1)
    d = np.clip(length, abs(a - b) + 1e-3 * (a + b), (a + b) * (1 - 1e-9))
    u = way / np.maximum(length, 1e-9)[:, None]
    normal = np.cross(bulge, u)
    normal /= np.maximum(np.linalg.norm(normal, axis=-1, keepdims=True), 1e-9)
    at_root = np.arccos(np.clip((a * a + d * d - b * b) / (2 * a * d), -1.0, 1.0))
    bend = np.pi - np.arccos(np.clip((a * a + b * b - d * d) / (2 * a * b), -1.0, 1.0))
    first = rot.rotate(rot.from_axis_angle(normal, -at_root), u)
    root = _frame_turn(upper / a, axis, first, normal)
    local = rot.multiply(rot.from_axis_angle(axis, bend), rot.between(lower, upper))
    return root, rot.multiply(root, local)


def _frame_turn(bone: Array, axis: Array, way: Array, normal: Array) -> Array:
    """The turn that takes the orthogonal unit vectors bone and axis to way and normal, `(T, 3)`."""
    axis = axis - (axis @ bone) * bone
    axis = axis / np.linalg.norm(axis)
    before = np.column_stack([bone, axis, np.cross(bone, axis)])
    after = np.stack([way, normal, np.cross(way, normal)], axis=-1)
    return rot.from_matrix(after @ before.T)


def _arm(body: Body, side: str, arm: Arm, world: Array) -> None:
    """Everything is worked out for a left arm; for a right one the chest is mirrored before, the turns after."""
    left = side == "left"
    chest = world[:, INDEX["chest"]] * (1.0 if left else _MIRROR_TURN)
    mirror = 1.0 if left else _MIRROR
    upper, lower = (body.bones[INDEX[f"{side}_{part}"]] * mirror for part in ("forearm", "hand"))
    most = _STRAIGHTEST_ARM * float(np.linalg.norm(upper) + np.linalg.norm(lower))
    wrist, elbow = arm.wrist, arm.elbow
    if arm.in_world:
        wrist, elbow = (rot.rotate(rot.inverse(chest), v) for v in (wrist, elbow))
    length = np.linalg.norm(wrist, axis=-1, keepdims=True)
    wrist = wrist * (_soft_minimum(length, most, _SOFT * most) / np.maximum(length, 1e-9))
    lift = 0.42 * ease((wrist[:, 2] / most + 0.5) / 1.5) + arm.shrug
    forward = 0.22 * wrist[:, 0] / most
    clavicle = rot.multiply(rot.from_axis_angle(_Z, -forward), rot.from_axis_angle(_X, lift))
    root, end = _hinge(wrist, elbow, upper, lower, -_Z)
    hand = rot.multiply(rot.from_axis_angle(_X, -arm.flexion), rot.from_axis_angle(_Z, -arm.deviation))
    forearm = rot.multiply(end, rot.from_axis_angle(_Y, -arm.turn))
    turns = {"clavicle": clavicle, "upper_arm": root, "forearm": forearm, "hand": rot.multiply(forearm, hand)}
    turns |= _fingers(arm, turns["hand"])
    for joint, turn in turns.items():
        turned = rot.multiply(chest, turn)
        world[:, INDEX[f"{side}_{joint}"]] = turned if left else turned * _MIRROR_TURN


def _fingers(arm: Arm, hand: Array) -> dict[str, Array]:
    """Turns relative to the chest of all finger joints of a left hand; each tip turns with its last segment."""
    turns = {}
    for number, finger in enumerate(FINGERS):
        curl = arm.curl[:, number]
        curl = curl * (1 + (_CURL_SHARE[finger] - 1) * 4 * curl * (1 - curl))
        turn, axis, bends = hand, -_X, _FIST
        if finger == "thumb":
            axis, bends = _THUMB_AXIS, _FIST_THUMB
            turn = rot.multiply(turn, rot.from_axis_angle(_Z, 0.25 * (1 - arm.spread)))
        else:
            turn = rot.multiply(turn, rot.from_axis_angle(_Z, -_SPREAD[finger] * arm.spread * (1 - curl)))
        for part, most in enumerate(bends, start=1):
            turn = rot.multiply(turn, rot.from_axis_angle(axis, most * curl))
            turns[f"{finger}_{part}"] = turn
        turns[f"{finger}_tip"] = turn
    return turns
