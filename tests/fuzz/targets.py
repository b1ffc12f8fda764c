"""Everything that reads bytes of others, once: what fuzzing and the minute of mutations in the tests go through.

An input is cut into what comes at once: two bytes of length, little-endian, before each piece. Files are one piece.
"""

from __future__ import annotations

import json
import struct
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np

from bunraku.errors import BunrakuError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX
from bunraku.sources import c3d_file, open_source, read_motion
from bunraku.sources import natnet_wire as natnet
from bunraku.sources import qtm_wire as qtm
from bunraku.sources.axis_neuron_fake import suit_values
from bunraku.sources.bvh import write_bvh
from bunraku.sources.datagrams_wire import message_of
from bunraku.sources.leap_fake import leap_frame
from bunraku.sources.marker_bodies import read_bodies
from bunraku.sources.motion_file import write_motion
from bunraku.sources.mvn_fake import encode_frame as mvn_frame
from bunraku.sources.mvn_fake import segments
from bunraku.sources.natnet import BONES
from bunraku.sources.noitom_wire import encode_frame, encode_text
from bunraku.sources.qtm import SEGMENTS
from bunraku.sources.ros1 import array_message
from bunraku.sources.ros1_fake import arrays
from bunraku.sources.visualeyez_fake import datagram, line, marker_places
from bunraku.sources.vmc_fake import frame_of
from bunraku.sources.webxr_fake import xr_message
from sources.test_c3d_file import written

CORPUS = Path(__file__).parent / "corpus"
ROWS = 2


def pack(pieces: Sequence[bytes]) -> bytes:
    """Of pieces, an input."""
    return b"".join(struct.pack("<H", len(piece)) + piece for piece in pieces)


def unpack(data: bytes) -> list[bytes]:
    """Any bytes are some pieces."""
    out, at = [], 0
    while at + 2 <= len(data):
        (size,) = struct.unpack_from("<H", data, at)
        out.append(data[at + 2 : at + 2 + size])
        at += 2 + size
    return out


class Link:
    """Stands in for a socket or a process: it has brought these pieces."""

    connected = lives = True
    reason, close_code, strangers = "", None, 0

    def __init__(self, pieces: Sequence[bytes]) -> None:
        self._pieces = list(pieces)

    def receive(self, now_ns: int) -> list[bytes]:
        """One a time."""
        return [self._pieces.pop(0)] if self._pieces else []

    def send(self, *what: object) -> None:
        """To nobody."""

    send_to = send


def refused(error: BunrakuError) -> int:
    """Nothing came of it, and one line says why."""
    assert "\n" not in str(error)
    return 0


def live(uri: str) -> Callable[[bytes], int]:
    """A source that is handed the pieces. It raises nothing, and its poses hold numbers."""

    def run(data: bytes) -> int:
        source: Any = open_source(uri)
        pieces = unpack(data)
        link = Link(pieces)
        for name in ("_link", "_socket", "_child", "_command"):
            if hasattr(source, name):
                setattr(source, name, link)
        for now in range(len(pieces)):
            source.receive(now)
            pose = source.latest(now)
            if pose is not None:
                assert np.isfinite(pose.positions).all() and np.isfinite(pose.rotations).all()
            assert "\n" not in source.health(now).reason
        return int(source.health(0).accepted)

    return run


def file(suffix: str, uri: str = "{}") -> Callable[[bytes], int]:
    """A file that is read as a motion, or refused in one line."""
    path = Path(tempfile.mkdtemp(prefix="fuzz-")) / f"input{suffix}"

    def run(data: bytes) -> int:
        path.write_bytes(data)
        try:
            read = read_motion(uri.format(path))
        except BunrakuError as error:
            return refused(error)
        assert np.isfinite(read.positions).all() and np.isfinite(read.rotations).all()
        return len(read)

    return run


def bodies(data: bytes) -> int:
    """A description of rigid bodies."""
    path = Path(tempfile.gettempdir()) / "fuzz-bodies.yaml"
    path.write_bytes(data)
    try:
        return len(read_bodies(str(path)))
    except BunrakuError as error:
        return refused(error)


@cache
def motion() -> HumanMotion:
    """What the seeds are made of."""
    return read_motion("synth:conduct?seconds=0.1&fps=60")


def _suit(text: bool, displaced: bool) -> list[bytes]:
    rows = suit_values(motion(), "legacy", "YXZ", displaced=displaced)[:ROWS]
    return [
        encode_text(row) if text else encode_frame(row, number=k, displaced=displaced) for k, row in enumerate(rows)
    ]


def _natnet() -> list[bytes]:
    names = dict(enumerate((f"A_{name}" for name in BONES), 1))
    joints = [INDEX[joint] for joint in BONES.values()]
    ids = np.arange(1, len(names) + 1) | 1 << 16
    places, turns = motion().positions[0, joints], motion().rotations[0, joints][:, [1, 2, 3, 0]]
    rows = natnet.rigid_bodies(ids, places, turns, np.ones(len(ids), bool))
    return [
        natnet.write_server_info((4, 2)),
        natnet.write_models(natnet.Models(skeletons={1: "A"}, bones={1: names}), (4, 2)),
        natnet.write_frame(1, 0.1, (4, 2), skeletons={1: rows}),
    ]


