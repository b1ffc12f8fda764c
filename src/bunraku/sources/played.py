"""A recording played as if it were live."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion, HumanPose, on_ground
from bunraku.human.opening import without_calibration
from bunraku.sources.health import Health, Tally
from bunraku.sources.live import split_options
from bunraku.sources.source import number, read_motion

LOOPS = {
    "no": "ends with its last frame",
    "yes": "begins again, which is a jump where it does not end as it began",
    "swing": "goes back and forth",
}
OPTIONS = {
    "loop": "no, yes or swing: what comes after the last frame (default: yes for synth:, no for files)",
    "speed": "so many times as fast (default 1)",
}
"""of every recording that is played, beside its own"""
_SPEEDS = (0.01, 100.0)
_SEAM_M = 0.1
"""a first frame that is farther than this from the last is a jump"""


class PlayedSource:
    """Frames come when they are due. One that is due between two calls of `receive` arrives at the second."""

    def __init__(self, motion: HumanMotion, *, loop: str = "no", speed: float = 1.0) -> None:
        if loop not in LOOPS:
            raise UnknownNameError("loop", loop, LOOPS)
        if not _SPEEDS[0] <= speed <= _SPEEDS[1]:
            raise InputError(f"speed={speed:g}: it must be from {_SPEEDS[0]:g} to {_SPEEDS[1]:g}")
        if not len(motion):
            raise InputError(f"{motion.name}: it holds no frames")
        self.motion = motion
        self._loop = loop if len(motion) > 1 else "no"
        self._rate = motion.fps * speed
        self._tally = Tally()
        self._begun_ns: int | None = None
        self._due = -1
        self._newest: HumanPose | None = None
        self._waiting = False
        self._paused_ns = 0
        self._now_ns = 0

    def pause(self, waiting: bool) -> None:
        """Whether the person stands still where they are until somebody follows; frames come all the same."""
        self._waiting = waiting

    def open(self, now_ns: int) -> None:
        """The first frame is due now."""
        self._begun_ns, self._due, self._newest = now_ns, -1, None
        self._paused_ns, self._now_ns = 0, now_ns

    def waits_on(self) -> Sequence[int]:
        """Nothing: what is due is known."""
        return ()

    def receive(self, now_ns: int) -> None:
        """Whatever has become due."""
        if self._begun_ns is None or now_ns < self._begun_ns:
            return
        if self._waiting and self._newest is not None:
            self._repeat(now_ns)
            return
        self._now_ns = now_ns
        due = int((now_ns - self._begun_ns - self._paused_ns) * self._rate / 1e9 + 1e-6)
        if self._loop == "no":
            due = min(due, len(self.motion) - 1)
        if due <= self._due:
            return
        self._tally.accept(now_ns, due - self._due)
        if self._loop == "yes" and due // len(self.motion) != max(self._due, 0) // len(self.motion):
            self._seam()
        self._due = due
        stamp = self._begun_ns + self._paused_ns + round(due / self._rate * 1e9)
        self._newest = replace(self.motion.pose(self._row(due)), stamp_ns=stamp, received_ns=now_ns)

    def latest(self, now_ns: int) -> HumanPose | None:
        """The frame that was due last."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """A recording that has ended is a device that went away."""
        ended = self._loop == "no" and self._due >= len(self.motion) - 1 > 0
        reason = "not open" if self._begun_ns is None else "the recording has ended" if ended else ""
        return self._tally.health(now_ns, connected=not reason, reason=reason)

    def close(self) -> None:
        """Nothing comes any more."""
        self._begun_ns = None

    def _repeat(self, now_ns: int) -> None:
        """The same frame again, at the rate of the recording."""
        assert self._newest is not None
        if now_ns - self._newest.received_ns >= 1e9 / self._rate:
            self._tally.accept(now_ns)
            self._newest = replace(self._newest, stamp_ns=now_ns, received_ns=now_ns)
        self._paused_ns += now_ns - self._now_ns
        self._now_ns = now_ns

    def _row(self, due: int) -> int:
        """The frame of the recording that is the so manieth to be shown."""
        T = len(self.motion)
        if self._loop != "swing":
            return due % T
        place = due % (2 * T - 2)
        return min(place, 2 * T - 2 - place)

    def _seam(self) -> None:
        """Where the last frame is not like the first, the world jumps."""
        first, last = self.motion.pose(0), self.motion.pose(len(self.motion) - 1)
        both = first.position_valid & last.position_valid
        if abs(first.positions[both] - last.positions[both]).max(initial=0.0) > _SEAM_M:
            self._tally.jump()


def open_recording(uri: str) -> PlayedSource:
    """Any recording that `read_motion` reads, on its ground and without a calibration pose in front."""
    body, options = split_options(uri)
    loop = options.pop("loop", "yes" if uri.startswith("synth:") else "no")
    speed = number(options, "speed")
    options.pop("speed", None)
    rest = "&".join(f"{name}={value}" for name, value in options.items())
    motion = read_motion(f"{body}?{rest}" if rest else body)
    if not len(motion):
        raise InputError(f"{motion.name}: it holds no frames")
    return PlayedSource(on_ground(without_calibration(motion)), loop=loop, speed=1.0 if speed is None else speed)
