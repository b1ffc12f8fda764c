"""The plain problem beside mink, pink and placo: 14 body poses with weights, joint limits, three steps a frame.

Each engine has a process and an environment of its own; passes over the same frames are run by turns, so that whatever
else the machine does slows all of them alike. What is left of the weighted squared errors is computed here for all.
"""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import venv
import xml.etree.ElementTree as ET
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from figure import Figure
from peer_protocol import STEPS, Problem

from bunraku.errors import InputError

HERE = Path(__file__).resolve().parent
ENVIRONMENTS = HERE.parent / ".venv-peers"
ROBOT = "g1"
MOTION = "synth:random?seconds=10&fps=30"
ROUNDS = 15
LINKS: Mapping[str, tuple[float, float]] = {
    "pelvis": (100.0, 10.0),
    "torso_link": (10.0, 10.0),
    **{
        f"{side}_{name}": weights
        for side in ("left", "right")
        for name, weights in {
            "hip_yaw_link": (10.0, 10.0),
            "knee_link": (10.0, 10.0),
            "ankle_roll_link": (100.0, 5.0),
            "shoulder_yaw_link": (10.0, 10.0),
            "elbow_link": (10.0, 10.0),
            "wrist_yaw_link": (50.0, 5.0),
        }.items()
    },
}
"""link → weights of its squared errors, per m² and per rad²"""
OFFSET_M, OFFSET_DEG = 0.02, 5.0
"""standard deviations of what each link's target is moved and turned by, so that no target is met exactly"""
SAME = 1.001
"""a residual so many times another one is the same"""


@dataclass(frozen=True)
class Peer:
    """An engine, what pip installs for it, and how many times its time ours should fit into."""

    name: str
    packages: tuple[str, ...]
    target: float


PEERS = (
    Peer("mink", ("mink==1.3.0", "daqp==0.11.0"), 20.0),
    Peer("pink", ("pin-pink==4.4.0", "pin==4.1.0", "daqp==0.11.0"), 25.0),
    Peer("placo", ("placo==0.10.2",), 2.5),
)


def figures() -> Iterator[Figure]:
    """Speed and residual beside each peer."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        problem = _write_problem(folder)
        pythons = {"bunraku": Path(sys.executable), **{peer.name: _environment(peer) for peer in PEERS}}
        seconds = _by_turns(pythons, folder)
        residual = {engine: _residual(problem, np.load(folder / f"{engine}.npy")) for engine in pythons}
    frames = len(problem.positions)
    micros = {engine: statistics.median(times) / frames * 1e6 for engine, times in seconds.items()}
    for peer in PEERS:
        ratio = statistics.median(b / a for a, b in zip(seconds["bunraku"], seconds[peer.name], strict=True))
        yield Figure(
            f"retarget.vs_{peer.name}", ratio, "times", peer.target, "at_least",
            f"time a frame of {peer.packages[0]} ({micros[peer.name]:.1f} µs) over ours ({micros['bunraku']:.1f} µs): "
            f"{len(LINKS)} poses of {ROBOT}, {STEPS} steps, {frames} frames, median of {ROUNDS} passes by turns",
        )  # fmt: skip
        ours, theirs = residual["bunraku"], residual[peer.name]
        yield Figure(
            f"retarget.residual_vs_{peer.name}", ours / theirs, "times", SAME, "at_most",
            f"what is left of the weighted squared errors, mean of these frames: ours {ours:.6f}, theirs {theirs:.6f}",
        )  # fmt: skip


def _write_problem(folder: Path) -> Problem:
    """Poses of a robot motion that was retargeted before, moved and turned by constants of each link."""
    from bunraku.kinematics import rotations
    from bunraku.retarget import retarget
    from bunraku.robots import load_robot
    from bunraku.sources import read_motion

    robot = load_robot(ROBOT)
    qpos = retarget(read_motion(MOTION), robot).qpos
    links = [robot.links.index(name) for name in LINKS]
    at, turn = (array[:, links] for array in robot.link_poses(qpos))
    generator = np.random.default_rng(0)
    off = rotations.to_matrix(rotations.exp(np.radians(OFFSET_DEG) * generator.normal(size=(len(links), 3))))
    weights = np.array(list(LINKS.values()))
    problem = Problem(
        joints=list(robot.joint_names), frames=list(LINKS), start=qpos[0],
        positions=at + OFFSET_M * generator.normal(size=(len(links), 3)), rotations=turn @ off,
        position_weight=weights[:, 0], rotation_weight=weights[:, 1],
        urdf=folder / "robot.urdf", mjcf=folder / "robot.xml",
    )  # fmt: skip
    assert robot.source is not None
    problem.urdf.write_text(_bare(ET.parse(robot.source).getroot(), ("visual", "collision")))
    problem.mjcf.write_text(_bare(ET.fromstring(robot.xml), ("geom", "asset", "default", "contact", "actuator")))
    problem.save(folder)
    return problem


def _bare(root: ET.Element, unwanted: Sequence[str]) -> str:
    """A robot's description without its shapes, for which no engine has a use here."""
    for parent in list(root.iter()):
        for child in list(parent):
            if child.tag in unwanted:
                parent.remove(child)
    return ET.tostring(root, encoding="unicode")