def _qtm() -> list[bytes]:
    listed = "".join(f'<Segment Name="{name}" ID="{k}"/>' for k, name in enumerate(SEGMENTS, 1))
    xml = f"<Q><Skeletons><Skeleton Name='A'><Segments>{listed}</Segments></Skeleton></Skeletons></Q>"
    joints = [INDEX[joint] for joint in SEGMENTS.values()]
    rows = qtm.segments(
        np.arange(1.0, len(joints) + 1), motion().positions[0, joints], motion().rotations[0, joints][:, [1, 2, 3, 0]]
    )
    return [qtm.command(qtm.HELLO), qtm.packet(qtm.XML, xml.encode() + b"\0"), qtm.write_frame(1, 1, skeletons=[rows])]


def _mvn() -> list[bytes]:
    places, turns = segments(motion(), fingers=True)
    return [mvn_frame(k, places[k], turns[k]) for k in range(ROWS)]


def _ros1() -> list[bytes]:
    row = suit_values(motion(), "legacy", "YXZ", displaced=True)[0]
    parts = enumerate(arrays(row, "3x120"))
    return [b"Enobody", *(b"D" + bytes([k]) + b"d" + array_message(part) for k, part in parts)]


def _bvh() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return [write_bvh(Path(folder) / "seed.bvh", motion()).read_bytes()]


def _npz() -> list[bytes]:
    with tempfile.TemporaryDirectory() as folder:
        return [write_motion(Path(folder) / "seed.npz", motion()).read_bytes()]


def _trc() -> list[bytes]:
    names = ("LShoulder", "RShoulder", "LElbow", "RElbow", "LWrist", "RWrist", "LHip", "RHip")
    head = ["PathFileType\t4\t(X/Y/Z)\tx.trc", "DataRate\tNumMarkers\tUnits", f"100\t{len(names)}\tmm",
            "Frame#\tTime\t" + "\t\t\t".join(names), "\t\tX1\tY1\tZ1"]  # fmt: skip
    rows = ["1\t0\t" + "\t".join(f"{100 * k}" for k in range(3 * len(names)))] * ROWS
    return ["\n".join([*head, *rows]).encode()]


def _messages(kind: Callable[[int], dict[str, Any]]) -> list[bytes]:
    return [json.dumps(kind(row)).encode() for row in range(ROWS)]


def _mvnx() -> list[bytes]:
    frame = '<frame type="normal"><orientation>1 0 0 0</orientation><position>0 0 1</position></frame>'
    return [f'<mvnx><subject frameRate="60"><segments><segment label="Pelvis"/></segments><frames>{frame}</frames>'
            f'</subject></mvnx>'.encode()]  # fmt: skip


def _c3d() -> list[bytes]:
    return [written(c3d_file.INTEL)]


def _markers(text: bool) -> list[bytes]:
    seen = marker_places(motion(), 0, read_bodies("cube"))
    return [line(seen) if text else datagram(1.0 + k, seen) for k in range(ROWS)]


@dataclass(frozen=True)
class Target:
    """One reader of bytes."""

    run: Callable[[bytes], int]
    """how many frames came of them"""
    seeds: Callable[[], list[bytes]]
    """pieces of one good input"""
    is_file: bool = False

    def good(self) -> bytes:
        """The good input."""
        return self.seeds()[0] if self.is_file else pack(self.seeds())


TARGETS = {
    "axis-neuron": Target(live("axis-neuron://127.0.0.1"), lambda: _suit(False, True)),
    "axis-neuron-text": Target(live("axis-neuron://127.0.0.1"), lambda: _suit(True, False)),
    "axis-neuron-udp": Target(live("axis-neuron://127.0.0.1?udp"), lambda: _suit(False, False)),
    "leap": Target(live("leap://127.0.0.1"), lambda: _messages(lambda k: leap_frame(motion(), k, k, "desktop"))),
    "mvn": Target(live("mvn://127.0.0.1"), _mvn),
    "natnet": Target(live("natnet://127.0.0.1"), _natnet),
    "osc": Target(live("osc://127.0.0.1"), lambda: frame_of(motion(), 0, 0)),
    "qtm": Target(live("qtm://127.0.0.1"), _qtm),
    "ros1": Target(live("ros1:"), _ros1),
    "udp": Target(live("udp://127.0.0.1"), lambda: _messages(lambda k: message_of(motion().pose(k), k))),
    "visualeyez": Target(live("visualeyez://127.0.0.1"), lambda: _markers(False)),
    "visualeyez-text": Target(live("visualeyez://127.0.0.1?tcp"), lambda: _markers(True)),
    "webxr": Target(
        live("webxr://127.0.0.1"),
        lambda: [b'S{"pages":1,"session":1,"presence":"visible"}',
                 *(b"F" + data for data in _messages(lambda k: xr_message(motion(), k, k)))],
    ),
    "bodies": Target(bodies, lambda: [b"head: {markers: {a: [0,0,0], b: [1,0,0], c: [0,1,0]}, place: [0,0,0]}"], True),
    "bvh": Target(file(".bvh"), _bvh, True),
    "c3d": Target(file(".c3d", "c3d:{}?bodies=" + str(CORPUS / "c3d.yaml")), _c3d, True),
    "mvnx": Target(file(".mvnx"), _mvnx, True),
    "npz": Target(file(".npz", "npz:{}"), _npz, True),
    "trc": Target(file(".trc"), _trc, True),
}  # fmt: skip
"""all of them, by name"""
