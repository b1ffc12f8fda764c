"""Robot motions as values, and written in each format."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from bunraku.errors import OutputError, UnknownNameError
from bunraku.robots import RobotMotion


def motion(root="free"):
    """Two joints for three frames."""
    base = np.tile([1.0, 2, 3, 0.6, 0, 0, 0.8], (3, 1)) if root == "free" else np.empty((3, 0))
    joints = np.array([[0.1, 0.2], [0.3, 0.4], [0.5, 1 / 3]])
    return RobotMotion(qpos=np.hstack([base, joints]), joint_names=("a", "b"), fps=50.0, robot="r", root=root)


@pytest.mark.parametrize("root", ["free", "fixed"])
def test_npz_round_trip(root, tmp_path):
    """Bit for bit."""
    ours = motion(root)
    again = RobotMotion.load(ours.save(tmp_path / "x.npz"))
    np.testing.assert_array_equal(again.qpos, ours.qpos)
    assert (again.joint_names, again.fps, again.robot, again.root) == (("a", "b"), 50.0, "r", root)


@pytest.mark.parametrize(("root", "columns"), [("free", 10), ("fixed", 3)])
def test_csv_has_time_and_names(root, columns, tmp_path):
    """One header line; time first, then qpos as it is."""
    path = motion(root).save(tmp_path / "x.csv")
    header = path.read_text().splitlines()[0].split(",")
    table = np.loadtxt(path, delimiter=",", skiprows=1)
    assert (header[0], header[-2:], len(header), table.shape) == ("time_s", ["a", "b"], columns, (3, columns))
    np.testing.assert_allclose(table[:, 0], [0, 0.02, 0.04])
    np.testing.assert_allclose(table[:, 1:], motion(root).qpos, rtol=1e-8)


@pytest.mark.parametrize(("root", "rotation"), [("free", [0, 0, 0.8, 0.6]), ("fixed", [0, 0, 0, 1])])
def test_pkl_is_what_others_exchange(root, rotation, tmp_path):
    """Rotations with w last; a fixed base stands at the origin."""
    data = pickle.loads(motion(root).save(tmp_path / "x.pkl").read_bytes())
    np.testing.assert_array_equal(data["root_rot"][0], rotation)
    np.testing.assert_array_equal(data["dof_pos"], motion(root).joints)
    np.testing.assert_array_equal(data["root_pos"][0], [1, 2, 3] if root == "free" else [0, 0, 0])


def test_unknown_formats_and_places(tmp_path):
    """The valid endings are named; nothing is left where nothing can be written."""
    with pytest.raises(UnknownNameError, match=r"\.npz, \.csv, \.pkl"):
        motion().save(tmp_path / "x.fbx")
    (tmp_path / "plain").write_text("")
    with pytest.raises(OutputError, match="cannot write"):
        motion().save(tmp_path / "plain" / "x.npz")
    assert [path.name for path in tmp_path.iterdir()] == ["plain"]


def test_a_motion_is_checked():
    """Width and rate must fit."""
    with pytest.raises(ValueError, match="expected"):
        RobotMotion(qpos=np.zeros((3, 4)), joint_names=("a",), fps=30, robot="r", root="free")
    with pytest.raises(ValueError, match="fps"):
        RobotMotion(qpos=np.zeros((3, 1)), joint_names=("a",), fps=0, robot="r", root="fixed")
