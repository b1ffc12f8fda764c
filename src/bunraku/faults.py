"""Faults on purpose, around any source or output: `faulty+URI?mode=…`. What each mode does and when it is on."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from types import MappingProxyType
from urllib.parse import parse_qsl

from bunraku.errors import InputError, UnknownNameError

PREFIX = "faulty+"
MODES = MappingProxyType(
    {
        "off": "nothing comes",
        "stuck": "the same values with fresh stamps",
        "garbage": "random values",
        "wrong": "values of another unit or an offset: plausible to a program, not to a person",
        "slow": "five a second",
        "delayed": "everything comes 0.2 s late",
        "intermittent": "half of it is missing",
        "duplicate": "everything comes twice",
        "reorder": "older after newer",
        "nan": "some values are no numbers",
        "flip": "quaternions change their sign",
        "swap": "left and right change places",
        "teleport": "a hand, or a joint, jumps",
    }
)
OPTIONS = MappingProxyType(
    {
        "mode": "one of " + ", ".join(MODES),
        "seed": "a whole number (default 0)",
        "period": "s, from one fault to the next (default 5)",
        "share": "of the period in which the fault is on, at its end (default 0.3; 1: always)",
    }
)
_LONGEST_S = 86_400.0


@dataclass(frozen=True, kw_only=True)
class Faults:
    """Which fault, and when."""

    mode: str
    seed: int = 0
    period_s: float = 5.0
    share: float = 0.3

    def __post_init__(self) -> None:
        if self.mode not in MODES:
            raise UnknownNameError("mode of faulty+", self.mode, MODES)
        if not 0 < self.period_s <= _LONGEST_S:
            raise InputError(f"faulty+: period={self.period_s:g}: it must be above 0 s and at most a day")
        if not 0 < self.share <= 1:
            raise InputError(f"faulty+: share={self.share:g}: it must be above 0 and at most 1")

    def on(self, since_s: float) -> bool:
        """Whether the fault is there, so long after the beginning. Each period begins well."""
        return since_s % self.period_s >= (1 - self.share) * self.period_s


def split_faults(uri: str) -> tuple[str, Faults]:
    """The URI without prefix and without the options of faults, and these."""
    inner = uri.removeprefix(PREFIX)
    body, mark, query = inner.partition("?")
    if mark and Path(inner.partition(":")[2] or inner).exists():
        body, query = inner, ""
    pairs = parse_qsl(query, keep_blank_values=True)
    ours = {name: value for name, value in pairs if name in OPTIONS}
    rest = "&".join(f"{name}={value}" for name, value in pairs if name not in OPTIONS)
    if "mode" not in ours:
        raise InputError(f"{uri}: which fault? faulty+{body}?mode=…, one of {', '.join(MODES)}")
    faults = Faults(
        mode=ours["mode"],
        seed=int(_number(ours, "seed", 0)),
        period_s=_number(ours, "period", 5),
        share=_number(ours, "share", 0.3),
    )
    return (f"{body}?{rest}" if rest else body), faults


def _number(options: dict[str, str], name: str, default: float) -> float:
    try:
        value = float(options.get(name, default))
    except ValueError:
        raise InputError(f"faulty+: {name}={options[name]} is not a number") from None
    if not abs(value) < float("inf"):
        raise InputError(f"faulty+: {name}={options[name]} is not a finite number")
    return value
