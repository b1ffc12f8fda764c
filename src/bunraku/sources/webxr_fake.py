"""A stand-in for a headset's page: head and hands of any motion, or a session that IWER's recorder kept."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.fake import Fake
from bunraku.sources.network import Address
from bunraku.sources.websocket import WebSocket
from bunraku.sources.webxr import PORT
from bunraku.sources.webxr_frames import HAND_JOINTS, HEAD_FROM_EYES, JOINT_AT_REST, SEGMENTS

Array = NDArray[np.float64]

_RATE_HZ = 72.0
_LARGEST_FILE = 256 << 20
_WITHIN_PALM = 0.25
"""where a finger's first bone begins, from the wrist to the knuckle"""


def _sent(place: Array, turn: Array) -> list[float]:
    """A pose as the page sends it."""
    w, x, y, z = (float(v) for v in turn)
    return [round(float(v), 6) for v in (-place[1], place[2], -place[0], -y, z, -x, w)]


def xr_message(motion: HumanMotion, row: int, number: int) -> dict[str, Any]:
    """What the page says of one frame of a motion; hands are those whose 21 joints are known."""
    places, turns = motion.positions[row], motion.rotations[row]
    known = motion.position_valid[row] & motion.rotation_valid[row]
    message: dict[str, Any] = {"seq": number, "t": number * 1000.0 / motion.fps, "epoch": 0}
    head = INDEX["head"]
    if known[head]:
        eyes = places[head] - rot.rotate(turns[head], HEAD_FROM_EYES)
        message["head"] = _sent(eyes, turns[head])
    for side in SIDES:
        wrist, first = INDEX[f"{side}_hand"], INDEX[f"{side}_thumb_1"]
        if not (known[wrist] and motion.position_valid[row, first : first + len(SEGMENTS)].all()):
            continue
        back = rot.inverse(JOINT_AT_REST[side])
        joints = [_sent(places[wrist], rot.multiply(turns[wrist], back))] * HAND_JOINTS
        for k, source in enumerate(SEGMENTS):
            turn = turns[first + k] if known[first + k] else turns[wrist]
            joints[source] = _sent(places[first + k], rot.multiply(turn, back))
        for finger in range(1, 5):
            start = places[wrist] + _WITHIN_PALM * (places[first + 4 * finger] - places[wrist])
            joints[5 * finger] = _sent(start, rot.multiply(turns[wrist], back))
        message[side] = {"joints": joints}
    return message


def captured_messages(path: Path) -> list[dict[str, Any]]:
    """Frames of a session as IWER's recorder (`ActionRecorder`) writes them."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{path}: at most {_LARGEST_FILE >> 20} MiB of a session are read")
        recorded = json.loads(path.read_text(encoding="utf-8"))
        schema = {number: dict(kind) for number, kind in recorded["schema"]}
        frames = [_captured(frame, number, schema) for number, frame in enumerate(recorded["frames"])]
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}") from None
    except (ValueError, KeyError, TypeError, IndexError, RecursionError):
        raise InputError(f"{path}: no session that IWER recorded") from None
    if not frames:
        raise InputError(f"{path}: it holds no frames")
    return frames


def _captured(frame: list[Any], number: int, schema: dict[int, dict[str, Any]]) -> dict[str, Any]:
    message: dict[str, Any] = {"seq": number, "t": frame[0], "epoch": 0, "head": frame[1:8]}
    for entry in frame[8:]:
        kind, rest = schema[entry[0]], entry[8:]
        if kind.get("hasHand"):
            joints = [_on(entry[1:8], rest[1][8 * k : 8 * k + 7]) for k in range(HAND_JOINTS)]
            message[kind["handedness"]] = {"joints": joints}
        else:
            message[kind["handedness"]] = {"grip": rest[0], "trigger": rest[1][0][2], "squeeze": rest[1][1][2]}
    return message


def _on(base: list[float], joint: list[float]) -> list[float]:
    """A joint that was recorded relative to another pose, in the room."""

    def wxyz(values: ArrayLike) -> Array:
        return np.roll(np.asarray(values, float), 1)

    turn = wxyz(base[3:7])
    place = np.array(base[:3]) + rot.rotate(turn, joint[:3])
    return [float(v) for v in (*place, *np.roll(rot.multiply(turn, wxyz(joint[3:7])), -1))]


class HeadsetFake:
    """The page, as a client of the program's server."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        self._motion, self._where = motion, f"{host}:{port}"
        self._captured = captured_messages(Path(options["capture"])) if "capture" in options else []
        address = Address(host, port)
        self._socket = WebSocket(address, "/headset", begun=self._greet, origin=f"http://{address}")
        self._now_ns = 0

    def open(self) -> str:
        """Look for the program."""
        self._socket.open(self._now_ns)
        return f"webxr://{self._where}"

    def waits_on(self) -> Sequence[int]:
        """The connection."""
        return self._socket.descriptors()

    def receive(self) -> None:
        """Hear whether it drives."""
        self._socket.receive(self._now_ns)

    def send(self, frame: int) -> None:
        """One frame; until the program is there, it is looked for."""
        self._now_ns += round(1e9 / self._motion.fps)
        self.receive()
        if self._captured:
            message = self._captured[frame % len(self._captured)] | {"seq": frame}
        else:
            message = xr_message(self._motion, frame % len(self._motion), frame)
        self._socket.send_bytes(json.dumps(message, separators=(",", ":")).encode())

    def close(self) -> None:
        """End."""
        self._socket.close()

    def _greet(self) -> None:
        self._socket.send('{"begin":true}')


FAKE = Fake(
    scheme="webxr",
    summary="a WebXR headset's page (on this machine)",
    example="bunraku fake webxr --motion synth:conduct",
    rate_hz=_RATE_HZ,
    port=PORT,
    options=MappingProxyType({"capture": "a session that IWER recorded, to send instead of the motion"}),
    make=HeadsetFake,
)
