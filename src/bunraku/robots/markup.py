"""XML that may come from anywhere: read within bounds, and numbers taken from it one by one."""

from __future__ import annotations

import math
import warnings
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element  # the type alone; parsing goes through defusedxml

import numpy as np
from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser
from numpy.typing import NDArray

from bunraku.errors import RobotError

Array = NDArray[np.float64]

MAX_BYTES = 16 << 20
MAX_DEPTH = 64
MAX_ELEMENTS = 100_000
MAX_ATTRIBUTES = 300_000
MAX_NUMBER = 1e9


class _Bounded(ET.TreeBuilder):
    """Builds the tree without namespaces, and stops at the first element that is one too many or too deep."""

    def __init__(self) -> None:
        super().__init__()
        self._depth = self._count = 0

    def start(self, tag: Any, attrs: Any) -> Any:
        self._depth += 1
        self._count += 1
        if self._depth > MAX_DEPTH:
            raise RobotError(f"nested deeper than {MAX_DEPTH} elements")
        if self._count > MAX_ELEMENTS:
            raise RobotError(f"more than {MAX_ELEMENTS} elements")
        return super().start(tag.rpartition("}")[2], attrs)

    def end(self, tag: Any) -> Any:
        self._depth -= 1
        return super().end(tag.rpartition("}")[2])


def parse(text: bytes) -> Element:
    """The root element; entities, document types and anything beyond the bounds are refused."""
    if text.count(b"=") > MAX_ATTRIBUTES:
        raise RobotError(f"more than {MAX_ATTRIBUTES} attributes")
    parser = DefusedXMLParser(target=_Bounded(), forbid_dtd=True)
    try:
        parser.feed(text.rstrip(b"\0"))
        root: Element = parser.close()
    except DefusedXmlException:
        raise RobotError("has a document type or entities, which are not allowed") from None
    except (ET.ParseError, LookupError, ValueError) as error:
        raise RobotError(f"not well-formed XML: {error}") from None
    return root


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """All of a regular file that is not larger than the limit."""
    try:
        if not path.exists():
            raise RobotError("no such file")
        if not path.is_file():
            raise RobotError("not a file")
        with path.open("rb") as file:
            content = file.read(limit + 1)
    except (OSError, ValueError) as error:
        raise RobotError(f"cannot be read: {getattr(error, 'strerror', None) or error}") from None
    if len(content) > limit:
        raise RobotError(f"larger than {limit >> 20} MiB")
    return content


def numbers(text: str, count: int, owner: str) -> Array:
    """Exactly `count` finite numbers of a sane size."""
    try:
        values = [float(word) for word in text.split()]
    except ValueError:
        values = []
    if len(values) != count or not all(math.isfinite(v) and abs(v) <= MAX_NUMBER for v in values):
        shown = text if len(text) <= 40 else text[:40] + "…"
        what = "one finite number" if count == 1 else f"{count} finite numbers"
        raise RobotError(f"{owner} must be {what}, not '{shown}'")
    return np.array(values)


def number(text: str, owner: str) -> float:
    """One finite number of a sane size."""
    return float(numbers(text, 1, owner)[0])


def floats(text: str | bytes, kind: type = float) -> NDArray[Any]:
    """All numbers of a text that holds nothing else; quick, and small in memory."""
    with warnings.catch_warnings():
        # Words that are no numbers: a warning up to numpy 2, an error after.
        warnings.simplefilter("error")
        try:
            return np.fromstring(text, kind, sep=" ") if text.strip() else np.zeros(0, kind)
        except (ValueError, DeprecationWarning, OverflowError):
            raise RobotError("holds words where numbers should stand") from None


def written(values: Any) -> str:
    """Numbers as text that reads back as the same numbers."""
    return " ".join(repr(float(v)) for v in np.atleast_1d(np.asarray(values, float)).ravel())


def text_of(root: Element) -> str:
    """The tree as text, indented."""
    ET.indent(root)
    return ET.tostring(root, encoding="unicode")
