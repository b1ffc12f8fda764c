"""What a source of human motion is, and how one is found by its URI: `scheme:rest?option=value&…`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import entry_points
from pathlib import Path
from urllib.parse import parse_qsl

from bunraku.errors import InputError, UnknownNameError
from bunraku.human import HumanMotion


@dataclass(frozen=True, kw_only=True)
class Recording:
    """A kind of recorded or generated motion. A module offers one as `SOURCE`, named by an entry point."""

    scheme: str
    summary: str
    example: str
    options: Mapping[str, str]
    """name → what it does, for URIs such as `bvh:walk.bvh?unit=cm`"""
    read: Callable[[str, Mapping[str, str]], HumanMotion]
    """from the part after the scheme, and the options"""
    suffixes: tuple[str, ...] = ()
    """file endings that mean this source where no scheme is given"""


@cache
def recordings() -> Mapping[str, Recording]:
    """Every kind that is installed, by scheme."""
    return {entry.name: entry.load() for entry in sorted(entry_points(group="bunraku.sources"), key=lambda e: e.name)}


def read_motion(uri: str | Path) -> HumanMotion:
    """Read a whole motion: a file by its ending, or a URI such as `synth:walk?seconds=5`."""
    kind, rest, options = _split(str(uri))
    unknown = [name for name in options if name not in kind.options]
    if unknown:
        if not kind.options:
            raise InputError(f"{uri}: '{kind.scheme}:' takes no options")
        raise UnknownNameError(f"option of {kind.scheme}:", unknown[0], kind.options)
    return kind.read(rest, options)


def _split(uri: str) -> tuple[Recording, str, Mapping[str, str]]:
    kinds = recordings()
    scheme, colon, rest = uri.partition(":")
    if colon and scheme in kinds:
        body, mark, query = rest.partition("?")
        if mark and not Path(rest).exists():
            return kinds[scheme], body, dict(parse_qsl(query, keep_blank_values=True))
        return kinds[scheme], rest, {}
    suffix = Path(uri).suffix.lower()
    for kind in kinds.values():
        if suffix in kind.suffixes:
            return kind, uri, {}
    endings = [ending for kind in kinds.values() for ending in kind.suffixes]
    if colon and not Path(uri).exists():
        raise UnknownNameError("source", scheme + ":", [f"{name}:" for name in kinds] + endings)
    raise InputError(f"{uri}: not a motion this program reads; it reads {', '.join(endings)} and {', '.join(kinds)}:")


def scheme_of(uri: str | Path) -> str:
    """The scheme that reads it: `bvh` for a BVH file, whether it is named or not."""
    return _split(str(uri))[0].scheme


def number(options: Mapping[str, str], name: str) -> float | None:
    """A numeric option, or None where it is not given."""
    if name not in options:
        return None
    try:
        value = float(options[name])
    except ValueError:
        raise InputError(f"option {name}={options[name]} is not a number") from None
    if not abs(value) < float("inf"):
        raise InputError(f"option {name}={options[name]} is not a finite number")
    return value
