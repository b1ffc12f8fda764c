"""A whole recording: what lies ahead is known, so wrong branches are avoided and jumps and jitter smoothed away.

Three stages, all of them the same problem frame by frame: once through as if live; stretches in which an arm ends far
off once more from behind, and of the two ways the better parts; then with each joint drawn to its own smoothed way.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

from bunraku.human import HumanMotion
from bunraku.retarget.first_pose import first_poses
from bunraku.retarget.ground import footing
from bunraku.retarget.smooth_kernels import hurry, smooth_ways, smoothing

if TYPE_CHECKING:
    from bunraku.retarget.whole_body import MapperState, WholeBodyMapper

Array = NDArray[np.float64]
Flags = NDArray[np.bool_]

TRIAL_S = 3.0
"""how far the configurations to start from are tried"""
FAR_OFF_RAD = 0.35
"""an arm that is further off may be on the wrong branch of its joints"""
BEFORE_S, AFTER_S = 2.0, 0.7
"""how long before it is far off the better branch is looked for, and after"""
JUMP_COST = 4.0
"""per rad² of a step beyond CALM_RAD_S, against rad² · 1/30 s of limbs that are off"""
CALM_RAD_S = 8.0
"""a joint's speed that is not remarkable; where it is exceeded, jumps are bridged"""
PASSES, ITERATIONS = 2, 6
FINE_RAD = 5e-4
"""a step that the last pass still takes: what is left of smooth motion is smooth"""
CUTOFF_HZ = 4.0
"""what swings faster is taken for jitter where the person's motion does not ask for it"""
GUIDE_WEIGHT, MOST_HURRIED = 0.1, 12.0
"""per rad² from the smoothed way, and by how much it grows where a joint hurries"""
HURRY_REACH_S = 0.12
STRAINED, TORN, BROKEN = 0.2, 1.0, 3.0
"""cost of a frame whose goals begin to contradict each other, and of one where they wholly do: many solutions cost the
same there, and what was found is kept"""
KEPT_WEIGHT, STRAIN_REACH_S = 0.5, 0.1


@dataclass(frozen=True, eq=False)
class Clip:
    """T frames of a person as the compiled code takes them."""

    positions: Array
    rotations: Array
    position_valid: Flags
    rotation_valid: Flags
    footing: Array
    """(T, 8, 11) see `ground.footing`"""
    fps: float

    @property
    def arrays(self) -> tuple[Array, Array, Flags, Flags, Array]:
        """All but the rate."""
        return self.positions, self.rotations, self.position_valid, self.rotation_valid, self.footing

    def backwards(self, start: int, stop: int) -> Clip:
        """Frames `start` … `stop`, the last one first."""
        rows = np.arange(stop - 1, start - 1, -1)
        return Clip(
            self.positions[rows], self.rotations[rows], self.position_valid[rows], self.rotation_valid[rows],
            self.footing[rows], self.fps,
        )  # fmt: skip


def solve_clip(mapper: WholeBodyMapper, motion: HumanMotion) -> tuple[Array, Array, int]:
    """Configurations (T, nq), costs (T,) and the number of solver steps."""
    clip = Clip(
        motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid,
        footing(mapper.robot, motion, mapper.ground.clearance, mapper.ground.scale), motion.fps,
    )  # fmt: skip
    out, costs = np.empty((len(motion), mapper.robot.tree.qpos_size)), np.empty(len(motion))
    if not len(motion):
        return out, costs, 0
    state = mapper.start()
    _start_well(mapper, state, clip, first_poses(mapper, motion.pose(0), state))
    steps = mapper.frames(state, 1.0 / clip.fps, out, costs, clip.arrays)
    for limb, start, stop in _far_off(mapper, state, clip, out, costs):
        _take_the_better_branch(mapper, state, clip, out, limb, start, stop)
    for number in range(PASSES):
        guide = _guide(mapper, out, costs, clip.fps)
        mapper.begin(clip.positions[0, 0], out[0], state)
        finer = {"tolerance": FINE_RAD} if number + 1 == PASSES else {}
        steps += mapper.frames(state, 1.0 / clip.fps, out, costs, clip.arrays, ITERATIONS, guide, **finer)
    mapper.extremities.follow(state.extremities, 1.0 / clip.fps, clip.arrays[:4], motion.jaw, motion.eyes, out)
    return out, costs, steps


def _start_well(mapper: WholeBodyMapper, state: MapperState, clip: Clip, choice: list[Array]) -> None:
    """Of several first configurations the one from which the first seconds go best."""
    frames = min(round(TRIAL_S * clip.fps), len(clip.positions))
    arrays = tuple(array[:frames] for array in clip.arrays)
    out, costs = np.empty((frames, len(state.qpos))), np.empty(frames)
    best, least = choice[0], np.inf
    for qpos in choice if len(choice) > 1 else ():
        mapper.begin(clip.positions[0, 0], qpos, state)
        mapper.frames(state, 1.0 / clip.fps, out, costs, arrays)
        if costs.sum() < least:
            best, least = qpos, float(costs.sum())
    mapper.begin(clip.positions[0, 0], best, state)


