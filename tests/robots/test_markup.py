"""Reading XML that may come from anywhere."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import RobotError
from bunraku.robots import markup
from small_robots import our_errors_only


def test_entities_and_document_types_are_refused():
    """Neither an entity bomb nor an external document type gets as far as being expanded or fetched."""
    bomb = '<!DOCTYPE r [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]><robot name="&b;"/>'
    for text in (bomb, '<!DOCTYPE r SYSTEM "file:///etc/passwd"><robot/>', "<!DOCTYPE robot><robot/>"):
        with pytest.raises(RobotError, match="document type or entities"):
            markup.parse(text.encode())


@pytest.mark.parametrize(
    "text, says",
    [
        (b"<a>" * 100 + b"</a>" * 100, "nested deeper than 64"),
        (b"<r>" + b"<a/>" * 100_001 + b"</r>", "more than 100000 elements"),
        (b"<r " + b" ".join(b'a%d=""' % i for i in range(300_001)) + b"/>", "attributes"),
        (b"", "no element"),
        (b"<robot>", "well-formed"),
        (b"\x00\x01\x02", "well-formed"),
        (b'<?xml version="1.0" encoding="no-such"?><a/>', "well-formed"),
    ],
)
def test_what_is_out_of_bounds_is_one_line(text, says):
    """Depth, count and form are checked while reading."""
    with pytest.raises(RobotError, match=says) as caught:
        markup.parse(text)
    assert "\n" not in str(caught.value)


def test_namespaces_are_dropped():
    """A default namespace does not hide the elements."""
    root = markup.parse(b'<robot xmlns="http://example.org"><link name="a"/></robot>')
    assert (root.tag, root[0].tag) == ("robot", "link")


@given(st.binary(max_size=300))
def test_any_bytes_are_an_element_or_an_error(content):
    """Nothing but RobotError comes out of arbitrary bytes."""
    with our_errors_only():
        markup.parse(content)


@given(st.lists(st.floats(-1e9, 1e9), min_size=1, max_size=5))
def test_numbers_survive_writing(values):
    """Written numbers read back as the same doubles."""
    assert np.array_equal(markup.numbers(markup.written(values), len(values), "x"), values)


@pytest.mark.parametrize("text", ["", "1 2", "1 2 3 4", "a b c", "1 2 nan", "1 2 inf", "1 2 1e10", "1,2,3"])
def test_a_vector_is_three_sane_numbers(text):
    """Anything else is an error that names the owner."""
    with pytest.raises(RobotError, match="axis of joint 'a' must be 3 finite numbers"):
        markup.numbers(text, 3, "axis of joint 'a'")


def test_floats_reads_what_is_all_numbers():
    """Words among numbers are an error, not the end of the array."""
    assert markup.floats("1 2.5\n-3e2").tolist() == [1, 2.5, -300]
    assert markup.floats(b"  ", np.int64).tolist() == []
    for text in ("1 two 3", "1 2 x", "nine"):
        with pytest.raises(RobotError, match="words"):
            markup.floats(text)


def test_files_are_read_within_a_limit(tmp_path: Path):
    """Too large, missing, and not a file are told apart; a pipe does not block."""
    path = tmp_path / "a"
    path.write_bytes(b"12345")
    assert markup.read_bytes(path, 5) == b"12345"
    os.mkfifo(tmp_path / "pipe")
    for at, says in ((path, "larger"), (tmp_path / "b", "no such file"), (tmp_path / "pipe", "not a file")):
        with pytest.raises(RobotError, match=says):
            markup.read_bytes(at, 4)
