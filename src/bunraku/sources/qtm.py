"""Qualisys Track Manager: the skeletons that it solves, over its real-time protocol."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import UnknownNameError
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import qtm_wire as wire
from bunraku.sources.binary import CutOffError, doubles
from bunraku.sources.health import Health, Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.measure import FACING
from bunraku.sources.network import Address, Connection
from bunraku.sources.pose_builder import PoseBuilder

_FAR_BACK = 1000


def _segments() -> dict[str, str]:
    """Segment of QTM's skeleton → canonical joint."""
    out = {"Hips": "hips", "Spine": "spine", "Spine2": "chest", "Neck": "neck", "Head": "head"}
    parts = {"Shoulder": "clavicle", "Arm": "upper_arm", "ForeArm": "forearm", "Hand": "hand", "UpLeg": "thigh",
             "Leg": "shin", "Foot": "foot", "ToeBase": "toe"}  # fmt: skip
    return out | {f"{side.capitalize()}{name}": f"{side}_{joint}" for side in SIDES for name, joint in parts.items()}


SEGMENTS = _segments()


class QtmDecoder:
    """Frames to the poses of one skeleton. What it is described as is taken for a T-pose."""

    def __init__(self, tally: Tally, *, skeleton: str | None = None, facing: str = "x") -> None:
        self._tally, self._wanted, self._world = tally, skeleton, np.array(FACING[facing])
        self._builder = PoseBuilder()
        self._number: int | None = None
        self._which: int | None = None
        self._ids: NDArray[np.int64] = np.zeros(0, np.int64)
        self._joints: NDArray[np.intp] = np.zeros(0, np.intp)
        self._back = np.zeros((0, 4))
        self.advice = ""

    @property
    def is_named(self) -> bool:
        """Whether it is known what the numbers in frames mean."""
        return self._which is not None

    def reset(self) -> None:
        """A new connection."""
        self._number = self._which = None
        self._builder.reset()

    def names(self, content: bytes) -> None:
        """The answer to what skeletons there are."""
        names = wire.read_names(content)
        chosen = [k for k, name in enumerate(names.skeletons) if self._wanted in (None, name)]
        self._which = chosen[0] if chosen else None
        there = ", ".join(names.skeletons) or "none: solve one in QTM and stream skeletons"
        self.advice = "" if chosen else f"no skeleton{f' {self._wanted!r}' if self._wanted else ''}; there are: {there}"
        if self._which is None:
            return
        found = [(k, SEGMENTS[name]) for k, name in names.segments[self._which].items() if name in SEGMENTS]
        self._ids = np.array([k for k, _ in found], np.int64)
        self._joints = np.array([INDEX[joint] for _, joint in found], np.intp)
        rest = np.array([names.rest[self._which][k] for k, _ in found]).reshape(-1, 4)[:, [3, 0, 1, 2]]
        # The turn away from the described pose, seen in our world.
        self._back = rot.multiply(rot.inverse(rest), rot.inverse(self._world))

    def frame(self, content: bytes, now_ns: int) -> HumanPose | None:
        """The pose of a frame."""
        frame = wire.read_frame(content)
        if self._number is not None and -_FAR_BACK < frame.number - self._number <= 0:
            self._tally.reject("late or sent twice")
            return None
        if self._number is not None and 1 < frame.number - self._number < _FAR_BACK:
            self._tally.lose(frame.number - self._number - 1)
        self._number = frame.number
        if self._which is None or self._which >= len(frame.skeletons) or not len(frame.skeletons[self._which]):
            self._tally.reject("frame without the skeleton")
            return None
        rows = frame.skeletons[self._which]
        row_of = {int(k): row for row, k in enumerate(rows["id"])}
        at = np.array([row_of.get(int(k), -1) for k in self._ids], np.intp)
        places, turns = doubles(rows["place"][at]), doubles(rows["turn"][at])
        seen = (at >= 0) & np.isfinite(places).all(-1) & np.isfinite(turns).all(-1)
        joints, back = self._joints[seen], self._back[seen]
        turns = rot.multiply(rot.multiply(self._world, turns[seen][:, [3, 0, 1, 2]]), back)
        places = rot.rotate(self._world, places[seen] / 1000.0)
        pose = self._builder.pose(
            now_ns, stamp_ns=frame.stamp_us * 1000, placed=joints, places=places, turned=joints, turns=turns
        )
        if isinstance(pose, str):
            self._tally.reject(pose)
            return None
        self._tally.accept(now_ns)
        return pose


class QtmSource:
    """Agrees on the version, asks what skeletons there are, and has all frames streamed."""

    def __init__(self, address: Address, decoder: QtmDecoder, tally: Tally) -> None:
        self._decoder, self._tally, self._address = decoder, tally, address
        self._link = Connection(address, begun=self._begin)
        self._packets = wire.Packets()
        self._newest: HumanPose | None = None
        self._trouble = ""

    def open(self, now_ns: int) -> None:
        """Look for QTM."""
        self._link.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The socket."""
        return self._link.descriptors()

    def receive(self, now_ns: int) -> None:
        """Answer and decode what is there."""
        for data in self._link.receive(now_ns):
            try:
                for kind, content in self._packets.feed(data):
                    self._packet(kind, content, now_ns)
            except CutOffError:
                self._tally.reject("packet that is no QTM's")

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and what is wrong in words."""
        reason = self._link.reason or self._trouble or self._decoder.advice
        connected = self._link.connected and self._decoder.is_named
        if not connected and not reason:
            reason = f"{self._address} answers, but not as QTM does"
        return self._tally.health(now_ns, connected=connected, reason=reason)

    def close(self) -> None:
        """End."""
        self._link.close()

    def _begin(self) -> None:
        self._packets, self._trouble = wire.Packets(), ""
        self._decoder.reset()

    def _packet(self, kind: int, content: bytes, now_ns: int) -> None:
        if kind == wire.COMMAND and wire.text_of(content) == wire.HELLO:
            self._link.send(wire.command(f"version {wire.VERSION}"))
        elif kind == wire.COMMAND and "set to" in wire.text_of(content):
            self._link.send(wire.command("getparameters skeleton"))
        elif kind == wire.XML:
            self._decoder.names(content)
            if self._decoder.is_named:
                self._link.send(wire.command("streamframes allframes skeleton:global"))
        elif kind == wire.DATA:
            self._newest = self._decoder.frame(content, now_ns) or self._newest
        elif kind == wire.ERROR:
            self._trouble = f"QTM says: {wire.text_of(content)[:120]}"


def _open(rest: str, options: Mapping[str, str]) -> Source:
    facing = options.get("facing", "x")
    if facing not in FACING:
        raise UnknownNameError("direction", facing, FACING)
    tally = Tally()
    decoder = QtmDecoder(tally, skeleton=options.get("skeleton"), facing=facing)
    return QtmSource(Address.parse(rest, scheme="qtm", port=wire.PORT), decoder, tally)


DEVICE = Device(
    scheme="qtm",
    summary="Qualisys Track Manager: solved skeletons, real-time protocol 1.25",
    example="qtm://192.168.1.10:22223",
    options=MappingProxyType(
        {
            "skeleton": "name of the one to follow (default: the first one)",
            "facing": f"where the skeleton's own T-pose faces: {', '.join(FACING)} (default: x)",
        }
    ),
    open=_open,
    priorities={"torso": 10, "left_arm": 10, "right_arm": 10, "left_leg": 10, "right_leg": 10, "head": 5},
)