def _far_off(
    mapper: WholeBodyMapper, state: MapperState, clip: Clip, qpos: Array, costs: Array
) -> Iterator[tuple[int, int, int]]:
    """Limb, first frame and end of the stretches around frames in which a limb is far off; none of them overlap.

    Frames that cost less than a limb that is far off are not looked at.
    """
    dear = np.flatnonzero(costs > mapper.weights.limb * FAR_OFF_RAD**2)
    errors = np.zeros((len(qpos), mapper.limb_count))
    errors[dear] = mapper.limb_errors(state, tuple(array[dear] for array in clip.arrays), qpos[dear])
    before, after = round(BEFORE_S * clip.fps), round(AFTER_S * clip.fps)
    for limb in range(errors.shape[1]):
        frames = np.flatnonzero(errors[:, limb] > FAR_OFF_RAD)
        if not len(frames):
            continue
        for run in np.split(frames, np.flatnonzero(np.diff(frames) > before + after) + 1):
            yield limb, max(int(run[0]) - before, 0), min(int(run[-1]) + after, len(qpos))


def _take_the_better_branch(
    mapper: WholeBodyMapper, state: MapperState, clip: Clip, qpos: Array, limb: int, start: int, stop: int
) -> None:
    """Solve a stretch from its end to its beginning too, and change over to that way of the limb where it pays."""
    columns = mapper.limb_columns(limb)
    if stop - start < 3 or not len(columns):
        return
    part = clip.backwards(start, stop)
    other, costs = np.empty((stop - start, qpos.shape[1])), np.empty(stop - start)
    mapper.begin(part.positions[0, 0], qpos[stop - 1], state)
    mapper.frames(state, 1.0 / clip.fps, other, costs, part.arrays)
    forward, other = qpos[start:stop], other[::-1]
    errors = [
        mapper.limb_errors(state, tuple(array[start:stop] for array in clip.arrays), way)[:, limb] ** 2 * 30 / clip.fps
        for way in (forward, np.ascontiguousarray(other))
    ]
    steps = [_steps_beyond_calm(way[:, columns], clip.fps) for way in (forward, other)]
    change = _jump_cost(other[:, columns] - np.roll(forward[:, columns], 1, axis=0), clip.fps)
    # Changing over at frame s: forward up to s - 1, the other way from s on.
    along = np.concatenate([[0.0], np.cumsum(errors[0][:-1] + steps[0])])
    along[1:-1] -= steps[0][1:] if len(steps[0]) > 1 else 0.0
    rest = np.cumsum((errors[1] + np.append(steps[1], 0.0))[::-1])[::-1]
    total = along + change + rest
    s = int(np.argmin(total[1:])) + 1
    if total[s] < 0.8 * (errors[0].sum() + steps[0].sum()):
        qpos[start + s : stop, columns] = other[s:, columns]


def _steps_beyond_calm(ways: Array, fps: float) -> Array:
    """(T - 1,) cost of each step of the joints `ways` (T, k)."""
    return _jump_cost(np.diff(ways, axis=0), fps)


def _jump_cost(steps: Array, fps: float) -> Array:
    """(T,) of the fastest joint of each of the `steps` (T, k)."""
    beyond = np.maximum(np.abs(steps).max(axis=1) - CALM_RAD_S / fps, 0.0)
    return np.asarray(JUMP_COST * beyond**2)


def _guide(mapper: WholeBodyMapper, qpos: Array, costs: Array, fps: float) -> tuple[Array, Array]:
    """(T, nv) how much each variable is drawn to its smooth way, and these; the base's columns mean nothing."""
    joints = mapper.robot.tree.independent
    base, count = mapper.base_size, mapper.variable_count
    ways = np.ascontiguousarray(qpos[:, mapper.robot.first_joint + joints])
    rush, smooth = np.empty(ways.shape), np.empty(ways.shape)
    calm = np.minimum(CALM_RAD_S, mapper.speed[base:]) / fps
    hurry(ways, max(1, round(HURRY_REACH_S * fps)), calm, rush)
    hurried = 1.0 + rush**4
    smooth_ways(ways, 1.0 / hurried, smoothing(CUTOFF_HZ, fps), smooth)
    kept = _strain(mapper.weights.limb, costs, fps)[:, None]
    weight, guide = np.zeros((2, len(qpos), count))
    weight[:, base:] = GUIDE_WEIGHT * np.minimum(hurried, MOST_HURRIED) + KEPT_WEIGHT * kept
    guide[:, base:] = kept * ways + (1.0 - kept) * smooth
    return weight, guide


def _strain(unit: float, costs: Array, fps: float) -> Array:
    """(T,) 0 where goals go together … 1 where they contradict each other; rising and falling gently."""
    width = 2 * max(1, round(STRAIN_REACH_S * fps)) + 1

    def windows(values: Array) -> Array:
        return sliding_window_view(np.pad(values, width // 2, mode="edge"), width)

    worst = windows(costs / unit).max(axis=1)
    strain = np.where(worst < BROKEN, np.clip((worst - STRAINED) / (TORN - STRAINED), 0.0, 1.0), 0.0)
    return np.asarray(windows(strain).mean(axis=1))
