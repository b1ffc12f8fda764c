"""NatNet, the protocol of OptiTrack's Motive: frames and descriptions of versions 3.0 to 4.2, and the reverse.

Little-endian, packed; a packet is a number, the size of what follows, and that. Where a section's own size stands in
front of it depends on the version, which the server tells when it is asked.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.sources.binary import CutOffError, Reader

Version = tuple[int, int]

COMMAND_PORT, DATA_PORT, GROUP = 1510, 1511, "239.255.42.99"
CONNECT, SERVER_INFO, REQUEST_MODELS, MODELS, FRAME, KEEP_ALIVE = 0, 1, 4, 5, 7, 10
NEWEST: Version = (4, 2)
_HEAD = struct.Struct("<HH")
_BODY = np.dtype([("id", "<i4"), ("place", "<f4", 3), ("turn", "<f4", 4), ("error", "<f4"), ("flags", "<i2")])
_MARKER = np.dtype([("id", "<i4"), ("place", "<f4", 3), ("size", "<f4"), ("flags", "<i2"), ("residual", "<f4")])
TRACKED, OCCLUDED, MODELS_CHANGED = 1, 1, 2
_SET, _RIGID, _SKELETON, _PLATE, _DEVICE, _CAMERA, _ASSET = range(7)


@dataclass(frozen=True, eq=False)
class Frame:
    """What one frame says. Places in metres, turns xyzw, in the server's world."""

    number: int
    stamp_s: float
    bodies: NDArray[np.void]
    """(R,) rigid bodies: id, place, turn, error, flags"""
    skeletons: dict[int, NDArray[np.void]]
    """skeleton → its bones, as `bodies`; a bone's id is its number within the skeleton"""
    markers: NDArray[np.void]
    """(M,) labelled markers: id, place, size, flags, residual"""
    models_changed: bool


@dataclass
class Models:
    """Names: of rigid bodies by id, and of each skeleton's bones by their number in it."""

    bodies: dict[int, str] = field(default_factory=dict)
    skeletons: dict[int, str] = field(default_factory=dict)
    bones: dict[int, dict[int, str]] = field(default_factory=dict)


def packet(data: bytes) -> tuple[int, bytes]:
    """Kind and content; CutOffError where the packet is shorter than it says."""
    if len(data) < _HEAD.size:
        raise CutOffError("no packet")
    kind, size = _HEAD.unpack_from(data)
    if len(data) < _HEAD.size + size:
        raise CutOffError("a packet that is cut off")
    return kind, data[_HEAD.size : _HEAD.size + size]


def request(kind: int, payload: bytes = b"") -> bytes:
    """A packet to the server."""
    return _HEAD.pack(kind, len(payload)) + payload


def hello() -> bytes:
    """The request that every version answers."""
    return request(CONNECT, b"Ping" + b"\0" * 261 + bytes([*NEWEST, 0, 0]) + b"\0\0")


def server_version(payload: bytes) -> Version:
    """The protocol's version, of an answer to `hello`."""
    if len(payload) < 264:
        raise CutOffError("no server")
    return payload[260], payload[261]


def read_frame(payload: bytes, version: Version) -> Frame:
    """A frame; CutOffError where it is none of this version."""
    r = Reader(payload)
    number = r.i32()
    sized = version >= (4, 1)
    for _ in range(_section(r, 5, sized)):  # marker sets
        r.text()
        r.skip(12 * r.count(12))
    r.skip(12 * _section(r, 12, sized))  # markers without a name
    bodies = _array(r, _BODY, _section(r, _BODY.itemsize, sized))
    skeletons = {}
    for _ in range(_section(r, 8, sized)):
        name = r.i32()
        bones = _array(r, _BODY, r.count(_BODY.itemsize)).copy()
        bones["id"] &= 0xFFFF
        skeletons[name] = bones
    if sized:
        for _ in range(_section(r, 12, sized)):  # assets
            r.i32()
            r.skip(_BODY.itemsize * r.count(_BODY.itemsize))
            r.skip(_MARKER.itemsize * r.count(_MARKER.itemsize))
    markers = _array(r, _MARKER, _section(r, _MARKER.itemsize, sized))
    for _ in range(2):  # force plates, devices
        for _ in range(_section(r, 8, sized)):
            r.i32()
            for _ in range(r.count(4)):
                r.skip(4 * r.count(4))
    r.skip(8)
    r.skip(8)
    (stamp,) = struct.unpack_from("<d", payload, r.at - 8)
    r.skip(24 + (8 if sized else 0))
    flags = r.i16()
    return Frame(number, stamp, bodies, skeletons, markers, bool(flags & MODELS_CHANGED))


def _section(r: Reader, least_bytes: int, sized: bool) -> int:
    """How many a section holds; its own size, where it has one, must fit."""
    number = r.i32()
    if sized and not 0 <= r.i32() <= r.left:
        raise CutOffError("a section longer than the packet")
    if not 0 <= number <= r.left // least_bytes:
        raise CutOffError("more than the packet holds")
    return number


