"""Several calibrated cameras: their files, and points in space."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from bunraku.errors import InputError
from bunraku.human.depth import Pinhole
from bunraku.sources.calibrated import Camera, read_cameras, triangulate
from bunraku.sources.landmarks import COUNT, Landmarks
from bunraku.sources.openpose_fake import ring

CAMERAS = ring(4, Pinhole())


def views(points: np.ndarray, noise: float = 0.0) -> list[Landmarks]:
    """What each camera sees."""
    random = np.random.default_rng(0)
    return [
        Landmarks(
            camera.project(points) + noise * random.standard_normal((COUNT, 2)), np.ones(COUNT, bool), np.ones(COUNT)
        )
        for camera in CAMERAS
    ]


@pytest.fixture
def points() -> np.ndarray:
    """Anywhere in a person's reach."""
    return np.random.default_rng(1).uniform([-0.5, -0.6, 0.0], [0.5, 0.6, 1.8], (COUNT, 3))


def test_exact_views_give_exact_points(points: np.ndarray) -> None:
    """To nanometres; with a pixel of noise to a centimetre."""
    found, known = triangulate(CAMERAS, views(points))
    assert known.all()
    np.testing.assert_allclose(found, points, atol=1e-9)
    found, known = triangulate(CAMERAS, views(points, noise=1.0))
    assert known.all()
    assert np.linalg.norm(found - points, axis=1).mean() < 0.01


def test_a_view_that_lies_is_left_out(points: np.ndarray) -> None:
    """One camera takes left for right: the other three decide, as if it had not been there."""
    seen = views(points)
    seen[1].points[:30] += [150.0, 0.0]
    found, known = triangulate(CAMERAS, seen)
    assert known.all()
    np.testing.assert_allclose(found, points, atol=1e-6)


def test_two_that_disagree_know_nothing(points: np.ndarray) -> None:
    """There is nobody to decide between them."""
    seen: list[Landmarks | None] = [*views(points)[:2], None, None]
    assert seen[0] is not None
    seen[0].points[5] += [0.0, 120.0]
    _, known = triangulate(CAMERAS, seen)
    assert np.flatnonzero(~known).tolist() == [5]


def test_one_view_is_not_enough(points: np.ndarray) -> None:
    """Points that a single camera sees are not known; nobody seen at all is nothing."""
    seen = views(points)
    for view in seen[1:]:
        view.known[7] = False
    assert np.flatnonzero(~triangulate(CAMERAS, seen)[1]).tolist() == [7]
    assert not triangulate(CAMERAS, [seen[0], None, None, None])[1].any()
    assert not triangulate(CAMERAS, [None] * 4)[1].any()


def test_unsure_views_weigh_less(points: np.ndarray) -> None:
    """The surer camera is nearer to the truth's side."""
    noisy = views(points)
    noisy[0].points[:, 0] += 8.0
    even = np.linalg.norm(triangulate(CAMERAS, noisy)[0] - points, axis=1).mean()
    noisy[0].weights[:] = 0.2
    assert np.linalg.norm(triangulate(CAMERAS, noisy)[0] - points, axis=1).mean() < 0.3 * even


def test_distortion_is_undone() -> None:
    """Rays of distorted pixels are the rays of the plain ones, where lenses are no worse than usual."""
    camera = CAMERAS[0]
    bent = Camera(name="b", folder="b", K=camera.K, R=camera.R, t=camera.t,
                  distortion=np.array([-0.2, 0.05, 0.001, -0.002, 0.0]))  # fmt: skip
    plain = np.random.default_rng(2).uniform(-0.5, 0.5, (50, 2))
    k1, k2, p1, p2, k3 = bent.distortion
    x, y = plain.T
    r = x * x + y * y
    radial = 1 + k1 * r + k2 * r**2 + k3 * r**3
    seen = np.column_stack(
        [x * radial + 2 * p1 * x * y + p2 * (r + 2 * x * x), y * radial + p1 * (r + 2 * y * y) + 2 * p2 * x * y]
    )
    pixels = seen * [camera.K[0, 0], camera.K[1, 1]] + camera.K[:2, 2]
    np.testing.assert_allclose(bent.rays(pixels), plain, atol=1e-5)


def test_files_of_both_kinds(tmp_path: Path) -> None:
    """TOML with a rotation vector, as calibrators write it, and JSON with matrices; other sections are left alone."""
    toml = tmp_path / "calib.toml"
    toml.write_text("".join(
        f"[{n}]\nmatrix = [[900.0, 0, 640], [0, 900, 360], [0, 0, 1]]\nrotation = [0.1, {k}, 0]\n"
        "translation = [0, 1, 3.0]\ndistortions = [0.1, 0, 0, 0]\n"
        for k, n in enumerate("ab")) + "[metadata]\nerror = 0.2\n")  # fmt: skip
    cameras = read_cameras(toml)
    assert [c.name for c in cameras] == ["a", "b"]
    assert np.allclose(cameras[1].R @ cameras[1].R.T, np.eye(3))
    as_json = tmp_path / "calib.json"
    as_json.write_text(json.dumps({c.name: {"K": c.K.tolist(), "R": c.R.tolist(), "t": c.t.tolist()} for c in cameras}))
    for one, other in zip(cameras, read_cameras(as_json), strict=True):
        np.testing.assert_allclose(one.R, other.R)


@pytest.mark.parametrize(
    "change, words",
    [
        ({"K": [[1, 2], [3, 4]]}, "K must be"), ({"R": [[2, 0, 0], [0, 1, 0], [0, 0, 1]]}, "no rotation"),
        ({"t": [0, 0, "x"]}, "t must be"), ({"t": None}, "t must be"), ({"folder": 3}, "folder"),
        ({"K": [[-1, 0, 0], [0, 1, 0], [0, 0, 1]]}, "focal"), ({"distortion": [1] * 9}, "distortion"),
    ],
)  # fmt: skip
def test_bad_descriptions_are_named(tmp_path: Path, change: dict, words: str) -> None:
    """Which camera, and what is wrong with it."""
    good = {"K": np.eye(3).tolist(), "R": np.eye(3).tolist(), "t": [0, 0, 1]}
    path = tmp_path / "c.json"
    path.write_text(json.dumps({"a": good, "b": {**good, **change}}))
    with pytest.raises(InputError, match=words):
        read_cameras(path)


def test_too_few_cameras(tmp_path: Path) -> None:
    """One is no two."""
    path = tmp_path / "c.json"
    path.write_text("{}")
    with pytest.raises(InputError, match="0 cameras"):
        read_cameras(path)


@given(st.binary(max_size=200), st.sampled_from(["c.json", "c.toml"]))
def test_any_bytes_are_refused(tmp_path_factory: pytest.TempPathFactory, junk: bytes, name: str) -> None:
    """Nothing but an InputError."""
    path = tmp_path_factory.mktemp("c") / name
    path.write_bytes(junk)
    with pytest.raises(InputError):
        read_cameras(path)
