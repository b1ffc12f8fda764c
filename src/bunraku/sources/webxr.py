"""WebXR headsets: a page in their own browser, served by a small process of ours, sends what it tracks."""

from __future__ import annotations

import json
import secrets
import socket
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from types import MappingProxyType

from bunraku.errors import InputError, MissingPackageError
from bunraku.headset.channel import FRAME, STATUS
from bunraku.human import HumanPose
from bunraku.sources.child import Child
from bunraku.sources.health import Health, Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.network import Address, is_local
from bunraku.sources.webxr_frames import XrFrames

PORT = 8766
_ANYWHERE = ("0.0.0.0", "::", "*")  # noqa: S104  refused
_FAR_BACK = 1000
_WORDS = {
    "hidden": "the headset shows something else, or was taken off",
    "visible-blurred": "the headset's menu is open: hands are not tracked",
    "ended": "the headset's session was ended",
    "gone": "the headset's page was closed, or its network is gone",
}


class HeadsetDecoder:
    """Packets of the server's process to poses."""

    def __init__(self, tally: Tally) -> None:
        try:
            import orjson
        except ImportError:
            raise MissingPackageError("orjson", "devices", "a headset") from None
        self._loads = orjson.loads
        self._tally = tally
        self._begun = False
        self._epoch: object = None
        self.reset()

    @property
    def advice(self) -> str:
        """What the person with the headset should know."""
        return _WORDS.get(self.presence, "")

    @property
    def driven(self) -> bool:
        """Whether a headset's session is on and seen."""
        return self.presence.startswith("visible")

    def reset(self) -> None:
        """The server began anew, and counts its sessions anew."""
        self._frames = XrFrames()
        self._number: int | None = None
        self._session = 0
        self.pages, self.presence = 0, ""

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """The pose of a packet, if it is a frame and a new one."""
        kind, content = data[:1], data[1:]
        try:
            message = self._loads(content)
        except ValueError:
            self._tally.reject("message that is no JSON")
            return []
        if not isinstance(message, dict):
            self._tally.reject("message that is no frame of a headset")
        elif kind == STATUS:
            self._status(message)
        elif kind == FRAME:
            return self._frame(message, now_ns)
        return []

    def _status(self, message: dict[str, object]) -> None:
        pages, session = message.get("pages"), message.get("session")
        self.presence = str(message.get("presence", ""))
        self.pages = pages if isinstance(pages, int) else 0
        if session != self._session and isinstance(session, int):
            if self._begun:
                self._tally.jump()
            self._session, self._begun = session, True
            self._frames, self._number, self._epoch = XrFrames(), None, None

    def _frame(self, message: dict[str, object], now_ns: int) -> list[HumanPose]:
        if not self._is_next(message.get("seq")):
            self._tally.reject("late or sent twice")
            return []
        epoch = message.get("epoch")
        if self._epoch is not None and epoch != self._epoch:
            self._tally.jump()
            self._frames = XrFrames()
        self._epoch = epoch
        pose = self._frames.pose(message, now_ns)
        if isinstance(pose, str):
            self._tally.reject(pose)
            return []
        self._tally.accept(now_ns)
        return [pose]

    def _is_next(self, number: object) -> bool:
        before = self._number
        if isinstance(number, int):
            if before is not None and -_FAR_BACK < number - before <= 0:
                return False
            if before is not None and 1 < number - before < _FAR_BACK:
                self._tally.lose(number - before - 1)
            self._number = number
        return True