def _environment(peer: Peer) -> Path:
    """The peer's own Python; the environment is made and filled once."""
    folder = ENVIRONMENTS / peer.name
    python, stamp = folder / "bin" / "python", folder / "installed.txt"
    wanted = "\n".join(peer.packages)
    if not (stamp.is_file() and stamp.read_text() == wanted):
        print(f"installing {wanted.splitlines()[0]} into {folder} …", file=sys.stderr, flush=True)
        venv.create(folder, with_pip=True, clear=True)
        pip = [str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check", *peer.packages]
        if subprocess.run(pip, stdout=sys.stderr).returncode:
            raise InputError(f"pip could not install {' '.join(peer.packages)} into {folder}; its reason is above")
        stamp.write_text(wanted)
    return python


def _by_turns(pythons: Mapping[str, Path], folder: Path) -> dict[str, list[float]]:
    """Durations of ROUNDS passes of each engine, s; a round runs every engine once, the others wait."""
    one_thread = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS"), "1")
    with ExitStack() as stack:
        engines: dict[str, Any] = {}
        for name, python in pythons.items():
            command = [str(python), str(HERE / f"peer_{name}.py"), str(folder)]
            process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env={**os.environ, **one_thread}
            )
            engines[name] = stack.enter_context(process)
            _answer(engines[name], name)
        out: dict[str, list[float]] = {name: [] for name in engines}
        for _ in range(ROUNDS):
            for name, engine in engines.items():
                engine.stdin.write("pass\n")
                engine.stdin.flush()
                out[name].append(float(_answer(engine, name)))
    return out


def _answer(engine: Any, name: str) -> str:
    line: str = engine.stdout.readline()
    if not line:
        raise InputError(f"{name} ended early; its reason is above")
    return line.strip()


def _residual(problem: Problem, qpos: np.ndarray) -> float:
    """Mean over the frames of the weighted squared errors of all poses."""
    from bunraku.kinematics import rotations
    from bunraku.robots import load_robot

    robot = load_robot(ROBOT)
    at, turn = (array[:, [robot.links.index(name) for name in problem.frames]] for array in robot.link_poses(qpos))
    away = np.sum((at - problem.positions) ** 2, axis=-1)
    turned = rotations.from_matrix(turn @ np.swapaxes(problem.rotations, -1, -2))
    angle = 2 * np.arccos(np.clip(turned[..., 0], -1.0, 1.0))
    return float(np.mean(away @ problem.position_weight + angle**2 @ problem.rotation_weight))
