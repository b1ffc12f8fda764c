"""What one frame of each device costs, from its bytes to a pose, on one thread; and that nothing grows."""

from __future__ import annotations

import gc
import json
import time
from collections.abc import Callable, Iterator, Sequence

import numpy as np
from figure import Figure, resident_mib

FRAMES, ROUNDS, LONG = 300, 7, 1_000_000
Feed = Callable[[bytes, int], object]


def figures() -> Iterator[Figure]:
    """Microseconds a frame, best of some rounds; growth of memory over a million frames of the suit."""
    from bunraku.sources import read_motion

    motion = read_motion("synth:conduct?seconds=5&fps=60")
    for name, target, (feed, frames) in (
        ("suit", 30, _suit(motion)), ("leap", 100, _leap(motion)), ("webxr", 100, _webxr(motion)),
        ("natnet", 100, _natnet(motion)), ("mvn", 100, _mvn(motion)), ("vmc", 500, _vmc(motion)),
        ("udp", 500, _udp(motion)),
    ):  # fmt: skip
        how = f"bytes to pose, {len(frames)} different frames, median of {ROUNDS} rounds, single thread"
        yield Figure(f"sources.{name}", _microseconds(feed, frames), "µs", target, "at_most", how)
    yield Figure(
        "sources.rgbd", _lifted_hz(motion), "frames/s", 30, "at_least",
        f"640 × 480: keypoints and depth picture to the joints of the puppet, median of {ROUNDS} rounds",
    )  # fmt: skip
    feed, frames = _suit(motion)
    yield Figure(
        "sources.memory_growth", _growth_mib(feed, frames), "MiB", 1.0, "at_most",
        f"resident set over {LONG:,} frames of the suit, after {FRAMES * 10}",
    )  # fmt: skip


def _microseconds(feed: Feed, frames: Sequence[bytes]) -> float:
    rounds = []
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for data in frames:
            feed(data, 0)
        rounds.append((time.perf_counter() - started) / len(frames) * 1e6)
    return float(np.median(rounds))


def _growth_mib(feed: Feed, frames: Sequence[bytes]) -> float:
    for k in range(FRAMES * 10):
        feed(frames[k % len(frames)], k)
    gc.collect()
    before = resident_mib()
    for k in range(LONG):
        feed(frames[k % len(frames)], k)
    gc.collect()
    return max(resident_mib() - before, 0.0)


