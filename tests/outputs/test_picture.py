"""Pictures of robots."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from bunraku.errors import OutputError
from bunraku.outputs.picture import Figure, Scene
from bunraku.robots import load_robot
from outputs_pictures import need_graphics

STICK = Figure(edges=((0, 1), (1, 2), (0, 3), (0, 4)), head=(1, 2))
POINTS = np.array([[3.0, -2.0, 0.9], [3, -2, 1.4], [3, -2, 1.6], [3, -1.9, 0.0], [3, -2.1, 0.0]])


def difference(a: NDArray[np.uint8], b: NDArray[np.uint8]) -> NDArray[np.bool_]:
    return np.asarray(np.abs(a.astype(int) - b.astype(int)).max(axis=2) > 24)


@pytest.fixture(scope="module")
def scene() -> Iterator[Scene]:
    need_graphics()
    with Scene(load_robot("puppet"), figure=STICK, width=160, height=120, shadows=False) as scene:
        yield scene


def test_the_robot_is_in_the_picture(scene: Scene) -> None:
    """The puppet's colours fill a fair part of the middle, and neither top nor sides are touched."""
    image = scene.render(scene.robot.neutral)
    assert image.shape == (120, 160, 3)
    indigo = (image[..., 2] > image[..., 0].astype(int) + 25) & (image[..., 0] < 100)
    rows, columns = indigo.nonzero()
    assert len(rows) > 150
    assert 60 < columns.mean() < 100
    assert rows.min() > 12
    assert rows.max() < 115


def test_a_pose_changes_what_is_seen_and_the_same_pose_does_not(scene: Scene) -> None:
    """Raised arms appear where there was background; the same again gives the same picture."""
    robot = scene.robot
    up = robot.neutral.copy()
    up[7 + robot.joint_index("left_shoulder_roll_joint")] = 2.8
    first, again, raised = scene.render(robot.neutral), scene.render(robot.neutral), scene.render(up)
    assert np.array_equal(first, again)
    assert 60 < difference(first, raised).sum() < 3000


def test_the_figure_stands_to_the_left_wherever_it_is(scene: Scene) -> None:
    """Both are in the picture, the figure in the left half; where in the world the figure is makes no difference."""
    robot = scene.robot
    image = scene.render(robot.neutral, POINTS)
    teal = (image[..., 1] > image[..., 0].astype(int) + 40) & (image[..., 2] > image[..., 0].astype(int) + 40)
    assert teal.sum() > 40
    assert teal.nonzero()[1].max() < 80
    elsewhere = scene.render(robot.neutral, POINTS + np.array([5.0, 7.0, 0.0]))
    assert difference(image, elsewhere).mean() < 0.01
    gone = scene.render(robot.neutral, POINTS, np.zeros(5, bool))
    assert difference(image, gone).sum() > 40


def test_the_camera_follows_a_free_base(scene: Scene) -> None:
    """A whole number of floor tiles away the picture is the same."""
    robot = scene.robot
    away = robot.neutral.copy()
    away[:2] += [4.0, -3.0]
    assert difference(scene.render(robot.neutral), scene.render(away)).mean() < 0.01


def test_the_first_picture_is_taken_from_the_front() -> None:
    """A puppet that starts turned around shows its face all the same."""
    need_graphics()
    robot = load_robot("puppet")
    turned = robot.neutral.copy()
    turned[3:7] = [0, 0, 0, 1]
    images = []
    for qpos in (robot.neutral, turned):
        with Scene(robot, width=96, height=96, shadows=False) as scene:
            images.append(scene.render(qpos).astype(int))
    white = [(image[18:34] > 190).all(axis=2).sum() for image in images]
    assert abs(white[0] - white[1]) < 0.2 * white[0]


def test_the_light_comes_from_the_same_side_of_every_robot() -> None:
    """Which way a robot faces in the world makes no difference to its light and its shadow."""
    need_graphics()
    robot = load_robot("puppet")
    turned = robot.neutral.copy()
    turned[3:7] = [0, 0, 0, 1]
    images = []
    for qpos in (robot.neutral, turned):
        with Scene(robot, width=96, height=96) as scene:
            images.append(scene.render(qpos))
    assert difference(*images).mean() < 0.01


@pytest.mark.parametrize("name", ["lamp", "inmoov"])
def test_every_size_of_robot_fills_its_picture(name: str) -> None:
    """A desk light and a grown robot both take between a third and the whole of the picture's height, with a shadow."""
    need_graphics()
    robot = load_robot(name)
    with Scene(robot, width=120, height=120) as scene:
        image = scene.render(robot.neutral)
    background = np.median(image[:10].reshape(-1, 3), axis=0)
    rows = (np.abs(image - background).max(axis=2) > 90).any(axis=1).nonzero()[0]
    assert 40 < np.ptp(rows) < 119


def test_a_closed_scene_says_so() -> None:
    """Closing twice is fine, drawing afterwards is not."""
    need_graphics()
    scene = Scene(load_robot("lamp"), width=32, height=32)
    scene.close()
    scene.close()
    with pytest.raises(OutputError, match="closed"):
        scene.render(scene.robot.neutral)
