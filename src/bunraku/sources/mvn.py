"""Xsens MVN: its network stream of poses (position and quaternion, UDP)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError
from bunraku.human import HumanPose
from bunraku.sources.binary import doubles
from bunraku.sources.health import Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.mvn_wire import BODY_SEGMENTS, IGNORED, JOINT_OF, PORT, POSE, Part, parse_part
from bunraku.sources.network import Address, Datagrams
from bunraku.sources.pose_builder import PoseBuilder
from bunraku.sources.wire import WireSource

_FAR_BACK = 1000
_MOST_PARTS = 16
_OTHER_FORM = "MVN sends poses in another form: in its Network Streamer switch 'Position + Orientation (Quaternion)' on"


class MvnDecoder:
    """The poses of one character. A frame in several datagrams is whole with its last one."""

    def __init__(self, tally: Tally, character: int | None = None) -> None:
        self._tally, self._character = tally, character
        self._builder = PoseBuilder()
        self._parts: list[Part] = []
        self._sample: int | None = None
        self.advice = ""

    def reset(self) -> None:
        """Another session."""
        self._parts, self._sample = [], None
        self._builder.reset()

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The pose that this datagram completes."""
        part = parse_part(data)
        if isinstance(part, str):
            if IGNORED.get(data[: len(POSE)]):
                self.advice = _OTHER_FORM
            self._tally.reject(part)
            return []
        if self._character is None:
            self._character = part.character
        if part.character != self._character:
            self._tally.reject("of another person")
            return []
        if self._parts and self._parts[0].sample != part.sample:
            self._tally.lose()
            self._parts = []
        if part.number != len(self._parts) or len(self._parts) >= _MOST_PARTS:
            self._tally.reject("part of a frame whose beginning is missing")
            self._parts = []
            return []
        self._parts.append(part)
        if not part.is_last:
            return []
        parts, self._parts = self._parts, []
        return self._frame(parts, now_ns)

    def _frame(self, parts: list[Part], now_ns: int) -> list[HumanPose]:
        if not self._is_next(parts[0].sample):
            self._tally.reject("late or sent twice")
            return []
        segments = parts[0].segments if len(parts) == 1 else np.concatenate([part.segments for part in parts])
        joints, chosen = _joints(segments["id"], parts[0].props)
        if not len(joints):
            self._tally.reject("frame without a body")
            return []
        places = doubles(segments["place"][chosen])
        turns = doubles(segments["turn"][chosen])
        stamp = parts[0].sample
        pose = self._builder.pose(now_ns, stamp_ns=stamp, placed=joints, places=places, turned=joints, turns=turns)
        if isinstance(pose, str):
            self._tally.reject(pose)
            return []
        self.advice = ""
        self._tally.accept(now_ns)
        return [pose]

    def _is_next(self, sample: int) -> bool:
        before = self._sample
        if before is not None and -_FAR_BACK < sample - before <= 0:
            return False
        if before is not None and 1 < sample - before < _FAR_BACK:
            self._tally.lose(sample - before - 1)
        self._sample = sample
        return True


def _joints(ids: NDArray[np.int32], props: int) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Canonical joints, and which segments they are; props stand between the body and the hands."""
    place = ids.astype(np.intp) - 1
    place = np.where(place >= BODY_SEGMENTS + props, place - props, np.where(place >= BODY_SEGMENTS, -1, place))
    known = (place >= 0) & (place < len(JOINT_OF))
    joints = np.where(known, JOINT_OF[np.where(known, place, 0)], -1)
    chosen = np.flatnonzero(joints >= 0)
    return joints[chosen], chosen


def _open(rest: str, options: Mapping[str, str]) -> Source:
    character = options.get("character")
    if character is not None and not character.isdecimal():
        raise InputError(f"option character={character}: a number belongs there, counted from 0")
    address = Address.parse(rest, scheme="mvn", port=PORT)
    tally = Tally()
    decoder = MvnDecoder(tally, None if character is None else int(character))
    return WireSource(Datagrams(address, allowed=options.get("from")), decoder, tally)


DEVICE = Device(
    scheme="mvn",
    summary="Xsens MVN's network stream: position and quaternion, UDP 9763",
    example="mvn://127.0.0.1:9763",
    options=MappingProxyType(
        {
            "character": "number of the person, from 0 (default: the first one sent)",
            "from": "the one address that may send",
        }
    ),
    open=_open,
    priorities={"torso": 10, "left_arm": 10, "right_arm": 10, "left_leg": 10, "right_leg": 10},
)
