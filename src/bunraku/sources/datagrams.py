"""Pose datagrams over UDP, as `datagrams_wire` describes them; from other machines only when they are signed."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from bunraku.errors import InputError
from bunraku.human import HumanPose
from bunraku.sources.datagrams_wire import MAX_BYTES, ObjectReader, pose_of, read_key, unsign
from bunraku.sources.health import Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.network import Address, Datagrams, is_local
from bunraku.sources.pose_builder import PoseBuilder
from bunraku.sources.wire import WireSource

PORT = 9870
_FAR_BACK = 1000


class PoseDecoder:
    """Datagrams to poses. What is signed must come in order, for ever: nothing can be played back."""

    def __init__(self, tally: Tally, key: bytes | None = None) -> None:
        self._tally, self._key = tally, key
        self._objects, self._builder = ObjectReader(), PoseBuilder()
        self._sessions: dict[bytes, int] = {}
        self._session = b""
        self._number: int | None = None
        self._epoch: object = None
        self.advice = ""

    def reset(self) -> None:
        """Another sender."""
        self._builder.reset()
        self._number = None

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The pose of one datagram."""
        pose = self._read(data, now_ns)
        if isinstance(pose, str):
            self._tally.reject(pose)
            return []
        self._tally.accept(now_ns)
        self.advice = ""
        return [pose]

    def _read(self, data: bytes, now_ns: int) -> HumanPose | str:
        if len(data) > MAX_BYTES:
            return "datagram that is too long"
        if self._key is not None:
            opened = unsign(data, self._key)
            if isinstance(opened, str):
                self.advice = f"{opened}: both sides need the same key"
                return opened
            session, number, data = opened
            if number <= self._sessions.get(session, -1):
                return "signed datagram that was there before"
            if session not in self._sessions and len(self._sessions) >= 64:
                del self._sessions[next(iter(self._sessions))]
            self._sessions[session] = number
        message = self._objects.read(data)
        if message is None:
            return "datagram that is no object"
        if not self._is_next(message.get("seq")):
            return "late or sent twice"
        pose = pose_of(message, self._builder, now_ns)
        if isinstance(pose, str):
            return pose
        if self._epoch is not None and message.get("epoch", 0) != self._epoch:
            self._tally.jump()
        self._epoch = message.get("epoch", 0)
        return pose

    def _is_next(self, number: object) -> bool:
        if not isinstance(number, int):
            return True
        before = self._number
        if before is not None and -_FAR_BACK < number - before <= 0:
            return False
        if before is not None and 1 < number - before < _FAR_BACK:
            self._tally.lose(number - before - 1)
        self._number = number
        return True


def _open(rest: str, options: Mapping[str, str]) -> Source:
    address = Address.parse(rest, scheme="udp", port=PORT)
    key = read_key(options["key"]) if "key" in options else None
    if key is None and not is_local(address.host):
        raise InputError(
            f"udp://{address}: from other machines only signed datagrams are taken: udp://{address}?key=FILE, "
            "with the same file on both sides"
        )
    tally = Tally()
    decoder = PoseDecoder(tally, key)
    return WireSource(Datagrams(address, allowed=options.get("from"), signed=key is not None), decoder, tally)


DEVICE = Device(
    scheme="udp",
    summary="pose datagrams of any program: JSON or msgpack, signed from other machines",
    example="udp://127.0.0.1:9870",
    options=MappingProxyType(
        {"key": "file with the secret that signs the datagrams", "from": "the one address that may send"}
    ),
    open=_open,
)
