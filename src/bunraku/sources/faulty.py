"""A source with faults on purpose: see `bunraku.faults`."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from bunraku.faults import Faults
from bunraku.human import HumanPose
from bunraku.human.skeleton import INDEX, JOINT_COUNT, MIRROR
from bunraku.sources.health import Health
from bunraku.sources.live import Source, pause

SLOW_S = DELAY_S = 0.2
_JUMP_M = 2.0
_MOST_KEPT = 256


class FaultySource:
    """Another source, whose frames come to harm on their way while the fault is on."""

    def __init__(self, inner: Source, faults: Faults) -> None:
        self._inner, self._faults = inner, faults
        self._random = np.random.default_rng(faults.seed)
        self._opened_ns = 0
        self._raw: HumanPose | None = None
        self._shown: HumanPose | None = None
        self._late: deque[HumanPose] = deque(maxlen=_MOST_KEPT)
        self._is_on = self._by_hand = False
        self._dropped = 0

    def open(self, now_ns: int) -> None:
        """Open the other; the first period begins."""
        self._opened_ns = now_ns
        self._inner.open(now_ns)

    def waits_on(self) -> Sequence[int]:
        """The other's."""
        return self._inner.waits_on()

    def receive(self, now_ns: int) -> None:
        """Let the other receive, then do harm to what is new."""
        self._inner.receive(now_ns)
        if not self._by_hand:
            self._is_on = self._faults.on((now_ns - self._opened_ns) / 1e9)
        previous = self._raw
        self._raw = self._inner.latest(now_ns)
        new = self._raw is not previous
        if self._raw is None:
            return
        if new:
            self._late.append(self._raw)
        if not self._is_on:
            if new:
                self._shown = self._raw
        else:
            self._shown = self._harmed(self._raw, new, now_ns)

    def switch(self, mode: str | None) -> None:
        """Turn a fault on by hand, from now on; None: all is well. The period does not count any more."""
        self._by_hand = True
        self._is_on = mode is not None
        if mode is not None:
            self._faults = replace(self._faults, mode=mode)

    def pause(self, waiting: bool) -> None:
        """The other's, where it is a recording."""
        pause(self._inner, waiting)

    def latest(self, now_ns: int) -> HumanPose | None:
        """What is left of the other's newest pose."""
        return self._shown

    def health(self, now_ns: int) -> Health:
        """The other's, as far as it can be told from here."""
        health = self._inner.health(now_ns)
        age = (now_ns - self._shown.received_ns) / 1e9 if self._shown else float("inf")
        told = replace(health, age_s=max(age, health.age_s), lost=health.lost + self._dropped)
        if self._is_on and self._faults.mode == "off":
            return replace(told, connected=False, reason="switched off by faulty+")
        return told

    def close(self) -> None:
        """The other's."""
        self._inner.close()

    def _harmed(self, raw: HumanPose, new: bool, now_ns: int) -> HumanPose | None:
        """What is shown in place of the newest frame while the fault is on."""
        shown, mode = self._shown, self._faults.mode
        if mode == "delayed":
            while self._late and now_ns - self._late[0].received_ns >= DELAY_S * 1e9:
                shown = replace(self._late.popleft(), received_ns=now_ns)
            return shown
        if mode == "duplicate":
            return replace(raw, received_ns=now_ns)
        if not new or mode == "off":
            return shown
        if mode == "stuck":
            return replace(shown or raw, stamp_ns=raw.stamp_ns, received_ns=raw.received_ns)
        if mode == "slow":
            return raw if shown is None or raw.received_ns - shown.received_ns >= SLOW_S * 1e9 else shown
        if mode == "intermittent" and self._random.random() < 0.5:
            self._dropped += 1
            return shown
        if mode == "reorder" and len(self._late) > 2 and self._random.random() < 0.5:
            return replace(self._late[-3], received_ns=raw.received_ns)
        return _VALUES[mode](raw, self._random) if mode in _VALUES else raw


def _garbage(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    return replace(
        pose,
        positions=random.uniform(-1e3, 1e3, pose.positions.shape),
        rotations=random.uniform(-5, 5, pose.rotations.shape),
    )


def _wrong(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    return replace(pose, positions=100 * pose.positions)  # centimetres


def _nan(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    positions, rotations = pose.positions.copy(), pose.rotations.copy()
    positions[random.integers(JOINT_COUNT)] = np.nan
    rotations[random.integers(JOINT_COUNT)] = random.choice([np.nan, np.inf, 1e308])
    return replace(pose, positions=positions, rotations=rotations)


def _flip(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    return replace(pose, rotations=pose.rotations * random.choice([-1.0, 1.0], (JOINT_COUNT, 1)))


def _swap(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    return replace(
        pose,
        positions=pose.positions[MIRROR],
        rotations=pose.rotations[MIRROR],
        position_valid=pose.position_valid[MIRROR],
        rotation_valid=pose.rotation_valid[MIRROR],
    )


def _teleport(pose: HumanPose, random: np.random.Generator) -> HumanPose:
    positions = pose.positions.copy()
    way = random.normal(size=3)
    positions[INDEX[random.choice(["left_hand", "right_hand"])]] += _JUMP_M * way / np.linalg.norm(way)
    return replace(pose, positions=positions)


_VALUES = {"garbage": _garbage, "wrong": _wrong, "nan": _nan, "flip": _flip, "swap": _swap, "teleport": _teleport}
