"""Noitom's suits: Axis Neuron and Axis Studio, over TCP (they are the server) or UDP."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bunraku.errors import UnknownNameError
from bunraku.human import HumanPose
from bunraku.sources.health import Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.network import Address, Connection, Datagrams
from bunraku.sources.noitom_skeleton import GENERATIONS, ORDERS, Generation, suit_rows
from bunraku.sources.noitom_wire import SuitFrame, SuitParser
from bunraku.sources.wire import WireSource

TCP_PORT, UDP_PORT = 7001, 7012
_FAR_BACK = 100
"""frames: what is numbered so much lower is not late but a new session"""


class SuitDecoder:
    """The poses of one person among those that the suit's program sends."""

    def __init__(
        self, tally: Tally, *, generation: Generation = "legacy", order: str = "YXZ", avatar: str | None = None,
        datagrams: bool = False,
    ) -> None:  # fmt: skip
        """`avatar`: a name or a number; the first one seen where it is None."""
        self._tally, self._generation, self._order = tally, generation, order
        self._parser = SuitParser(tally)
        self._read = self._parser.datagram if datagrams else self._parser.feed
        self._wanted = avatar
        self._followed: int | None = None
        self._others: dict[int, str] = {}
        self._number: int | None = None
        self._before: HumanPose | None = None

    @property
    def advice(self) -> str:
        """What the user should set otherwise; empty where all is well."""
        if not self._parser.advice and self._followed is None and self._others:
            return f"avatar '{self._wanted}' is not sent; there are {', '.join(sorted(self._others.values()))}"
        return self._parser.advice

    def reset(self) -> None:
        """A new connection."""
        self._parser.reset()
        self._number = self._before = None

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """Poses of the person that is followed."""
        return [pose for frame in self._read(data) if (pose := self._pose(frame, now_ns)) is not None]

    def _pose(self, frame: SuitFrame, now_ns: int) -> HumanPose | None:
        if not self._is_followed(frame):
            self._others[frame.avatar % 64] = frame.name or str(frame.avatar)
            self._tally.reject("of another person")
            return None
        if not self._is_next(frame.number):
            self._tally.reject("late or sent twice")
            return None
        rows = suit_rows(self._generation, self._order, frame.displaced)
        positions, rotations = rows.poses(frame.values[None])
        before = self._before
        if before is not None:
            rotations[0][(rotations[0] * before.rotations).sum(axis=1) < 0] *= -1.0
        self._tally.accept(now_ns)
        self._before = HumanPose(
            positions=positions[0],
            rotations=rotations[0],
            position_valid=rows.placed,
            rotation_valid=rows.turning,
            stamp_ns=now_ns,
            received_ns=now_ns,
        )
        return self._before

    def _is_followed(self, frame: SuitFrame) -> bool:
        if self._followed is None and self._wanted in (None, frame.name, str(frame.avatar)):
            self._followed = frame.avatar
        return frame.avatar == self._followed

    def _is_next(self, number: int | None) -> bool:
        """Whether a frame of this running number is newer than the one before; counts those in between as lost."""
        before, self._number = self._number, number
        if number is None or before is None:
            return True
        ahead = (number - before + (1 << 31)) % (1 << 32) - (1 << 31)
        if -_FAR_BACK < ahead <= 0:
            self._number = before
            return False
        if 1 < ahead < 1 << 16:
            self._tally.lose(ahead - 1)
        return True


def _open(rest: str, options: Mapping[str, str]) -> Source:
    order = options.get("rotation", "YXZ").upper()
    if order not in ORDERS:
        raise UnknownNameError("rotation order", order, ORDERS)
    chosen = options.get("skeleton", "studio" if "udp" in options else "legacy")
    generation = next((name for name in GENERATIONS if name == chosen), None)
    if generation is None:
        raise UnknownNameError("skeleton", chosen, GENERATIONS)
    tally, udp = Tally(), "udp" in options
    decoder = SuitDecoder(tally, generation=generation, order=order, avatar=options.get("avatar"), datagrams=udp)
    address = Address.parse(rest, scheme="axis-neuron", port=UDP_PORT if udp else TCP_PORT)
    if udp:
        return WireSource(Datagrams(address, allowed=options.get("from")), decoder, tally)
    return WireSource(Connection(address, begun=decoder.reset), decoder, tally)


DEVICE = Device(
    scheme="axis-neuron",
    summary="Noitom suits: Axis Neuron (TCP 7001), Axis Studio (?udp, 7012)",
    example="axis-neuron://127.0.0.1:7001",
    options=MappingProxyType(
        {
            "udp": "listen for datagrams at this port instead of connecting to it",
            "rotation": f"the order set in the suit's program: {', '.join(ORDERS)} (default: YXZ)",
            "skeleton": "legacy (Axis Neuron, default over TCP) or studio (Axis Studio, default over UDP)",
            "avatar": "name or number of the person to follow (default: the first one sent)",
            "from": "with udp: the one address that may send",
        }
    ),
    open=_open,
    priorities={"torso": 10, "left_arm": 10, "right_arm": 10},
)
