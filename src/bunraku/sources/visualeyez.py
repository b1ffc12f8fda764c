"""PTI Visualeyez: places of identified markers, as the bridges of two laboratories send them.

VZSoft's own stream is not public. Datagrams, little-endian doubles: a stamp in s, then for each marker its controller
(TCM), its LED, x, y, z. Text over TCP: a line a frame, groups of LED, x, y, z in mm, and one more word. A marker is
called `TCM-LED`; the text does not say the TCM, it is 1.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

import numpy as np
from numpy.typing import NDArray

from bunraku.human import HumanPose
from bunraku.kinematics import rotations as rot
from bunraku.sources.health import Tally
from bunraku.sources.live import Device, Source
from bunraku.sources.marker_bodies import CUBE, WornBodies, read_bodies, world_turn
from bunraku.sources.measure import FACING, unit_metres
from bunraku.sources.network import Address, Connection, Datagrams
from bunraku.sources.pose_builder import PoseBuilder
from bunraku.sources.wire import WireSource

Array = NDArray[np.float64]

UDP_PORT, TCP_PORT = 9090, 12345
MOST_MARKERS = 512
_LONGEST_LINE = 1 << 16
_FARTHEST_M = 1000.0
_FAR_BACK_S = 1.0
"""what is stamped so much earlier is not late but a new session"""
_LED_NUMBERS = 1 << 15


class VisualeyezDecoder:
    """Datagrams, or lines of text, to the joints that the bodies are."""

    def __init__(self, tally: Tally, bodies: WornBodies, *, text: bool, metres: float, world: Array) -> None:
        """`metres`: the unit of what is sent; `world` (4,) turns its axes to ours."""
        self._tally, self._bodies, self._text = tally, bodies, text
        self._metres, self._world = metres, world
        self._builder = PoseBuilder()
        self.reset()

    def reset(self) -> None:
        """A new connection."""
        self._bodies.reset()
        self._builder.reset()
        self._begun = b""
        self._stamp_s: float | None = None
        self.advice = ""

    def feed(self, data: bytes, now_ns: int) -> list[HumanPose]:
        """Poses of the frames that these bytes complete."""
        frames = self._lines(data) if self._text else [data]
        return [pose for frame in frames if (pose := self._pose(frame, now_ns)) is not None]

    def _lines(self, data: bytes) -> list[bytes]:
        *lines, self._begun = (self._begun + data).split(b"\n")
        if len(self._begun) > _LONGEST_LINE:
            self._tally.reject("line that does not end")
            self._begun = b""
        return [line for line in lines if line.strip()]

    def _pose(self, frame: bytes, now_ns: int) -> HumanPose | None:
        read = _text_markers(frame) if self._text else _binary_markers(frame)
        if isinstance(read, str):
            self._tally.reject(read)
            return None
        stamp_s, rows = read
        if not self._is_next(stamp_s):
            self._tally.reject("late or sent twice")
            return None
        with np.errstate(over="ignore", invalid="ignore"):
            places = rot.rotate(self._world, rows[:, 2:] * self._metres)
        # Markers that are not seen are NaN, or lie at the origin.
        seen = {
            f"{int(tcm)}-{int(led)}": place
            for (tcm, led), place in zip(rows[:, :2], places, strict=True)
            if (np.abs(place) < _FARTHEST_M).all() and place.any()
        }
        found = self._bodies.find(seen)
        self.advice = found.missing
        pose = self._builder.pose(
            now_ns, stamp_ns=round(stamp_s * 1e9), placed=found.placed, places=found.places, turned=found.turned,
            turns=found.turns,
        )  # fmt: skip
        if isinstance(pose, str):
            self._tally.reject(pose)
            return None
        self._tally.accept(now_ns)
        return pose

    def _is_next(self, stamp_s: float) -> bool:
        before = self._stamp_s
        if not self._text and before is not None and -_FAR_BACK_S < stamp_s - before <= 0:
            return False
        self._stamp_s = stamp_s
        return True


def _binary_markers(data: bytes) -> tuple[float, Array] | str:
    """Stamp in s, and rows of controller, LED, x, y, z; or why there are none."""
    count, rest = divmod(len(data) - 8, 40)
    if rest or not 0 <= count <= MOST_MARKERS:
        return "datagram that is no frame of markers"
    values = np.frombuffer(data, "<f8")
    rows = values[1:].reshape(count, 5)
    with np.errstate(invalid="ignore"):
        numbered = (rows[:, :2] >= 0) & (rows[:, :2] < _LED_NUMBERS) & (rows[:, :2] == np.floor(rows[:, :2]))
    if not abs(values[0]) < 1e9 or not numbered.all():
        return "datagram that is no frame of markers"
    return float(values[0]), rows


def _text_markers(line: bytes) -> tuple[float, Array] | str:
    """The same of a line."""
    words = line.split()
    count, rest = divmod(len(words) - 1, 4)
    if rest or count > MOST_MARKERS:
        return "line that is no frame of markers"
    try:
        rows = np.array([float(word) for word in words[: 4 * count]]).reshape(count, 4)
    except ValueError:
        return "line that is no frame of markers"
    if not ((rows[:, 0] >= 0) & (rows[:, 0] < _LED_NUMBERS) & (rows[:, 0] == np.floor(rows[:, 0]))).all():
        return "line that is no frame of markers"
    return 0.0, np.column_stack([np.ones(count), rows])


def _open(rest: str, options: Mapping[str, str]) -> Source:
    tcp = "tcp" in options
    tally = Tally()
    decoder = VisualeyezDecoder(
        tally, WornBodies(read_bodies(options.get("bodies", CUBE))), text=tcp,
        metres=unit_metres(options.get("unit", "mm" if tcp else "m")), world=world_turn(options),
    )  # fmt: skip
    address = Address.parse(rest, scheme="visualeyez", port=TCP_PORT if tcp else UDP_PORT)
    if tcp:
        return WireSource(Connection(address, begun=decoder.reset), decoder, tally)
    return WireSource(Datagrams(address, allowed=options.get("from")), decoder, tally)


DEVICE = Device(
    scheme="visualeyez",
    summary="PTI Visualeyez: markers to described bodies, as datagrams or as text (?tcp)",
    example="visualeyez://127.0.0.1:9090?bodies=cube",
    options=MappingProxyType(
        {
            "tcp": "connect to a server of text lines instead of listening for datagrams",
            "bodies": f"file that describes what the markers are on, or '{CUBE}' (default): P5's, in the right hand",
            "unit": "of places: m (default for datagrams), mm (default for text), cm …",
            "up": "the system's axis that points up: x, y or z (default)",
            "facing": f"where a person in T-pose faces: {', '.join(FACING)} (default: x)",
            "from": "the one address that may send datagrams",
        }
    ),
    open=_open,
    priorities={"left_hand": 5, "right_hand": 5, "left_arm": 5, "right_arm": 5},
)