def _array(r: Reader, kind: np.dtype[np.void], count: int) -> NDArray[np.void]:
    r.skip(kind.itemsize * count)
    return np.frombuffer(r.data, kind, count, r.at - kind.itemsize * count)


def read_models(payload: bytes, version: Version) -> Models:
    """Names; what comes after a description that is not known is left out."""
    r, out = Reader(payload), Models()
    for _ in range(r.count(4)):
        kind = r.i32()
        end = r.at + 4 + r.i32() if version >= (4, 1) else None
        if kind == _SET:
            r.text()
            for _ in range(r.count(1)):
                r.text()
        elif kind == _RIGID:
            name, number, _ = _rigid(r, version)
            out.bodies[number] = name
        elif kind == _SKELETON:
            name, number = r.text(), r.i32()
            out.skeletons[number] = name
            parts = [_rigid(r, version) for _ in range(r.count(20))]
            out.bones[number] = {bone & 0xFFFF: label for label, bone, _ in parts}
        elif end is None:
            break
        if end is not None:
            r.skip(end - r.at)
    return out


def _rigid(r: Reader, version: Version) -> tuple[str, int, int]:
    """Name, id and parent of a rigid body."""
    name, number, parent = r.text(), r.i32(), r.i32()
    r.skip(12 + (16 if version >= (4, 2) else 0))
    markers = r.count(16)
    r.skip(16 * markers)
    if version >= (4, 0):
        for _ in range(markers):
            r.text()
    return name, number, parent


def write_frame(
    number: int, stamp_s: float, version: Version, *, bodies: NDArray[np.void] | None = None,
    skeletons: dict[int, NDArray[np.void]] | None = None, markers: NDArray[np.void] | None = None,
    models_changed: bool = False,
) -> bytes:  # fmt: skip
    """A frame as Motive sends it."""
    sized = version >= (4, 1)

    def section(count: int, content: bytes) -> bytes:
        size = struct.pack("<i", len(content)) if sized else b""
        return struct.pack("<i", count) + size + content

    parts = [struct.pack("<i", number), section(0, b""), section(0, b"")]
    parts.append(section(0 if bodies is None else len(bodies), b"" if bodies is None else bodies.tobytes()))
    bones = b"".join(struct.pack("<ii", k, len(v)) + v.tobytes() for k, v in (skeletons or {}).items())
    parts.append(section(len(skeletons or {}), bones))
    if sized:
        parts.append(section(0, b""))
    parts.append(section(0 if markers is None else len(markers), b"" if markers is None else markers.tobytes()))
    parts += [section(0, b""), section(0, b""), struct.pack("<iid3Q", 0, 0, stamp_s, 0, 0, 0)]
    parts.append((struct.pack("<II", 0, 0) if sized else b"") + struct.pack("<hi", 2 * models_changed, 0))
    return request(FRAME, b"".join(parts))


def rigid_bodies(ids: ArrayLike, places: ArrayLike, turns: ArrayLike, tracked: ArrayLike) -> NDArray[np.void]:
    """(R,) as a frame holds them; turns xyzw."""
    out = np.zeros(np.shape(ids), _BODY)
    out["id"], out["place"], out["turn"], out["flags"] = ids, places, turns, tracked
    return out


def labelled_markers(ids: ArrayLike, places: ArrayLike, occluded: ArrayLike) -> NDArray[np.void]:
    """(M,) as a frame holds them."""
    out = np.zeros(np.shape(ids), _MARKER)
    out["id"], out["place"], out["flags"], out["size"] = ids, places, occluded, 0.014
    return out


def write_models(models: Models, version: Version) -> bytes:
    """Descriptions as Motive sends them."""

    def rigid(name: str, number: int, parent: int) -> bytes:
        body = name.encode() + b"\0" + struct.pack("<ii3f", number, parent, 0, 0, 0)
        return body + (struct.pack("<4f", 0, 0, 0, 1) if version >= (4, 2) else b"") + struct.pack("<i", 0)

    def described(kind: int, content: bytes) -> bytes:
        size = struct.pack("<i", len(content)) if version >= (4, 1) else b""
        return struct.pack("<i", kind) + size + content

    parts = [described(_RIGID, rigid(name, number, -1)) for number, name in models.bodies.items()]
    for number, name in models.skeletons.items():
        bones = models.bones[number]
        content = b"".join(rigid(label, bone | number << 16, 0) for bone, label in bones.items())
        head = name.encode() + b"\0" + struct.pack("<ii", number, len(bones))
        parts.append(described(_SKELETON, head + content))
    return request(MODELS, struct.pack("<i", len(parts)) + b"".join(parts))


def write_server_info(version: Version) -> bytes:
    """The answer to `hello`."""
    return request(SERVER_INFO, b"Motive".ljust(256, b"\0") + bytes([3, 0, 0, 0, *version, 0, 0]) + b"\0" * 32)
