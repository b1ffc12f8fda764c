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

KEYS = ("robot", "name", "description", "base", "neutral", "velocity", "effort", "lower", "upper", "semantics", "hands")
BASES = ("free", "fixed", "planar")
"""whether the base moves: freely, not at all, or over the floor on wheels"""
PER_JOINT = ("neutral", "velocity", "effort", "lower", "upper")
HAND_MODES = ("proportional", "on-off")
"""what a hand does with the person's fingers: follow them, or shut beyond a threshold"""
SIDES = ("left", "right")
SEMANTICS = ("links", "joints", "points", "forward")
LINKS = ("hips", "chest", "head", *(f"{side}_{part}" for part in ("hand", "foot") for side in SIDES))
"""segments whose orientation a link stands for"""
JOINTS = ("torso", "neck", "face", *(f"{side}_{part}" for part in ("arm", "leg", "fingers") for side in SIDES))
"""parts that joints move, root first"""
POINTS = tuple(f"{side}_{part}" for part in ("upper_arm", "forearm", "hand", "thigh", "shin", "foot") for side in SIDES)
"""joint centres"""
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
    for key in ("robot", "name", "description"):
        if not isinstance(content.get(key, ""), str):
            raise RobotError(f"{key} must be text")
    if content.get("base", "free") not in BASES:
        raise RobotError(f"base must be {', '.join(BASES[:-1])} or {BASES[-1]}, not {content['base']}")
    _check_semantics(content.get("semantics", {}))
    hands = content.get("hands", {})
    if not isinstance(hands, Mapping):
        raise RobotError("hands must map left and right to a mode")
    for side, mode in hands.items():
        if side not in SIDES:
            raise UnknownNameError("hand", str(side), SIDES)
        if mode not in HAND_MODES:
            raise UnknownNameError("mode of a hand", str(mode), HAND_MODES)
    for key in PER_JOINT:
        table = content.get(key, {})
        if not isinstance(table, Mapping):
            raise RobotError(f"{key} must map joint names to numbers")
        for joint, value in table.items():
            positive = key in ("velocity", "effort")
            if not _is_number(value) or (positive and value <= 0):
                raise RobotError(f"{key} of '{joint}' must be a {'positive' if positive else 'finite'} number")
    return dict(content)


def _check_semantics(content: Any) -> None:
    if not isinstance(content, Mapping):
        raise RobotError("semantics must be a mapping")
    for key, table in content.items():
        if key not in SEMANTICS:
            raise UnknownNameError("key under semantics", str(key), SEMANTICS)
        if key == "forward":
            if not _is_vector(table) or not any(table[:2]):
                raise RobotError("forward under semantics must be three numbers that are not straight up or down")
            continue
        valid = {"links": LINKS, "joints": JOINTS, "points": POINTS}[key]
        if not isinstance(table, Mapping):
            raise RobotError(f"{key} under semantics must be a mapping")
        for part, value in table.items():
            if part not in valid:
                raise UnknownNameError(f"part under {key}", str(part), valid)
            if key == "links" and not isinstance(value, str):
                raise RobotError(f"the link of {part} must be a link's name")
            if key == "joints" and not (isinstance(value, list) and all(isinstance(name, str) for name in value)):
                raise RobotError(f"the joints of {part} must be a list of names, [] for none")
            if key == "points" and not _is_point(value):
                raise RobotError(f"the point of {part} must be {{link: NAME, at: [x, y, z]}}")


def _is_point(value: Any) -> bool:
    return (
        isinstance(value, Mapping)
        and set(value) == {"link", "at"}
        and isinstance(value["link"], str)
        and _is_vector(value["at"])
    )


def _is_vector(value: Any) -> bool:
    return isinstance(value, list) and len(value) == 3 and all(map(_is_number, value))


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def merged(under: Mapping[str, Any], over: Mapping[str, Any]) -> dict[str, Any]:
    """Both, where mappings are merged entry by entry and `over` wins."""
    out = dict(under)
    for key, value in over.items():
        below = out.get(key)
        both = isinstance(value, Mapping) and isinstance(below, Mapping)
        out[key] = merged(below, value) if both and below is not None else value
    return out


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
