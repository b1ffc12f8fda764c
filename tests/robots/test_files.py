"""Which files a description may name."""

from __future__ import annotations

from pathlib import Path

import pytest

from bunraku.errors import RobotError
from bunraku.robots.files import Files
from small_robots import write


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package as ROS lays it out, beside something that is none of its business."""
    write(tmp_path, "secret", "secret.stl")
    root = tmp_path / "arm_description"
    for name in ("package.xml", "urdf/arm.urdf", "meshes/hand.stl"):
        write(root, "x", name)
    return root


@pytest.mark.parametrize(
    "reference",
    [
        "../meshes/hand.stl",
        "package://arm_description/meshes/hand.stl",
        "package:///arm_description/meshes/hand.stl",
        "model://arm_description/meshes/hand.stl",
        "package://renamed_package/meshes/hand.stl",
        "..\\meshes\\hand.stl",
        " ../meshes/../meshes/hand.stl ",
    ],
)
def test_a_mesh_of_the_package_is_found(package, reference):
    """Relative to the description, by package name, or by the name that the package had elsewhere."""
    assert Files(package / "urdf/arm.urdf").find(reference) == package / "meshes/hand.stl"


def test_absolute_references_inside_are_found(package):
    """With and without file://."""
    files = Files(package / "urdf/arm.urdf")
    for prefix in ("", "file://"):
        assert files.find(f"{prefix}{package}/meshes/hand.stl") == package / "meshes/hand.stl"


@pytest.mark.parametrize(
    "reference", ["../../secret.stl", "package://arm_description/../secret.stl", "meshes/../../../secret.stl"]
)
def test_a_way_out_of_the_package_is_refused(package, reference):
    """The file exists, and is not looked at."""
    with pytest.raises(RobotError, match="leads out of"):
        Files(package / "urdf/arm.urdf").find(reference)


@pytest.mark.parametrize(
    "reference", ["file:///etc/passwd", "/etc/passwd", "https://example.org/a.stl", "package://../x", ""]
)
def test_what_lies_elsewhere_is_not_found(package, reference):
    """Absolute paths outside, and other schemes, count as missing."""
    assert Files(package / "urdf/arm.urdf").find(reference) is None


def test_without_a_package_the_own_folder_counts(tmp_path):
    """A description's own folder, or the one above a folder called urdf, is as far as references reach."""
    mesh = write(tmp_path, "x", "robot/meshes/a.stl")
    assert Files(tmp_path / "robot/urdf/r.urdf").find("../meshes/a.stl") == mesh
    assert Files(tmp_path / "robot/r.urdf").find("meshes/a.stl") == mesh
    with pytest.raises(RobotError, match="leads out of"):
        Files(tmp_path / "robot/other/r.urdf").find("../meshes/a.stl")
    assert Files(tmp_path / "robot/other/r.urdf", [tmp_path / "robot"]).find("../meshes/a.stl") == mesh


def test_packages_of_the_environment_are_found(package, tmp_path, monkeypatch):
    """ROS_PACKAGE_PATH and AMENT_PREFIX_PATH work as ROS sets them."""
    ament = write(tmp_path / "ws", "x", "share/leg_description/meshes/foot.stl")
    monkeypatch.setenv("ROS_PACKAGE_PATH", str(tmp_path))
    monkeypatch.setenv("AMENT_PREFIX_PATH", str(tmp_path / "ws"))
    files = Files(tmp_path / "elsewhere/r.urdf")
    assert files.find("package://arm_description/meshes/hand.stl") == package / "meshes/hand.stl"
    assert files.find("package://leg_description/meshes/foot.stl") == ament


def test_absurd_names_are_an_answer(package):
    """Names that no file system takes do not raise OSError."""
    files = Files(package / "urdf/arm.urdf")
    assert files.find("x" * 500) is None
    with pytest.raises(RobotError, match="longer than"):
        files.find("x" * 2000)
