"""The VMC protocol over OSC: what VTubers' trackers send (Virtual Motion Capture, VSeeFace, Warudo, XR Animator …)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np

from bunraku.human import HumanPose
from bunraku.kinematics import rotations as rot
from bunraku.sources.health import Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.network import Address, Datagrams
from bunraku.sources.osc import Argument, messages
from bunraku.sources.pose_builder import PoseBuilder
from bunraku.sources.vmc_wire import (
    BLEND,
    BONE,
    CHEST,
    JAW,
    JOINT,
    NAMES,
    PARENT,
    PORT,
    ROOT,
    ROW,
    STATE,
    TIME,
    UPPER_CHEST,
    place_from_unity,
    turn_from_unity,
)
from bunraku.sources.wire import WireSource


class VmcDecoder:
    """Bones come in any number of datagrams. A frame is whole when all bones of the frame before have come again, when
    the sender says so, or, failing both, when a bone comes a second time."""

    def __init__(self, tally: Tally) -> None:
        self._tally, self._builder = tally, PoseBuilder()
        self._places, self._turns = np.zeros((len(NAMES), 3)), np.tile(rot.IDENTITY, (len(NAMES), 1))
        self._root_place, self._root_turn = np.zeros(3), rot.IDENTITY
        self._come: set[int] = set()
        self._usual: set[int] = set()
        self._jaw: float | None = None
        self.advice = ""

    def reset(self) -> None:
        """Another sender."""
        self._come, self._usual = set(), set()
        self._builder.reset()

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """Poses that this datagram completes."""
        out: list[HumanPose] = []
        try:
            for address, arguments in messages(data):
                self._message(address, arguments, now_ns, out)
        except ValueError:
            self._tally.reject("datagram that is no OSC")
        if self._usual and self._come >= self._usual:
            self._finish(now_ns, out)
        return out

    def _message(self, address: str, arguments: tuple[Argument, ...], now_ns: int, out: list[HumanPose]) -> None:
        if address == BONE:
            self._bone(arguments, now_ns, out)
        elif address == ROOT:
            values = _numbers(arguments)
            if values is None:
                self._tally.reject("bone that is none")
            else:
                self._root_place = np.array(place_from_unity(*values[:3]))
                self._root_turn = np.array(turn_from_unity(*values[3:7]))
        elif address in (TIME, STATE):
            self._finish(now_ns, out)
        elif address == BLEND and len(arguments) == 2 and arguments[0] in JAW and isinstance(arguments[1], float):
            self._jaw = min(max(arguments[1], 0.0), 1.0)

    def _bone(self, arguments: tuple[Argument, ...], now_ns: int, out: list[HumanPose]) -> None:
        values = _numbers(arguments)
        row = ROW.get(arguments[0], -1) if arguments and isinstance(arguments[0], str) else -1
        if values is None or row < 0:
            self._tally.reject("bone that is none")
            return
        if row in self._come:
            self._finish(now_ns, out)
        self._places[row] = place_from_unity(*values[:3])
        self._turns[row] = turn_from_unity(*values[3:7])
        self._come.add(row)

    def _finish(self, now_ns: int, out: list[HumanPose]) -> None:
        """The pose of all bones that have come, if any have."""
        if not self._come:
            return
        self._usual, self._come = self._come, set()
        places, turns = np.zeros((len(NAMES), 3)), np.zeros((len(NAMES), 4))
        for row in range(len(NAMES)):
            above = int(PARENT[row])
            turn, place = (turns[above], places[above]) if above >= 0 else (self._root_turn, self._root_place)
            if row not in self._usual:
                # A bone that the model does not have is where the one above it is.
                turns[row], places[row] = turn, place
                continue
            turns[row] = _product(turn, self._turns[row])
            places[row] = place + _turned(turn, self._places[row])
        if UPPER_CHEST in self._usual:
            turns[CHEST], places[CHEST] = turns[UPPER_CHEST], places[UPPER_CHEST]
        rows = [row for row in sorted(self._usual) if JOINT[row] >= 0]
        joints = JOINT[rows]
        pose = self._builder.pose(
            now_ns, stamp_ns=now_ns, placed=joints, places=places[rows], turned=joints, turns=turns[rows], jaw=self._jaw
        )
        if isinstance(pose, str):
            self._tally.reject(pose)
            return
        self._tally.accept(now_ns)
        out.append(pose)


def _numbers(arguments: tuple[Argument, ...]) -> list[float] | None:
    """Place and turn of a bone, or None where they are not there."""
    values = arguments[1:8]
    if len(values) < 7:
        return None
    numbers = [float(value) for value in values if isinstance(value, float | int) and abs(value) < 1e6]
    return numbers if len(numbers) == 7 else None


def _product(a: np.ndarray, b: np.ndarray) -> tuple[float, float, float, float]:
    w, x, y, z = a.tolist()
    p, q, r, s = b.tolist()
    return (
        w * p - x * q - y * r - z * s,
        w * q + x * p + y * s - z * r,
        w * r - x * s + y * p + z * q,
        w * s + x * r - y * q + z * p,
    )


def _turned(turn: np.ndarray, place: np.ndarray) -> tuple[float, float, float]:
    w, x, y, z = turn.tolist()
    a, b, c = place.tolist()
    u, v, t = 2 * (y * c - z * b), 2 * (z * a - x * c), 2 * (x * b - y * a)
    return a + w * u + y * t - z * v, b + w * v + z * u - x * t, c + w * t + x * v - y * u


def _open(rest: str, options: Mapping[str, str]) -> Source:
    tally = Tally()
    address = Address.parse(rest, scheme="osc", port=PORT)
    return WireSource(Datagrams(address, allowed=options.get("from")), VmcDecoder(tally), tally)


DEVICE = Device(
    scheme="osc",
    summary="VMC protocol over OSC, as VTubers' trackers send it (UDP 39539)",
    example="osc://127.0.0.1:39539",
    options=MappingProxyType({"from": "the one address that may send"}),
    open=_open,
)
