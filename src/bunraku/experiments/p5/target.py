"""P5, test one: where the cube is and how it is turned, held still in the paper's poses and in any other."""

from __future__ import annotations

from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from bunraku.experiments.devices import MARKER_HZ, NOTES
from bunraku.experiments.findings import Figure, Findings, Line, Panel, Row
from bunraku.experiments.p5.cube_sight import CUBE, CubeSight
from bunraku.human.cube import pair_angles, pair_axes
from bunraku.human.rigid_body import BodyTracker, RigidPose
from bunraku.kinematics import rotations as rot

Array = NDArray[np.float64]

QUARTER = np.pi / 2
POSES = (
    ("3_2", (0.0, 0.0, 0.1), (0.0, 0.0, 0.0)),
    ("3_3", (0.0, 0.0, 0.1), (0.0, QUARTER, 0.0)),
    ("3_4", (0.0, 0.0, 0.1), (-QUARTER, 0.0, 0.0)),
    ("3_5", (0.0, 0.0, 0.1), (0.0, 0.0, QUARTER)),
    ("3_6", (-0.1, 0.0, 0.02), (0.0, 0.0, 0.0)),
    ("3_7", (0.0, 0.1, 0.02), (0.0, 0.0, 0.0)),
    ("3_8", (0.0, 0.0, 0.1), (0.0, 0.0, 0.0)),
)
"""figure of the paper, place (m), turn as ψ θ φ (rad)"""
MOST_MM, MOST_RAD = 2.0, 0.02


def cube_pose(seed: int, seconds: float = 3.0, turns: int = 60) -> Findings:
    """Static poses through the tracker, the paper's pairs beside; then random rotations seen by every three markers."""
    rng = np.random.default_rng(seed)
    figures, place_errors, turn_errors, pair_errors = [], [], [], []
    for name, place, angles in POSES:
        sight, tracker = CubeSight(rng), BodyTracker(CUBE)
        truth = rot.from_euler("ZYX", angles)
        ours, theirs = [], []
        for _ in range(int(seconds * MARKER_HZ)):
            seen = sight.measure(np.array(place), truth)
            pose = tracker.update(seen)
            axes = pair_axes(seen)
            theirs.append(pair_angles(axes) if axes is not None else np.full(3, np.nan))
            if pose is not None:
                ours.append([*pose.position, *pose.rotation])
        found = np.array(ours)
        place_errors.append(1e3 * np.linalg.norm(found[:, :3] - place, axis=-1).max())
        turn_errors.append(rot.angle_between(found[:, 3:], truth).max())
        pair_errors.append(np.nanmax(np.abs(_wrapped(np.array(theirs) - angles))))
        figures.append(_figure(name, found, np.array(theirs), np.array(place), np.array(angles)))
    three = _any_three(rng, turns)
    rows = [
        _row("cube position, worst frame of the paper's poses", "10", max(place_errors), "mm", MOST_MM,
             "BodyTracker over 7 static poses at 120 Hz, hidden corners left out"),
        _row("cube orientation, worst frame of the paper's poses", "0.13, wrong about y", max(turn_errors), "rad",
             MOST_RAD, "the same frames; angle of the rotation between found and true"),
        _row("cube position, any 3 markers", None, three[0], "mm", MOST_MM,
             f"worst of {turns} random rotations, each seen by every one of the 56 choices of three corners"),
        _row("cube orientation, any 3 markers", None, three[1], "rad", MOST_RAD,
             f"the same; root mean square {three[2]:.4f} rad"),
        Row(paper="P5", quantity="the paper's pairs and angles at θ = π/2, worst angle", theirs="wrong",
            ours=float(pair_errors[1]), unit="rad", ok=True,
            how="pair_axes and pair_angles on the same markers: ψ and φ are undetermined there; kept for comparison"),
    ]  # fmt: skip
    return Findings(rows, figures, notes=(NOTES["markers"],))


def _any_three(rng: np.random.Generator, turns: int) -> tuple[float, float, float]:
    """Worst errors, mm and rad, of poses found from three corners, and the root mean square in rad."""
    sight, away, turned = CubeSight(rng), [], []
    for rotation in rot.normalize(rng.standard_normal((turns, 4))):
        place = rng.uniform(-0.2, 0.2, 3) + np.array([0, 0, 0.3])
        seen = sight.everything(place, rotation)
        for three in combinations(seen, 3):
            pose = CUBE.fit({n: seen[n] for n in three})
            assert isinstance(pose, RigidPose)
            away.append(1e3 * np.linalg.norm(pose.position - place))
            turned.append(float(rot.angle_between(pose.rotation, rotation)))
    return float(max(away)), max(turned), float(np.sqrt(np.mean(np.square(turned))))


def _wrapped(angles: Array) -> Array:
    return np.asarray((angles + np.pi) % (2 * np.pi) - np.pi)


def _row(quantity: str, theirs: str | None, ours: float, unit: str, most: float, how: str) -> Row:
    return Row(paper="P5", quantity=quantity, theirs=theirs, ours=float(ours), unit=unit, ok=bool(ours <= most),
               how=f"{how}; at most {most:g} {unit}")  # fmt: skip


def _figure(name: str, found: Array, pairs: Array, place: Array, angles: Array) -> Figure:
    t = np.arange(len(found)) / MARKER_HZ
    error = rot.log(rot.multiply(found[:, 3:], rot.inverse(rot.from_euler("ZYX", angles))))
    position = [Line(t, 1e3 * found[:, k], f"{'xyz'[k]} (true {1e3 * place[k]:g})") for k in range(3)]
    turns = [Line(t, error[:, k], f"error about {'xyz'[k]}") for k in range(3)]
    paper = [
        Line(np.arange(len(pairs)) / MARKER_HZ, pairs[:, k], f"{'ψθφ'[k]} (true {angles[k]:.3g})") for k in range(3)
    ]
    return Figure(
        f"fig_{name}",
        f"P5 Fig. {name.replace('_', '.')}: the cube held still.",
        (
            Panel("position", "s", "mm", position),
            Panel("orientation, ours", "s", "rad", turns),
            Panel("orientation, the paper's pairs", "s", "rad", paper),
        ),
        columns=3,
    )
