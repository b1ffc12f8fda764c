"""Agreement with the independent judge on real recordings and somebody else's retargeting."""

from __future__ import annotations

import importlib.util
import warnings
from functools import cache
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest

import shared
from bunraku.evaluate import METRICS, evaluate
from bunraku.human import HumanMotion
from bunraku.robots.load import load_robot
from bunraku.robots.motion import RobotMotion
from bunraku.robots.robot import Robot
from bunraku.sources.bvh import read_bvh
from evaluate.bodies import with_semantics

FRAMES = 200
_PARTS = {"hip": "thigh", "knee": "shin", "ankle": "foot", "shoulder": "upper_arm", "elbow": "forearm", "wrist": "hand"}
_SIDES = {"l": "left", "r": "right"}


@cache
def judge() -> ModuleType:
    path = shared.ROOT / "tools" / "judge.py"
    if not path.exists():
        pytest.skip("the judge is not on this machine")
    spec = importlib.util.spec_from_file_location("neutral_judge", path)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@cache
def g1() -> Robot:
    """The built-in G1 with the judge's own idea of where its joints are."""
    try:
        judge().packaged(judge().ROBOTS["g1"][1])
    except SystemExit:
        pytest.skip("example-robot-data is not installed")
    facts = judge().G1
    points = {f"{_SIDES[key[-1]]}_{_PARTS[key[:-2]]}": link for key, link in facts["points"].items()}
    return with_semantics(
        load_robot("g1"), points, hips=facts["pelvis"], left_foot=facts["feet"]["l"], right_foot=facts["feet"]["r"]
    )


@cache
def person(bvh: Path) -> HumanMotion:
    return read_bvh(bvh)


def motion_of(path: Path) -> RobotMotion:
    """GMR's motion (NPZ), or Unitree's (CSV with x y z qx qy qz qw and 29 joints at 30 frames a second)."""
    if path.suffix == ".npz":
        return RobotMotion.load(path)
    rows = np.loadtxt(path, delimiter=",")
    qpos = np.concatenate([rows[:, :3], rows[:, [6, 3, 4, 5]], rows[:, 7:]], axis=1)
    return RobotMotion(qpos=qpos, joint_names=g1().joint_names, fps=30.0, robot="g1", root="free")


def assert_agreement(bvh: Path, path: Path, first: int, frames: int | None, skip: int = 0) -> None:
    motion = motion_of(path)
    qpos = motion.qpos[first : None if frames is None else first + frames]
    model = judge().load_model(judge().packaged(judge().ROBOTS["g1"][1]))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)  # the judge does not close the file it reads
        theirs = judge().evaluate(model, judge().reorder(model, qpos, motion.joint_names), motion.fps, bvh, skip=skip)
    ours = evaluate(
        person(bvh),
        RobotMotion(qpos=qpos, joint_names=motion.joint_names, fps=motion.fps, robot="g1", root="free"),
        g1(),
        skip=skip,
    )
    compared = [name for name in METRICS if name in theirs]
    assert len(compared) == len(METRICS) - 3  # the judge knows neither dtw_system nor dtw_score
    off = {
        name: (ours[name], theirs[name]) for name in compared if ours[name] != pytest.approx(theirs[name], 1e-3, 1e-3)
    }
    assert off == {}
    if not skip:
        pairs = ours.to_dict()["self_collision_pairs"]
        assert list(pairs.values())[:5] == list(theirs["self_collision_pairs"].values())
        assert theirs["self_collision_pairs"].items() <= pairs.items()


def pair(clip: str, maker: str) -> tuple[Path, Path]:
    (bvh,) = shared.need(shared.data(f"bvh/lafan1/lafan1_{clip}.bvh"))
    (motion,) = shared.need(shared.data(f"pairs/{maker}/{clip}*"))
    return bvh, motion


@pytest.mark.parametrize("maker", ["gmr_lafan1", "lafan1_g1"])
@pytest.mark.parametrize("clip", ["walk", "dance"])
def test_two_hundred_frames_agree_with_the_judge(clip: str, maker: str) -> None:
    """Every shared metric of GMR's and Unitree's motion is the judge's, to 0.1 % or 0.001."""
    assert_agreement(*pair(clip, maker), first=0, frames=FRAMES)


def test_skipping_agrees_with_the_judge() -> None:
    """The same with the first 50 frames left out."""
    assert_agreement(*pair("dance", "gmr_lafan1"), first=0, frames=FRAMES, skip=50)


@pytest.mark.slow
@pytest.mark.parametrize("maker", ["gmr_lafan1", "lafan1_g1"])
@pytest.mark.parametrize("clip", ["walk", "dance"])
def test_whole_clips_agree_with_the_judge(clip: str, maker: str) -> None:
    """Every shared metric of the whole clips is the judge's."""
    assert_agreement(*pair(clip, maker), first=0, frames=None)