def _suit(motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources.axis_neuron import SuitDecoder
    from bunraku.sources.axis_neuron_fake import suit_values
    from bunraku.sources.health import Tally
    from bunraku.sources.noitom_wire import encode_frame

    rows = suit_values(motion, "legacy", "YXZ", displaced=True)
    # Header B has no running number, so frames may be sent again and again.
    return SuitDecoder(Tally()).feed, [encode_frame(row, number=0, displaced=True, header="B") for row in rows]


def _leap(motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources.health import Tally
    from bunraku.sources.leap import LeapDecoder
    from bunraku.sources.leap_fake import leap_frame

    frames = [leap_frame(motion, k, k, "desktop") for k in range(len(motion))]
    for frame in frames:
        del frame["id"]
    return LeapDecoder(Tally()).feed, [json.dumps(frame).encode() for frame in frames]


def _webxr(motion) -> tuple[Feed, list[bytes]]:
    import orjson

    from bunraku.sources.webxr_frames import XrFrames

    random, reader = np.random.default_rng(0), XrFrames()

    def joint() -> list[float]:
        turn = random.normal(size=4)
        return [*random.uniform(-1, 1, 3).round(4), *(turn / np.linalg.norm(turn)).round(4)]

    frames = [
        json.dumps({"t": 11.0 * k, "head": joint(), **{side: {"joints": [joint() for _ in range(25)]} for side in
                    ("left", "right")}}).encode() for k in range(len(motion))
    ]  # fmt: skip
    return lambda data, now: reader.pose(orjson.loads(data), now), frames


def _natnet(_motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources import natnet_wire as wire
    from bunraku.sources.health import Tally
    from bunraku.sources.natnet import BONES, MotiveDecoder

    decoder, names = MotiveDecoder(Tally()), tuple(BONES)
    bones = {number: f"A_{name}" for number, name in enumerate(names, 1)}
    models = wire.Models(skeletons={1: "A"}, bones={1: bones})
    decoder.models(wire.packet(wire.write_models(models, wire.NEWEST))[1])
    ids, random = np.arange(1, len(names) + 1) | 1 << 16, np.random.default_rng(0)
    frames = []
    for k in range(0, 2000 * FRAMES, 2000):
        turns = random.normal(size=(len(ids), 4))
        turns /= np.linalg.norm(turns, axis=1, keepdims=True)
        body = wire.rigid_bodies(ids, random.uniform(-1, 1, (len(ids), 3)), turns, np.ones(len(ids)))
        frames.append(wire.packet(wire.write_frame(k, 0.0, wire.NEWEST, skeletons={1: body}))[1])
    return decoder.frame, frames


def _mvn(motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources.health import Tally
    from bunraku.sources.mvn import MvnDecoder
    from bunraku.sources.mvn_fake import segments
    from bunraku.sources.mvn_wire import encode_frame

    places, turns = segments(motion, fingers=True)
    return MvnDecoder(Tally()).feed, [encode_frame(2000 * k, places[k], turns[k]) for k in range(len(motion))]


def _vmc(motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources.health import Tally
    from bunraku.sources.vmc import VmcDecoder
    from bunraku.sources.vmc_fake import frame_of

    decoder = VmcDecoder(Tally())
    packets = [frame_of(motion, k, k) for k in range(len(motion))]
    rows = [str(k).encode() for k in range(len(packets))]
    return lambda data, now: [decoder.feed(part, now) for part in packets[int(data)]], rows


def _udp(motion) -> tuple[Feed, list[bytes]]:
    from bunraku.sources.datagrams import PoseDecoder
    from bunraku.sources.datagrams_wire import message_of
    from bunraku.sources.health import Tally

    messages = [message_of(motion.pose(k), k) for k in range(len(motion))]
    for message in messages:
        del message["seq"]
    return PoseDecoder(Tally()).feed, [json.dumps(message).encode() for message in messages]


def _lifted_hz(motion) -> float:
    """Frames a second of lifting and mapping; finding keypoints in colours is the detector's own, and not in it."""
    from bunraku.human.depth import Pinhole
    from bunraku.retarget import WholeBodyMapper
    from bunraku.robots import load_robot
    from bunraku.sources.camera_person import CameraPerson
    from bunraku.sources.depth_pictures import lifted
    from bunraku.sources.landmarks import COUNT, Landmarks, landmarks_of
    from bunraku.sources.openpose_fake import depth_of, ring

    camera, person, mapper = Pinhole(), CameraPerson("measured"), WholeBodyMapper(load_robot("puppet"))
    view = ring(1, camera)[0]
    frames = []
    for pose in list(motion)[:60]:
        points, known = landmarks_of(pose)
        inside = points @ view.R.T + view.t
        millimetres = (depth_of(camera, inside, known) * 1000).astype(np.uint16)
        frames.append((Landmarks(camera.project(inside), known, np.ones(COUNT)), millimetres))

    def one(k: int) -> None:
        seen, millimetres = frames[k]
        depth = np.where(millimetres > 0, millimetres * 0.001, np.nan)
        mapper.solve(person.pose(*lifted(camera, depth, seen), now_ns=k), state, dt_s=1 / 30)

    state, rounds = mapper.start(), []
    one(0)
    for _ in range(ROUNDS):
        started = time.perf_counter()
        for k in range(len(frames)):
            one(k)
        rounds.append((time.perf_counter() - started) / len(frames))
    return 1.0 / float(np.median(rounds))
