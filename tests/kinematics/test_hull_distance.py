"""Distances and depths of hulls against other ways to find them."""

from __future__ import annotations

import mujoco
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.spatial import ConvexHull

from bunraku.kinematics import rotations
from bunraku.kinematics.self_distance import Bodies, Body, BodyMemory, make_bodies, make_memory, pair_distance

VECTOR = st.lists(st.floats(-0.5, 0.5), min_size=3, max_size=3)


def two_hulls(first: np.ndarray, second: np.ndarray, radius: float = 0.0) -> tuple[Bodies, BodyMemory]:
    """Two sets of points on one node, and memory in which both stand as they were given."""
    bodies = make_bodies([Body(0, points, radius, np.eye(3)) for points in (first, second)], [(0, 1, 0, 0, 0.1)], 1.0)
    memory = make_memory(bodies, 1)
    memory.centre[:] = bodies.centre
    memory.rotation[:] = np.eye(3)
    return bodies, memory


def distance(first: np.ndarray, second: np.ndarray) -> float:
    """Of two hulls, without anything remembered."""
    return float(pair_distance(*two_hulls(first, second), 0, np.inf))


def clouds(seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Points of two random bodies, of different sizes, 0 to 0.4 m apart."""
    generator = np.random.default_rng(seed)
    first = generator.normal(size=(20, 3)) * generator.uniform(0.02, 0.2, 3)
    second = generator.normal(size=(12, 3)) * generator.uniform(0.02, 0.2, 3)
    way = generator.normal(size=3)
    return first, second + way / np.linalg.norm(way) * generator.uniform(0, 0.7)


def depth_of(first: np.ndarray, second: np.ndarray) -> float:
    """Least way by which the second hull must move to leave the first, by all faces of their Minkowski difference."""
    faces = ConvexHull((second[:, None] - first[None]).reshape(-1, 3)).equations
    return float(-faces[:, 3].max())


@pytest.mark.parametrize("seed", range(40))
def test_distances_are_those_of_mujoco(seed: int) -> None:
    """Random hulls that do not touch."""
    first, second = clouds(seed)
    vertices = [" ".join(map(str, points.ravel())) for points in (first, second)]
    assets = "".join(f'<mesh name="m{k}" vertex="{text}"/>' for k, text in enumerate(vertices))
    geoms = "".join(f'<body><geom type="mesh" mesh="m{k}"/></body>' for k in range(2))
    model = mujoco.MjModel.from_xml_string(f"<mujoco><asset>{assets}</asset><worldbody>{geoms}</worldbody></mujoco>")
    data = mujoco.MjData(model)
    mujoco.mj_kinematics(model, data)
    wanted = mujoco.mj_geomDistance(model, data, 0, 1, 10.0, None)
    found = distance(first, second)
    assert found == pytest.approx(wanted, abs=1e-4) if wanted > 1e-3 else found < 2e-3


@pytest.mark.parametrize("seed", range(40))
def test_an_overlap_is_the_way_out_along_the_line_of_the_centres(seed: int) -> None:
    """Moved by the depth, the hulls only touch; the least way out is never longer."""
    first, second = clouds(seed)
    second = second - 0.8 * (second.mean(axis=0) - first.mean(axis=0))
    bodies, memory = two_hulls(first, second)
    found = pair_distance(bodies, memory, 0, np.inf)
    assert -found > depth_of(first, second) - 1e-9 > 0
    line = memory.centre[1] - memory.centre[0]
    way = -found * line / np.linalg.norm(line)
    assert depth_of(first, second + way) == pytest.approx(0, abs=1e-6)
    assert ((second + way) @ memory.normal).min() == pytest.approx((first @ memory.normal).max(), abs=1e-6)


def test_known_depths() -> None:
    """Cubes face into face, and one that is nearly in the middle of the other."""
    cube = np.array([[x, y, z] for x in (-1.0, 1) for y in (-1.0, 1) for z in (-1.0, 1)])
    assert distance(cube, cube + [1.9, 0, 0]) == pytest.approx(-0.1)
    assert distance(cube, 0.5 * cube + [1e-3, 0, 0]) == pytest.approx(-1.499)


@pytest.mark.parametrize("seed", range(8))
def test_distance_is_continuous(seed: int) -> None:
    """One hull glides through the other: where the distance changes most, it does so gradually."""
    first, second = clouds(seed)
    way = second.mean(axis=0) - first.mean(axis=0)
    aside, way = np.array([0.01, 0.02, 0.03]), way / np.linalg.norm(way)
    start = second - second.mean(axis=0) + first.mean(axis=0) + aside

    def along(places: np.ndarray) -> np.ndarray:
        return np.array([distance(first, start + way * place) for place in places])

    places = np.linspace(-0.1, 1.0, 400)
    found = along(places)
    assert found.min() < 0 < found.max()
    largest = int(np.abs(np.diff(found)).argmax())
    within = along(np.linspace(places[largest], places[largest + 1], 11))
    assert np.abs(np.diff(within)).max() < 0.3 * np.abs(np.diff(found)).max()


@given(turn=VECTOR, way=VECTOR, later_turn=VECTOR, later_way=VECTOR, enough=st.floats(-0.05, 0.3))
def test_what_is_remembered_changes_nothing(
    turn: list[float], way: list[float], later_turn: list[float], later_way: list[float], enough: float
) -> None:
    """A search begun where one for another place ended: the same distance, and no near pair is taken for a far one."""
    first, second = clouds(3)
    bodies, memory = two_hulls(first, second, 0.004)
    memory.rotation[1], memory.centre[1] = rotations.to_matrix(rotations.exp(turn)), way
    pair_distance(bodies, memory, 0, np.inf)
    fresh = make_memory(bodies, 1)
    for kept in (memory, fresh):
        kept.centre[0], kept.rotation[0] = bodies.centre[0], np.eye(3)
        kept.rotation[1], kept.centre[1] = rotations.to_matrix(rotations.exp(later_turn)), later_way
    wanted = pair_distance(bodies, fresh, 0, np.inf)
    found = pair_distance(bodies, memory, 0, enough)
    if wanted < enough - 1e-9:
        assert found == pytest.approx(wanted, abs=1e-6)
    else:
        assert enough - 1e-6 <= found <= wanted + 1e-6
