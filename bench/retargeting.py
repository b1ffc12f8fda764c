"""Retargeting to a humanoid: one frame, whole clips, the whole command, and memory over a million frames."""

from __future__ import annotations

import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
from figure import Figure, best_of, median_of

ROBOT = "g1"
MOTION = "synth:random?seconds=60&fps=30"


def figures(frames: int = 1_000_000) -> Iterator[Figure]:
    """All body segments, free base, one thread."""
    from bunraku.retarget import WholeBodyMapper
    from bunraku.robots import load_robot
    from bunraku.sources import read_motion

    robot, motion = load_robot(ROBOT), read_motion(MOTION)
    mapper = WholeBodyMapper(robot)
    mapper.solve_clip(motion)
    state, poses, times = mapper.start(), list(motion), []
    for pose in poses:
        started = time.perf_counter()
        mapper.solve(pose, state, dt_s=1 / motion.fps)
        times.append(time.perf_counter() - started)
    yield Figure(
        "retarget.frame", float(np.median(times)) * 1e6, "µs", 80, "at_most",
        f"median of {len(times)} live frames on {ROBOT}, called from Python",
    )  # fmt: skip
    yield Figure("retarget.frame_p99", float(np.percentile(times, 99)) * 1e6, "µs", 250, "at_most", "the same, p99")
    seconds = best_of(lambda: mapper.solve_clip(motion), 5)
    yield Figure(
        "retarget.clip", len(motion) / seconds, "frames/s", 10_000, "at_least",
        f"solve_clip of {len(motion)} frames on {ROBOT}, one thread, best of 5",
    )  # fmt: skip
    yield from _closed_forms()
    yield _memory(mapper, poses, frames)
    yield _end_to_end()
    yield _cold_start()


def _closed_forms() -> Iterator[Figure]:
    """The papers' mappers: arms and head of Leonardo, the joints of the lamp; compiled, one frame after the other."""
    from bunraku.retarget import make_mapper
    from bunraku.robots import load_robot
    from bunraku.sources import read_motion

    motion = read_motion("synth:conduct?seconds=60&fps=60")
    clip = motion.positions, motion.rotations, motion.position_valid, motion.rotation_valid
    robots = {"girard": "leonardo", "hirschmanner": "leonardo", "gong": "leonardo", "angles": "lamp", "dls": "lamp"}
    for name, robot in robots.items():
        mapper = make_mapper(name, load_robot(robot))
        memory, out = mapper.make_memory(), np.empty((len(motion), mapper.robot.tree.qpos_size))  # type: ignore[attr-defined]
        seconds = best_of(partial(mapper.frames, memory, 1 / motion.fps, clip, out), 5)  # type: ignore[attr-defined]
        yield Figure(
            f"retarget.mapper.{name}", seconds / len(motion) * 1e6, "µs", 5, "at_most",
            f"a frame of {len(motion)} on {robot}, one thread, best of 5",
        )  # fmt: skip


def _memory(mapper: object, poses: list[object], frames: int) -> Figure:
    """Growth of the resident set over a million live frames, after a warm-up of a tenth."""
    state = mapper.start()  # type: ignore[attr-defined]
    warm = frames // 10
    for k in range(warm):
        mapper.solve(poses[k % len(poses)], state, dt_s=1 / 30)  # type: ignore[attr-defined]
    before = _resident_mib()
    for k in range(frames):
        mapper.solve(poses[k % len(poses)], state, dt_s=1 / 30)  # type: ignore[attr-defined]
    grown = max(_resident_mib() - before, 0.0)
    return Figure("retarget.memory_growth", grown, "MiB", 1.0, "at_most", f"resident set over {frames:,} live frames")


def _resident_mib() -> float:
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    return pages * resource.getpagesize() / 2**20


def _end_to_end() -> Figure:
    from bunraku.sources import read_motion
    from bunraku.sources.bvh import write_bvh

    with tempfile.TemporaryDirectory() as folder:
        clip, out = Path(folder) / "clip.bvh", Path(folder) / "clip.npz"
        write_bvh(clip, read_motion(MOTION))
        command = [sys.executable, "-m", "bunraku.cli.main", "retarget", str(clip), "--robot", ROBOT, "--out", str(out)]
        subprocess.run(command, check=True, capture_output=True)
        seconds = median_of(lambda: subprocess.run(command, check=True, capture_output=True), 3)
    return Figure(
        "retarget.end_to_end", seconds, "s", 6, "at_most",
        "bunraku retarget of a 60 s BVH to an NPZ, process start to end, warm kernel cache, median of 3",
    )  # fmt: skip


def _cold_start() -> Figure:
    """A fresh interpreter, up to the first frame that a live mapper gives."""
    program = (
        "import bunraku as bk; from bunraku.retarget import WholeBodyMapper; "
        f"mapper = WholeBodyMapper(bk.load_robot('{ROBOT}')); "
        "mapper.solve(bk.read_motion('synth:walk?seconds=0').pose(0), mapper.start())"
    )
    command = [sys.executable, "-c", program]
    subprocess.run(command, check=True)
    seconds = best_of(lambda: subprocess.run(command, check=True), 5)
    return Figure(
        "retarget.cold_start", seconds, "s", 3, "at_most",
        f"interpreter start, {ROBOT} loaded, first pose searched for and solved, warm kernel cache, best of 5",
    )  # fmt: skip
