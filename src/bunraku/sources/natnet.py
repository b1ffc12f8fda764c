"""OptiTrack's Motive: skeletons, rigid bodies and labelled markers, unicast or multicast."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanPose
from bunraku.human.skeleton import FINGERS, INDEX, SIDES
from bunraku.sources import natnet_wire as wire
from bunraku.sources.binary import CutOffError, doubles
from bunraku.sources.health import Health, Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.network import LOCAL, Address, Datagrams, is_local
from bunraku.sources.pose_builder import PoseBuilder

Array = NDArray[np.float64]

_ASK_NS = 1_000_000_000
_LATEST_S = 1e9
_FAR_BACK = 1000
UP_AXES = ("y", "z")


def _bones() -> dict[str, str]:
    """Motive's bone → canonical joint."""
    out = {"Hip": "hips", "Ab": "spine", "Chest": "chest", "Neck": "neck", "Head": "head"}
    parts = {"Shoulder": "clavicle", "UArm": "upper_arm", "FArm": "forearm", "Hand": "hand", "Thigh": "thigh",
             "Shin": "shin", "Foot": "foot", "Toe": "toe"}  # fmt: skip
    for letter, side in zip("LR", SIDES, strict=True):
        out |= {f"{letter}{bone}": f"{side}_{joint}" for bone, joint in parts.items()}
        for finger in FINGERS:
            label = "Pinky" if finger == "little" else finger.capitalize()
            out |= {f"{letter}{label}{number}": f"{side}_{finger}_{number}" for number in (1, 2, 3)}
    return out


BONES = _bones()


class MotiveDecoder:
    """Frames to the poses of one skeleton, or of rigid bodies that are called like joints."""

    def __init__(self, tally: Tally, *, skeleton: str | None = None, up: str = "y") -> None:
        self._tally, self._wanted, self._up = tally, skeleton, up
        self._builder = PoseBuilder()
        self.version = wire.NEWEST
        self._models: wire.Models | None = None
        self._number: int | None = None
        self._plan: tuple[object, NDArray[np.intp], NDArray[np.intp]] | None = None
        self.wants_models = True
        self.advice = ""

    @property
    def is_named(self) -> bool:
        """Whether it is known what the numbers in frames mean."""
        return self._models is not None

    def info(self, payload: bytes) -> None:
        """The server's answer."""
        self.version = wire.server_version(payload)

    def models(self, payload: bytes) -> None:
        """Names."""
        self._models, self.wants_models = wire.read_models(payload, self.version), False
        self._plan = None
        names = sorted(self._models.skeletons.values())
        missing = self._wanted is not None and self._wanted not in names
        self.advice = (
            f"skeleton '{self._wanted}' is not there; there are: {', '.join(names) or 'none'}" if missing else ""
        )

    def frame(self, payload: bytes, now_ns: int) -> HumanPose | None:
        """The pose of a frame."""
        frame = wire.read_frame(payload, self.version)
        self.wants_models |= frame.models_changed
        if self._number is not None and -_FAR_BACK < frame.number - self._number <= 0:
            self._tally.reject("late or sent twice")
            return None
        if self._number is not None and 1 < frame.number - self._number < _FAR_BACK:
            self._tally.lose(frame.number - self._number - 1)
        self._number = frame.number
        if self._models is None:
            self._tally.reject("frame before its names are known")
            return None
        if not abs(frame.stamp_s) < _LATEST_S:
            self._tally.reject("frame whose stamp is no time")
            return None
        joints, rows = self._segments(frame, self._models)
        places = self._to_world(doubles(rows["place"]))
        turns = doubles(rows["turn"])
        turns = np.concatenate([turns[:, 3:], self._to_world(turns[:, :3])], axis=1)
        pose = self._builder.pose(
            now_ns, stamp_ns=round(frame.stamp_s * 1e9), placed=joints, places=places, turned=joints, turns=turns
        )
        if isinstance(pose, str):
            self._tally.reject(pose)
            return None
        self._tally.accept(now_ns)
        return pose

    def _segments(self, frame: wire.Frame, models: wire.Models) -> tuple[NDArray[np.intp], NDArray[np.void]]:
        """Canonical joints and their rows, those that are tracked; of the skeleton first."""
        skeletons = [k for k in frame.skeletons if self._wanted is None or models.skeletons.get(k) == self._wanted]
        bones = frame.skeletons[skeletons[0]] if skeletons else frame.bodies[:0]
        key = (skeletons[0] if skeletons else -1, bones["id"].tobytes(), frame.bodies["id"].tobytes())
        if self._plan is None or self._plan[0] != key:
            self._plan = (key, *_plan(models, key[0], bones, frame.bodies))
        _, joints, chosen = self._plan
        rows = np.concatenate([bones, frame.bodies])[chosen] if len(frame.bodies) else bones[chosen]
        tracked = rows["flags"] & wire.TRACKED != 0
        return (joints, rows) if tracked.all() else (joints[tracked], rows[tracked])

    def _to_world(self, vectors: Array) -> Array:
        """(N, 3) of the server's axes in ours: with y up it faces along z, with z up along -y."""
        x, y, z = vectors.T
        return np.stack([z, x, y] if self._up == "y" else [-y, x, z], axis=1)


