"""(being written)"""

from __future__ import annotations

from pathlib import Path

from bunraku.robots.robot import Robot


def load_robot(name_or_path: str | Path) -> Robot:
    raise NotImplementedError
