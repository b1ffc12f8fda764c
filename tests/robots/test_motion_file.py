"""Robot motion files: what is not one is a line, never a crash, a pickle or a gigabyte."""

from __future__ import annotations

import io
import zipfile
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.robots.motion_file import read_npz

WHOLE: dict[str, Any] = {
    "qpos": np.tile([0.0, 0, 1, 1, 0, 0, 0, 0.5], (3, 1)),
    "joint_names": np.array(["a"]),
    "fps": np.float64(30),
    "robot": np.array("pole"),
    "root": np.array("free"),
}


def archive(**changes: Any) -> bytes:
    """The file as bytes; a change to None leaves the array out."""
    stream = io.BytesIO()
    np.savez_compressed(stream, **{key: value for key, value in (WHOLE | changes).items() if value is not None})
    return stream.getvalue()


def read(content: bytes, folder: Path) -> Any:
    """The file with that content."""
    path = folder / "x.npz"
    path.write_bytes(content)
    return read_npz(path)


def test_the_whole_contract(tmp_path):
    """Every field as it was written."""
    stored = read(archive(), tmp_path)
    np.testing.assert_array_equal(stored.qpos, WHOLE["qpos"])
    assert (stored.joint_names, stored.fps, stored.robot, stored.root) == (("a",), 30.0, "pole", "free")


def test_a_foreign_file_may_be_shorter(tmp_path):
    """Without robot and root; single precision and a whole fps: the base is told from the width."""
    stored = read(archive(robot=None, root=None, fps=np.int64(50), qpos=WHOLE["qpos"].astype(np.float32)), tmp_path)
    assert (stored.robot, stored.root, stored.fps, stored.qpos.dtype) == ("", "free", 50.0, np.float64)
    assert read(archive(root=None, qpos=np.zeros((2, 1))), tmp_path).root == "fixed"


@pytest.mark.parametrize(
    ("changes", "says"),
    [
        ({"qpos": None, "fps": None}, "it lacks qpos, fps"),
        ({"qpos": np.zeros(8)}, "qpos is an array (8,) of float64"),
        ({"qpos": np.zeros((3, 8), complex)}, "of complex128"),
        ({"qpos": np.array([["0"] * 8])}, "of <U1"),
        ({"qpos": np.array([[None] * 8])}, "allow_pickle=False"),
        ({"qpos": WHOLE["qpos"] * np.nan}, "qpos holds nan in frame 1"),
        ({"qpos": WHOLE["qpos"] * 1e300}, "qpos holds 1e+300 in frame 1"),
        ({"qpos": np.zeros((3, 8))}, "qpos 4 to 7 in frame 1 are no unit quaternion"),
        ({"qpos": np.zeros((3, 9))}, "qpos has 9 numbers a frame; 1 joints and a free base take 8"),
        ({"root": np.array("loose")}, "root is 'loose'; free or fixed"),
        ({"root": np.zeros(2)}, "root is an array (2,)"),
        ({"robot": np.array(["g1", "g2"])}, "robot is an array (2,)"),
        ({"fps": np.float64(0)}, "fps is 0; a number from 0.01"),
        ({"fps": np.float64(np.nan)}, "fps is nan"),
        ({"fps": np.float64(1e300)}, "fps is 1e+300"),
        ({"fps": np.array([30.0])}, "fps is an array (1,)"),
        ({"fps": np.array("thirty")}, "fps is an array () of <U6"),
        ({"joint_names": np.array("a")}, "joint_names is an array ()"),
        ({"joint_names": np.array([b"a"])}, "joint_names is an array (1,) of |S1"),
        ({"joint_names": np.array(["a", "a"])}, "joint_names has 'a' more than once"),
    ],
)
def test_wrong_arrays_are_named(changes, says, tmp_path):
    """The array, what it is, and what belongs there."""
    with pytest.raises(InputError, match=r"x\.npz: not a robot motion: ") as caught:
        read(archive(**changes), tmp_path)
    assert says in str(caught.value)


@pytest.mark.parametrize("shape", [(10**12, 8), (2**40, 2**40), (-1, 8), (10**12, 0)])
def test_counts_that_lie(shape, tmp_path):
    """A header that declares more than there is takes no memory."""
    stream = io.BytesIO(archive(qpos=None))
    header = io.BytesIO()
    np.lib.format.write_array_header_1_0(header, {"descr": "<f8", "fortran_order": False, "shape": shape})
    with zipfile.ZipFile(stream, "a") as file:
        file.writestr("qpos.npy", header.getvalue())
    with pytest.raises(InputError, match="not a robot motion"):
        read(stream.getvalue(), tmp_path)


def test_a_bomb(tmp_path, monkeypatch):
    """What would unpack to too much is not unpacked; a size that lies about it ends the reading."""
    bomb = archive(qpos=np.zeros((100_000, 8)))
    lying = bytearray(bomb)
    at = lying.find(b"PK\x01\x02")
    lying[at + 24 : at + 28] = (200).to_bytes(4, "little")
    with pytest.raises(InputError, match="not a robot motion"):
        read(bytes(lying), tmp_path)
    monkeypatch.setattr("bunraku.robots.motion_file.MAX_BYTES", 1 << 20)
    with pytest.raises(InputError, match="unpacked"):
        read(bomb, tmp_path)


@given(data=st.data())
def test_any_bytes(data, tmp_path_factory):
    """A good file with a few bytes changed, or cut short, gives a motion or an InputError."""
    content = bytearray(archive())
    for _ in range(data.draw(st.integers(1, 4))):
        content[data.draw(st.integers(0, len(content) - 1))] = data.draw(st.integers(0, 255))
    cut = data.draw(st.sampled_from([None, data.draw(st.integers(0, len(content)))]))
    with suppress(InputError):
        assert np.isfinite(read(bytes(content[:cut]), tmp_path_factory.getbasetemp()).qpos).all()


def test_what_cannot_be_opened(tmp_path):
    """Nothing there, or a folder."""
    with pytest.raises(InputError, match="no such file"):
        read_npz(tmp_path / "none.npz")
    with pytest.raises(InputError, match="cannot be read"):
        read_npz(tmp_path)