def _plan(
    models: wire.Models, skeleton: int, bones: NDArray[np.void], bodies: NDArray[np.void]
) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
    """Canonical joints, and which of bones and bodies, one after the other, they are."""
    names = models.bones.get(skeleton, {})
    called = [BONES.get(names.get(int(bone), "").rpartition("_")[2], "") for bone in bones["id"]]
    called += [models.bodies.get(int(body), "") for body in bodies["id"]]
    found: dict[int, int] = {}
    for row, joint in enumerate(called):
        if joint in INDEX:
            found.setdefault(INDEX[joint], row)
    return np.array(list(found), np.intp), np.array(list(found.values()), np.intp)


class NatNetSource:
    """Asks the server who it is and what its numbers mean, keeps asking to be sent frames, and reads them."""

    def __init__(self, server: Address, decoder: MotiveDecoder, tally: Tally, *, multicast: bool, local: str) -> None:
        self._server, self._decoder, self._tally = server, decoder, tally
        allowed = None if is_local(server.host) else server.host
        self._command = Datagrams(Address(local, 0), allowed=allowed)
        data = Address(local, wire.DATA_PORT)
        self._data = Datagrams(data, allowed=allowed, group=wire.GROUP) if multicast else None
        self._asked_ns: int | None = None
        self._answered = False
        self._newest: HumanPose | None = None

    def open(self, now_ns: int) -> None:
        """Take the ports."""
        self._command.open(now_ns)
        if self._data is not None:
            self._data.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The sockets."""
        return (*self._command.descriptors(), *(self._data.descriptors() if self._data is not None else ()))

    def receive(self, now_ns: int) -> None:
        """Ask again every second; read what is there."""
        if self._asked_ns is None or now_ns - self._asked_ns >= _ASK_NS:
            self._asked_ns = now_ns
            self._ask(wire.request(wire.KEEP_ALIVE) if self._answered else wire.hello())
            if self._answered and self._decoder.wants_models:
                self._ask(wire.request(wire.REQUEST_MODELS))
        for link in (self._command, self._data):
            for data in link.receive(now_ns) if link is not None else ():
                self._packet(data, now_ns)

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Counts, and what is wrong in words."""
        frames = self._command if self._data is None else self._data
        reason = self._decoder.advice
        if not self._answered:
            reason = f"no answer from Motive at {self._server}: is streaming on, and set to this interface?"
        elif not self._decoder.is_named:
            reason = reason or "Motive answers but does not say what its bones are called"
        elif not frames.connected:
            reason = reason or "Motive answers but sends no frames"
        connected = self._answered and self._decoder.is_named and frames.connected
        return self._tally.health(now_ns, connected=connected, reason=reason)

    def close(self) -> None:
        """End."""
        self._command.close()
        if self._data is not None:
            self._data.close()

    def _ask(self, data: bytes) -> None:
        self._command.send_to(data, (self._server.host, self._server.port))

    def _packet(self, data: bytes, now_ns: int) -> None:
        try:
            kind, payload = wire.packet(data)
            if kind == wire.SERVER_INFO:
                self._decoder.info(payload)
                if not self._answered:
                    self._ask(wire.request(wire.REQUEST_MODELS))
                self._answered = True
            elif kind == wire.MODELS:
                self._decoder.models(payload)
            elif kind == wire.FRAME:
                self._newest = self._decoder.frame(payload, now_ns) or self._newest
        except CutOffError:
            self._tally.reject("packet that is no NatNet of this version")


def _open(rest: str, options: Mapping[str, str]) -> Source:
    up = options.get("up", "y")
    if up not in UP_AXES:
        raise UnknownNameError("up axis", up, UP_AXES)
    server = Address.parse(rest, scheme="natnet", port=wire.COMMAND_PORT)
    local = options.get("interface", LOCAL if is_local(server.host) else "")
    if not local:
        raise InputError(
            f"natnet://{server}: name the address of this machine in that network: natnet://{server}?interface=ADDRESS"
        )
    tally = Tally()
    decoder = MotiveDecoder(tally, skeleton=options.get("skeleton"), up=up)
    return NatNetSource(server, decoder, tally, multicast="multicast" in options, local=local)


DEVICE = Device(
    scheme="natnet",
    summary="OptiTrack Motive (NatNet 3 to 4.2): skeletons, and rigid bodies called like joints",
    example="natnet://192.168.1.10?interface=192.168.1.20",
    options=MappingProxyType(
        {
            "interface": "address of this machine in Motive's network (default: this machine alone)",
            "skeleton": "name of the skeleton to follow (default: the first one)",
            "multicast": "frames come by multicast, as Motive is set at first",
            "up": "y (default) or z, as set in Motive's streaming",
        }
    ),
    open=_open,
    priorities={"torso": 10, "left_arm": 10, "right_arm": 10, "left_leg": 10, "right_leg": 10, "head": 5},
)
