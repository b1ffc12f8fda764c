"""Writes the robots that ship with the package: `python tools/builtin_robots`."""

from __future__ import annotations

from pathlib import Path

import coman
import inmoov
import lamp
import leonardo
import pepper
import puppet

FOLDER = Path(__file__).resolve().parents[2] / "src/bunraku/robots/builtin"


def files() -> dict[Path, str]:
    """Every file of every built-in robot with its text."""
    out: dict[Path, str] = {}
    for robot in (coman, lamp, inmoov, leonardo, pepper, puppet):
        model = robot.build()
        out[FOLDER / model.name / "robot.xml"] = model.xml()
        out[FOLDER / model.name / "robot.yaml"] = model.yaml()
        out.update({FOLDER / model.name / file: mesh for file, mesh in model.meshes.items()})
    return out


if __name__ == "__main__":
    for path, text in files().items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
