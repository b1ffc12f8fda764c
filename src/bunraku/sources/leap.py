"""Leap Motion and Ultraleap hand trackers, by the WebSocket of their service."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any

from bunraku.errors import MissingPackageError, UnknownNameError
from bunraku.human import HumanPose
from bunraku.sources.health import Health, Tally
from bunraku.sources.leap_frames import MODES, LeapFrames, Mode
from bunraku.sources.live import Device, Source
from bunraku.sources.network import Address
from bunraku.sources.websocket import WebSocket

PORT = 6437
VERSIONS = ("6", "7")
_UNSUPPORTED = 1001
_FAR_BACK = 1000


class LeapDecoder:
    """Messages of the service to poses."""

    def __init__(self, tally: Tally, mode: Mode = "desktop") -> None:
        try:
            import orjson
        except ImportError:
            raise MissingPackageError("orjson", "devices", "a Leap Motion") from None
        self._loads = orjson.loads
        self._tally, self._mode = tally, mode
        self.reset()

    def reset(self) -> None:
        """A new connection."""
        self._frames = LeapFrames(self._mode)
        self._number: int | None = None
        self.reason = ""

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The pose of a message, if it is a frame and one that was not there before."""
        try:
            message = self._loads(data)
        except ValueError:
            self._tally.reject("message that is no JSON")
            return []
        if not isinstance(message, dict):
            self._tally.reject("frame that is no Leap's")
            return []
        if "hands" not in message:
            self._event(message)
            return []
        if not self._is_next(message.get("id")):
            self._tally.reject("late or sent twice")
            return []
        pose = self._frames.pose(message, now_ns)
        if isinstance(pose, str):
            self._tally.reject(pose)
            return []
        self._tally.accept(now_ns)
        self.reason = "" if pose.position_valid.any() or pose.rotation_valid.any() else "no hand in sight"
        return [pose]

    def _event(self, message: dict[str, Any]) -> None:
        event = message.get("event")
        state = event.get("state") if isinstance(event, dict) else None
        if isinstance(state, dict) and state.get("attached") is False:
            self.reason = "the tracker is unplugged"

    def _is_next(self, number: object) -> bool:
        before = self._number
        if isinstance(number, int):
            if before is not None and -_FAR_BACK < number - before <= 0:
                return False
            if before is not None and 1 < number - before < _FAR_BACK and number - before != 2:
                # The service numbers what the device saw; it may send every second one.
                self._tally.lose(number - before - 1)
            self._number = number
        return True


class LeapSource:
    """A `Source`: the service's newest frame."""

    def __init__(self, address: Address, version: str, mode: Mode) -> None:
        self._tally = Tally()
        self._decoder = LeapDecoder(self._tally, mode)
        self._mode = mode
        self._socket = WebSocket(address, f"/v{version}.json", begun=self._greet)
        self._version = version
        self._newest: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        """Look for the service."""
        self._socket.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The socket."""
        return self._socket.descriptors()

    def receive(self, now_ns: int) -> None:
        """Decode what is there."""
        for data in self._socket.receive(now_ns):
            for pose in self._decoder.feed(data, now_ns):
                self._newest = pose

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and what is wrong in words."""
        reason = self._decoder.reason or self._socket.reason
        if self._socket.close_code == _UNSUPPORTED and not self._socket.connected:
            reason = f"the service does not speak version {self._version}: try ?version=6 or ?version=7"
        return self._tally.health(now_ns, connected=self._socket.connected, reason=reason)

    def close(self) -> None:
        """End."""
        self._socket.close()

    def _greet(self) -> None:
        """Exactly these texts: services compare them letter by letter."""
        self._decoder.reset()
        self._socket.send('{"background":true}')
        self._socket.send('{"focused":true}')
        self._socket.send('{"optimizeHMD":%s}' % ("true" if self._mode == "hmd" else "false"))


def _open(rest: str, options: Mapping[str, str]) -> Source:
    chosen = options.get("mode", "desktop")
    mode = next((name for name in MODES if name == chosen), None)
    if mode is None:
        raise UnknownNameError("mode", chosen, MODES)
    version = options.get("version", VERSIONS[0])
    if version not in VERSIONS:
        raise UnknownNameError("version", version, VERSIONS)
    return LeapSource(Address.parse(rest, scheme="leap", port=PORT), version, mode)


DEVICE = Device(
    scheme="leap",
    summary="Leap Motion and Ultraleap: both hands, wrists and elbows",
    example="leap://127.0.0.1:6437?mode=hmd",
    options=MappingProxyType(
        {
            "mode": "desktop (default) or hmd: where the tracker is mounted",
            "version": "of the service's protocol: 6 (default) or 7",
        }
    ),
    open=_open,
    priorities={"left_hand": 20, "right_hand": 20, "left_arm": 5, "right_arm": 5},
)
