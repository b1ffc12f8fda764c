"""A robot's YAML: what its author knows better than the description. It overrides, and never has to be complete."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import yaml
from numpy.typing import NDArray

from bunraku.errors import RobotError, UnknownNameError
from bunraku.robots.markup import read_bytes

Array = NDArray[np.float64]

KEYS = ("name", "description", "base", "neutral", "velocity", "effort", "lower", "upper", "semantics", "hands")
PER_JOINT = ("neutral", "velocity", "effort", "lower", "upper")
HAND_MODES = ("proportional", "on-off")
"""what a hand does with the person's fingers: follow them, or shut beyond a threshold"""
_Loader: Any = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_MAX_BYTES, _MAX_DEPTH, _MAX_NODES = 1 << 20, 16, 50_000


def read_overrides(path: Path) -> dict[str, Any]:
    """The file's content, checked."""
    try:
        return check(_load(read_bytes(path, _MAX_BYTES)))
    except RobotError as error:
        raise RobotError(f"{path}: {error}") from None


def check(content: Mapping[str, Any]) -> dict[str, Any]:
    """The same mapping, if all its keys and kinds are known."""
    for key in content:
        if key not in KEYS:
            raise UnknownNameError("key of a robot's YAML", str(key), KEYS)
    for key in ("name", "description"):
        if not isinstance(content.get(key, ""), str):
            raise RobotError(f"{key} must be text")
    if content.get("base", "free") not in ("free", "fixed"):
        raise RobotError(f"base must be free or fixed, not {content['base']}")
    if not isinstance(content.get("semantics", {}), Mapping):
        raise RobotError("semantics must be a mapping")
    hands = content.get("hands", {})
    if not isinstance(hands, Mapping):
        raise RobotError("hands must map left and right to a mode")
    for side, mode in hands.items():
        if side not in ("left", "right"):
            raise UnknownNameError("hand", str(side), ("left", "right"))
        if mode not in HAND_MODES:
            raise UnknownNameError("mode of a hand", str(mode), HAND_MODES)
    for key in PER_JOINT:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            raise RobotError(f"{key} must map joint names to numbers")
        for joint, value in table.items():
            number = isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)
            positive = key in ("velocity", "effort")
            if not number or (positive and value <= 0):
                raise RobotError(f"{key} of '{joint}' must be a {'positive' if positive else 'finite'} number")
    return dict(content)


def apply(overrides: Mapping[str, Any], key: str, joint_names: tuple[str, ...], values: Array) -> Array:
    """The values `(n,)` with those joints replaced that the YAML names under `key`."""
    out = values.copy()
    for joint, value in overrides.get(key, {}).items():
        if joint not in joint_names:
            raise UnknownNameError("joint", str(joint), joint_names)
        out[joint_names.index(joint)] = float(value)
    return out


def _load(content: bytes) -> Mapping[str, Any]:
    """YAML without aliases, so that it cannot grow, and not nested without end."""
    try:
        text = content.decode()
        _check_events(yaml.parse(text, Loader=_Loader))
        loaded = yaml.load(text, Loader=_Loader)  # noqa: S506 (safe loaders both)
    except UnicodeDecodeError:
        raise RobotError("not text") from None
    except (yaml.YAMLError, ValueError) as error:
        raise RobotError(f"not YAML: {' '.join(str(error).split())}") from None
    if loaded is None:
        return {}
    if not isinstance(loaded, Mapping):
        raise RobotError("must be a mapping at the top")
    return loaded


def _check_events(events: Iterator[Any]) -> None:
    depth = 0
    for count, event in enumerate(events):
        if isinstance(event, yaml.AliasEvent):
            raise RobotError("has aliases, which are not allowed")
        depth += isinstance(event, yaml.CollectionStartEvent) - isinstance(event, yaml.CollectionEndEvent)
        if depth > _MAX_DEPTH or count > _MAX_NODES:
            raise RobotError(f"nested deeper than {_MAX_DEPTH}, or longer than {_MAX_NODES} entries")
