"""Human motion in NPZ files."""

from __future__ import annotations

import zipfile
from contextlib import suppress
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.sources import read_motion
from bunraku.sources.motion_file import read_motion_file, write_motion


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """With a face, and with joints that are not known."""
    return read_motion("synth:conduct?seconds=0.2&fps=60")


def test_what_is_written_is_read(motion: HumanMotion, tmp_path: Path) -> None:
    """Through the URI; quaternions are made unit again."""
    back = read_motion(f"npz:{write_motion(tmp_path / 'a.npz', motion)}")
    for name in ("positions", "position_valid", "rotation_valid"):
        np.testing.assert_array_equal(getattr(back, name), getattr(motion, name))
    np.testing.assert_allclose(back.rotations, motion.rotations, atol=1e-15)
    assert (back.fps, back.name) == (motion.fps, "a")
    assert (back.jaw is None) == (motion.jaw is None)
    assert (back.eyes is None) == (motion.eyes is None)


def changed(path: Path, motion: HumanMotion, **arrays: object) -> Path:
    """A file with other arrays; those that are None are left out."""
    write_motion(path, motion)
    with np.load(path) as file:
        whole = {**file, **arrays}
    np.savez_compressed(path, **{name: value for name, value in whole.items() if value is not None})
    return path


@pytest.mark.parametrize(
    "arrays, words",
    [
        ({"fps": None}, "no 'fps'"), ({"fps": np.float64(-1)}, "fps"), ({"fps": np.array([1.0])}, "shape"),
        ({"positions": np.zeros((3, 2, 3))}, "shape"), ({"positions": np.array("x")}, "not what belongs"),
        ({"joints": np.array(["tail"] * 61)}, "none of its joints"), ({"rotations": np.zeros((0, 61, 4))}, "shape"),
        ({"jaw": np.zeros(3)}, "shape"), ({"positions": np.array([{}], object)}, "not what belongs"),
    ],
)  # fmt: skip
def test_what_is_no_motion_is_refused(motion: HumanMotion, tmp_path: Path, arrays: dict, words: str) -> None:
    """In one line; pickled objects are not opened."""
    path = changed(tmp_path / "a.npz", motion, **arrays)
    with pytest.raises(InputError, match=words) as error:
        read_motion_file(path)
    assert "\n" not in str(error.value)


def test_joints_by_name(motion: HumanMotion, tmp_path: Path) -> None:
    """Another order is put right, unknown ones are left out, missing ones are not known."""
    write_motion(tmp_path / "a.npz", motion)
    with np.load(tmp_path / "a.npz") as file:
        names = file["joints"][::-1].copy()
    names[0] = "tail"
    arrays = {
        key: getattr(motion, key)[:, ::-1] for key in ("positions", "rotations", "position_valid", "rotation_valid")
    }
    back = read_motion_file(changed(tmp_path / "b.npz", motion, joints=names, **arrays))
    np.testing.assert_array_equal(back.positions[:, :-1], motion.positions[:, :-1])
    assert not back.position_valid[:, -1].any()


def test_packed_zeros_and_other_zips(motion: HumanMotion, tmp_path: Path) -> None:
    """What would fill the memory, what ends too early, what is no file of arrays."""
    path = changed(tmp_path / "a.npz", motion, jaw=np.zeros(30_000_000))
    with pytest.raises(InputError, match="packed more tightly"):
        read_motion_file(path)
    with zipfile.ZipFile(tmp_path / "b.npz", "w") as packed:
        packed.writestr("positions.npy", b"x")
    with pytest.raises(InputError, match="no 'rotations'"):
        read_motion_file(tmp_path / "b.npz")
    (tmp_path / "c.npz").write_bytes(b"PK")
    for name in ("c.npz", "nowhere.npz", ""):
        with pytest.raises(InputError):
            read_motion_file(tmp_path / name)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.integers(0, 100_000), st.integers(0, 255)), min_size=1, max_size=8))
def test_damaged_files_are_read_or_refused(motion: HumanMotion, tmp_path: Path, changes: list[tuple[int, int]]) -> None:
    """Nothing else is raised."""
    data = bytearray(write_motion(tmp_path / "a.npz", motion).read_bytes())
    for at, value in changes:
        data[-1 - at % len(data)] = value
    (tmp_path / "a.npz").write_bytes(bytes(data))
    with suppress(InputError):
        assert len(read_motion_file(tmp_path / "a.npz"))
