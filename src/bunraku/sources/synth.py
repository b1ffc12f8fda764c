"""Human motion without a recording: scripted performances, whole-body, anatomically limited, the same at every call.

Everyone faces x, starts near the origin and stands on z = 0. A performance begins and ends alike and repeats after
its own duration, so any length can be asked for.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np

from bunraku.errors import InputError, UnknownNameError
from bunraku.human.body import ADULT, ADULT_HEIGHT, Body, pose_body
from bunraku.human.pose import HumanMotion
from bunraku.human.skeleton import INDEX, JOINT_COUNT, PARENTS
from bunraku.kinematics import rotations as rot
from bunraku.sources import synth_gestures, synth_show, synth_walk
from bunraku.sources.source import Recording, number
from bunraku.sources.synth_rig import Act, perform
from bunraku.sources.synth_stage import Stage

MOST_FRAMES = 100_000
"""of one motion; near half an hour at 60 frames/s"""
_AT_ONCE = 4096  # frames worked out together, which bounds the memory that is needed beside the result
_HEIGHTS = (0.3, 3.0)  # m, of people


def _path(joint: int) -> tuple[int, ...]:
    """A joint and all above it."""
    return (joint, *(_path(int(PARENTS[joint])) if PARENTS[joint] >= 0 else ()))


_PATHS = tuple(_path(joint) for joint in range(JOINT_COUNT))


@dataclass(frozen=True)
class _Performance:
    summary: str
    period: float
    """s, after which it repeats"""
    act: Callable[[Stage], Act] | None
    """None holds the canonical pose, its arms as told"""
    endless: bool = False
    """never repeats: its period is as long as the motion"""
    arms: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """rotation vector of the left arm away from that pose, rad"""


_PERFORMANCES: Mapping[str, _Performance] = MappingProxyType(
    {
        "wave": _Performance("greets with the right hand, then with both", 9.4, synth_gestures.wave),
        "reach": _Performance("takes, puts and lifts things high, low, across and far", 15.6, synth_gestures.reach),
        "figure-eight": _Performance(
            "the right hand draws a lying eight at constant height (P2)", 20.5, synth_gestures.figure_eight
        ),
        "p2-recording": _Performance("the right arm's 30 s recording of P2", 30.0, synth_gestures.p2_recording),
        "t-pose": _Performance("stands still, arms out, palms down: the canonical pose", 3.0, None),
        "arms-forward": _Performance("stands still, arms stretched forward", 3.0, None, arms=(0.0, 0.0, -math.pi / 2)),
        "arms-down": _Performance("stands still, arms hanging", 3.0, None, arms=(-math.pi / 2, 0.0, 0.0)),
        "walk": _Performance("walks once round a circle of 1.85 m radius", synth_walk.PERIOD, synth_walk.walk),
        "box": _Performance("shadow boxing: jabs, crosses, hooks, slips", synth_show.BOX_PERIOD, synth_show.box),
        "conduct": _Performance("conducts eight bars, soft and loud", synth_show.CONDUCT_PERIOD, synth_show.conduct),
        "squat": _Performance("four squats, arms stretched forward", 13.0, synth_gestures.squat),
        "random": _Performance("aimless movement of the whole body, seeded", 20.0, synth_gestures.aimless, True),
    }
)

MOTIONS: Mapping[str, str] = MappingProxyType({name: p.summary for name, p in _PERFORMANCES.items()})
"""name → what it shows"""


def synthesize(
    name: str, *, seconds: float | None = None, fps: float = 60.0, seed: int = 0, body: Body = ADULT
) -> HumanMotion:
    """One of MOTIONS, every joint known in every frame; from 0 to `seconds`, both included, or once through.

    The seed changes the small involuntary movements, and all of "random".
    """
    if name not in _PERFORMANCES:
        raise UnknownNameError("motion", name, MOTIONS)
    performance = _PERFORMANCES[name]
    duration = performance.period if seconds is None else seconds
    if not (math.isfinite(duration) and duration >= 0 and math.isfinite(fps) and fps > 0):
        raise InputError(f"synth:{name}: {duration:g} s at {fps:g} frames/s is no motion; both must be positive")
    if duration * fps > MOST_FRAMES:
        raise InputError(f"synth:{name}: {duration:g} s at {fps:g} frames/s is more than {MOST_FRAMES} frames")
    if not 0 <= seed < 2**63:
        raise InputError(f"synth:{name}: the seed must be a whole number from 0 to 2^63 - 1")
    frames = math.floor(duration * fps + 1e-9) + 1
    positions, rotations = np.empty((frames, JOINT_COUNT, 3)), np.empty((frames, JOINT_COUNT, 4))
    jaw, eyes = np.zeros(frames), np.zeros((frames, 2))
    if performance.act is None:
        rotations[:] = rot.IDENTITY
        for side, mirror in (("left", 1.0), ("right", -1.0)):
            # mirrored across the middle, a turn about the axis across it stays and the two others change their sign
            turn = rot.exp(np.array(performance.arms) * [mirror, 1.0, mirror])
            rotations[:, [j for j, path in enumerate(_PATHS) if INDEX[f"{side}_upper_arm"] in path]] = turn
        positions[:] = pose_body(body, body.bones[0], rotations)
    else:
        period = max(duration, 1.0) if performance.endless else performance.period
        for begin in range(0, frames, _AT_ONCE):
            part = slice(begin, min(begin + _AT_ONCE, frames))
            t = np.arange(part.start, part.stop) / fps
            act = performance.act(Stage(t, period, np.random.default_rng(seed), body))
            positions[part], rotations[part] = perform(body, act)
            jaw[part], eyes[part] = np.clip(act.jaw, 0.0, 1.0), act.eyes
    known = np.ones((frames, JOINT_COUNT), bool)
    return HumanMotion(
        positions=positions,
        rotations=rot.continuous(rotations),
        position_valid=known,
        rotation_valid=known.copy(),
        fps=fps,
        name=name,
        jaw=jaw,
        eyes=eyes,
    )


def _read(name: str, options: Mapping[str, str]) -> HumanMotion:
    seconds, fps, seed, height = (number(options, option) for option in ("seconds", "fps", "seed", "height"))
    if height is not None and not _HEIGHTS[0] <= height <= _HEIGHTS[1]:
        raise InputError(
            f"synth:{name}: a person {height:g} m tall; height must be from {_HEIGHTS[0]} to {_HEIGHTS[1]}"
        )
    if seed is not None and seed != int(seed):
        raise InputError(f"synth:{name}: the seed must be a whole number, not {seed:g}")
    return synthesize(
        name,
        seconds=seconds,
        fps=60.0 if fps is None else fps,
        seed=0 if seed is None else int(seed),
        body=Body.scaled(ADULT_HEIGHT if height is None else height),
    )


SOURCE = Recording(
    scheme="synth",
    summary="scripted human motion: " + ", ".join(MOTIONS),
    example="synth:walk?seconds=20",
    options=MappingProxyType(
        {
            "seconds": "how long; the motion repeats or is cut (default: once through)",
            "fps": "frames per second (default 60)",
            "seed": "a whole number; changes the small movements, and all of random",
            "height": "of the person, m (default 1.75)",
        }
    ),
    read=_read,
)