@dataclass(frozen=True)
class Served:
    """How a headset reaches the server."""

    address: Address
    token: str = ""
    certificate: str = ""
    key: str = ""
    fingerprint: str = ""

    @classmethod
    def at(cls, address: Address) -> Served:
        """On this machine alone: plain, which browsers trust there. Else with TLS and a token of this run."""
        if is_local(address.host):
            return cls(address)
        from bunraku.headset.certificate import identity_for

        found = identity_for(address.host)
        return cls(address, secrets.token_urlsafe(24), str(found.certificate), str(found.key), found.fingerprint)

    def settings(self) -> dict[str, object]:
        """For the server's process."""
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        names = [host] if self.token else sorted({host, "localhost", "127.0.0.1"})
        hosts = [f"{name}:{self.address.port}" for name in names]
        scheme = "https" if self.token else "http"
        return {
            "hosts": hosts, "origins": [f"{scheme}://{host}" for host in hosts],
            "token": self.token, "certificate": self.certificate, "key": self.key,
        }  # fmt: skip

    def instruction(self) -> str:
        """What to type where."""
        port = self.address.port
        if not self.token:
            return f"open http://localhost:{port} in the headset (by USB, after: adb reverse tcp:{port} tcp:{port})"
        host = f"[{self.address.host}]" if ":" in self.address.host else self.address.host
        return f"open https://{host}:{port}/#{self.token} in the headset; its certificate is {self.fingerprint}"


class HeadsetSource:
    """A `Source`: the server's process, and the newest frame that came through it."""

    def __init__(self, address: Address) -> None:
        if find_spec("websockets") is None:
            raise MissingPackageError("websockets", "devices", "a headset")
        self._address, self._served = address, Served(address)
        self._tally = Tally()
        self._decoder = HeadsetDecoder(self._tally)
        self._port: socket.socket | None = None
        self._child: Child | None = None
        self._newest: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        """Take the port, and begin to serve the page."""
        self._served = Served.at(self._address)
        port = socket.socket(socket.AF_INET6 if ":" in self._address.host else socket.AF_INET)
        try:
            port.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            port.bind((self._address.host, self._address.port))
            port.listen(16)
        except OSError as error:
            port.close()
            raise InputError(f"port {self._address} cannot be listened to: {error.strerror or error}") from None
        self._port = port
        self._child = Child(
            # -P: nothing is imported from the folder that the program was started in.
            lambda number: (sys.executable, "-P", "-m", "bunraku.headset", str(number), str(port.fileno())),
            shared=(port.fileno(),), first=json.dumps(self._served.settings()).encode(), ended=self._decoder.reset,
        )  # fmt: skip
        self._child.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The channel."""
        return () if self._child is None else self._child.descriptors()

    def receive(self, now_ns: int) -> None:
        """Decode what is there; begin the server again where it ended."""
        for data in self._child.receive(now_ns) if self._child is not None else ():
            for pose in self._decoder.feed(data, now_ns):
                self._newest = pose

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and in words what is to be done in the headset."""
        reason = self._decoder.advice
        if self._child is None or not self._child.lives:
            reason = "the headset's server ended; it begins again"
        elif not self._decoder.driven:
            todo = "press Enter in the headset's page" if self._decoder.pages else self._served.instruction()
            reason = f"{reason}; {todo}" if reason else todo
        return self._tally.health(now_ns, connected=self._decoder.driven, reason=reason)

    def close(self) -> None:
        """End the server too."""
        if self._child is not None:
            self._child.close()
        if self._port is not None:
            self._port.close()
        self._child = self._port = None


def _open(rest: str, options: Mapping[str, str]) -> Source:
    address = Address.parse(rest, scheme="webxr", port=PORT)
    if address.host in _ANYWHERE:
        raise InputError(
            f"webxr:{rest}: name the address of this machine in the headset's network, for instance "
            f"webxr://192.168.1.20:{address.port}; by USB webxr:// is enough"
        )
    return HeadsetSource(address)


DEVICE = Device(
    scheme="webxr",
    summary="WebXR headsets (Quest, Pico, Vision Pro …): head, hands or controllers, body, by a page in their browser",
    example="webxr://127.0.0.1:8766",
    options=MappingProxyType({}),
    open=_open,
    priorities={"head": 20, "left_hand": 15, "right_hand": 15, "left_arm": 4, "right_arm": 4},
)
