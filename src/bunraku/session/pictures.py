"""Person and robot side by side: a strip of moments, a film, or a robot's portrait."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import numpy as np

from bunraku.human.skeleton import INDEX, JOINT_COUNT, PARENTS
from bunraku.outputs.figure import Figure
from bunraku.outputs.picture import Scene
from bunraku.outputs.strip import Image, save_png, strip
from bunraku.outputs.video import write_video
from bunraku.retarget import retarget
from bunraku.robots import Robot
from bunraku.session.performance import Performance
from bunraku.sources import read_motion

FILM_FPS = 30.0
SIZE = (640, 480)
STRIP_SIZE = (600, 430)
WIDE_SIZE, WIDE_APART = (900, 430), 1.25
"""with room for two pairs of arms stretched out"""


def person() -> Figure:
    """The canonical skeleton as lines."""
    edges = [(int(PARENTS[joint]), joint) for joint in range(JOINT_COUNT) if PARENTS[joint] >= 0]
    return Figure(edges, head=(INDEX["neck"], INDEX["head"]))


def write_strip(performance: Performance, path: Path, moments: int = 4) -> Path:
    """A row of pictures, evenly spread over the motion."""
    human = performance.human
    frames = np.unique(np.linspace(0, len(human) - 1, moments + 2).round().astype(int)[1:-1])
    with Scene(performance.robot, figure=person(), width=STRIP_SIZE[0], height=STRIP_SIZE[1]) as scene:
        images = [_frame(scene, performance, int(frame)) for frame in frames]
    title = f"{human.name} on {performance.robot.name}"
    times = [frame / human.fps for frame in frames]
    return save_png(strip(images, times, title=title, captions=("person", performance.robot.name)), path)


def write_film(performance: Performance, path: Path) -> Path:
    """The whole motion as an MP4."""
    return write_video(path, film_frames(performance), FILM_FPS)


def film_frames(performance: Performance) -> Iterator[Image]:
    """Pictures of the whole motion at the film's rate."""
    human = performance.human
    with Scene(performance.robot, figure=person(), width=SIZE[0], height=SIZE[1], shadows=False) as scene:
        for k in range(int(human.duration_s * FILM_FPS) + 1):
            yield _frame(scene, performance, min(round(k / FILM_FPS * human.fps), len(human) - 1))


def write_portrait(robot: Robot, path: Path) -> Path:
    """The robot as it stands."""
    with Scene(robot, width=640, height=640) as scene:
        return save_png(scene.render(robot.neutral), path)


def write_alignment(robot: Robot, path: Path) -> Path:
    """A person in the canonical T and the robot at rest, as both are thought together, then as the mapping has it."""
    person_in_t = read_motion("synth:t-pose?seconds=0")
    led = retarget(person_in_t, robot).qpos[0]
    at, valid = person_in_t.positions[0], person_in_t.position_valid[0]
    width, height = WIDE_SIZE
    with Scene(robot, figure=person(), width=width, height=height, apart=WIDE_APART) as scene:
        images = [scene.render(qpos, at, valid) for qpos in (robot.neutral, led)]
    labels = ("the reference pose", "led to the T")
    title = f"how a person and {robot.name} are paired"
    return save_png(strip(images, labels, title=title, captions=("person", robot.name)), path)


def _frame(scene: Scene, performance: Performance, frame: int) -> Image:
    human = performance.human
    return scene.render(performance.played.qpos[frame], human.positions[frame], human.position_valid[frame])
