"""A stand-in for the Leap Motion's service: the forearms, hands and fingers of any motion, or a recording of frames."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import FINGERS, INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.fake import Fake
from bunraku.sources.fake_network import WebSocketBroadcast
from bunraku.sources.leap import PORT
from bunraku.sources.leap_frames import MODES, LeapFrames, Mode

Array = NDArray[np.float64]

_RATE_HZ = 110.0
_MICROSECONDS = 1e6 / _RATE_HZ
_LARGEST_FILE = 256 << 20


def leap_frame(motion: HumanMotion, row: int, number: int, mode: Mode) -> dict[str, Any]:
    """What the service says of one frame of a motion: hands whose wrist and turn are known, ids from `number`."""
    hands, pointables = [], []
    frames = LeapFrames(mode)
    for hand_id, side in enumerate(SIDES, 1):
        wrist, elbow = INDEX[f"{side}_hand"], INDEX[f"{side}_forearm"]
        if not (motion.position_valid[row, wrist] and motion.rotation_valid[row, wrist]):
            continue
        out = 1.0 if side == "left" else -1.0
        turn = motion.rotations[row, wrist]
        place = motion.positions[row]
        ahead = frames.directions_of(rot.rotate(turn, [0.0, out, 0.0]))
        palm = frames.directions_of(rot.rotate(turn, [0.0, 0.0, -1.0]))
        at = frames.places_of(place[wrist])
        hands.append(
            {
                "id": hand_id, "type": side, "palmPosition": _numbers(at + 60.0 * ahead), "palmNormal": _numbers(palm),
                "direction": _numbers(ahead), "wrist": _numbers(at), "confidence": 1.0,
            }
        )  # fmt: skip
        if motion.position_valid[row, elbow] and motion.rotation_valid[row, elbow]:
            arm = motion.rotations[row, elbow]
            back = frames.directions_of(rot.rotate(arm, [0.0, 0.0, 1.0]))
            bone = frames.directions_of(rot.rotate(arm, [0.0, out, 0.0]))
            hands[-1]["elbow"] = _numbers(frames.places_of(place[elbow]))
            hands[-1]["armBasis"] = [_numbers(np.cross(back, -bone)), _numbers(back), _numbers(-bone)]
        pointables += _pointables(motion, row, frames, side, hand_id)
    return {
        "currentFrameRate": _RATE_HZ, "id": number, "timestamp": round(number * _MICROSECONDS), "devices": [],
        "hands": hands, "pointables": pointables,
    }  # fmt: skip


def _pointables(motion: HumanMotion, row: int, frames: LeapFrames, side: str, hand_id: int) -> list[dict[str, Any]]:
    out = []
    for kind, finger in enumerate(FINGERS):
        joints = [INDEX[f"{side}_{finger}_{part}"] for part in ("1", "2", "3", "tip")]
        if motion.position_valid[row, joints].all():
            mcp, pip, dip, tip = (_numbers(frames.places_of(motion.positions[row, joint])) for joint in joints)
            out.append(
                {
                    "id": hand_id * 10 + kind, "handId": hand_id, "type": kind, "tool": False, "mcpPosition": mcp,
                    "pipPosition": pip, "dipPosition": dip, "btipPosition": tip, "tipPosition": tip,
                }
            )  # fmt: skip
    return out


def _numbers(vector: Array) -> list[float]:
    return [round(float(v), 4) for v in vector]


def _recorded(path: Path) -> list[str]:
    """Frames of a file, one a line, as they were recorded."""
    try:
        if path.stat().st_size > _LARGEST_FILE:
            raise InputError(f"{path}: at most {_LARGEST_FILE >> 20} MiB of frames are read")
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path}: frames cannot be read: {error}") from None
    frames = [line for line in lines if line.lstrip().startswith("{")]
    if not frames:
        raise InputError(f"{path}: no frames, one JSON object a line")
    return frames


class LeapFake:
    """The service."""

    def __init__(self, motion: HumanMotion, host: str, port: int, options: Mapping[str, str]) -> None:
        chosen = options.get("mode", "desktop")
        mode = next((name for name in MODES if name == chosen), None)
        if mode is None:
            raise UnknownNameError("mode", chosen, MODES)
        self._mode, self._motion = mode, motion
        self._recorded = _recorded(Path(options["frames"])) if "frames" in options else []
        version = options.get("version", "6")
        self._server = WebSocketBroadcast(
            host, port, path=f"/v{version}.json",
            greeting=(f'{{"version":{version}}}',
                      '{"event":{"type":"deviceEvent","state":{"attached":true,"streaming":true,"type":"peripheral"}}}'),
        )  # fmt: skip
        self._host = host

    def open(self) -> str:
        """Listen."""
        self._server.open()
        return f"leap://{self._host}:{self._server.port}?mode={self._mode}"

    def waits_on(self) -> Sequence[int]:
        """The port and its clients."""
        return self._server.descriptors()

    def receive(self) -> None:
        """Let clients in and answer them."""
        self._server.receive()

    def send(self, frame: int) -> None:
        """One frame."""
        if self._recorded:
            self._server.send(self._recorded[frame % len(self._recorded)])
            return
        said = leap_frame(self._motion, frame % len(self._motion), frame, self._mode)
        self._server.send(json.dumps(said, separators=(",", ":")))

    def close(self) -> None:
        """End."""
        self._server.close()


FAKE = Fake(
    scheme="leap",
    summary="the Leap Motion service's WebSocket",
    example="bunraku fake leap --motion synth:conduct --option mode=hmd",
    rate_hz=_RATE_HZ,
    port=PORT,
    options=MappingProxyType(
        {
            "mode": "desktop (default) or hmd",
            "version": "of the protocol: 6 (default) or 7",
            "frames": "a file of recorded frames to send instead of the motion, one JSON object a line",
        }
    ),
    make=LeapFake,
)
