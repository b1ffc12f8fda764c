"""Bunraku: a person's motion, from any capture device, becomes safe joint commands for any robot.

>>> import bunraku as bk
>>> robot = bk.load_robot("puppet")
>>> motion = bk.read_motion("synth:wave")
>>> result = bk.retarget(motion, robot)
>>> print(bk.evaluate(motion, result))  # doctest: +SKIP
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

__version__ = "0.1.0"

if TYPE_CHECKING:
    from bunraku.errors import BunrakuError as BunrakuError
    from bunraku.evaluate import evaluate as evaluate
    from bunraku.human import HumanMotion as HumanMotion
    from bunraku.human import HumanPose as HumanPose
    from bunraku.retarget import retarget as retarget
    from bunraku.robots import Robot as Robot
    from bunraku.robots import RobotMotion as RobotMotion
    from bunraku.robots import load_robot as load_robot
    from bunraku.sources import read_motion as read_motion

# Public name -> the module that defines it. Imported at first use, so that `import bunraku` costs nothing.
_PUBLIC = {
    "BunrakuError": "bunraku.errors",
    "HumanMotion": "bunraku.human",
    "HumanPose": "bunraku.human",
    "Robot": "bunraku.robots",
    "RobotMotion": "bunraku.robots",
    "evaluate": "bunraku.evaluate",
    "load_robot": "bunraku.robots",
    "read_motion": "bunraku.sources",
    "retarget": "bunraku.retarget",
}

__all__ = ["BunrakuError", "HumanMotion", "HumanPose", "Robot", "RobotMotion",
           "evaluate", "load_robot", "read_motion", "retarget"]  # fmt: skip


class _Package(ModuleType):
    """The rooms `retarget` and `evaluate` bear the names of the functions they are known for: the function wins."""

    def __setattr__(self, name: str, value: object) -> None:
        if not (name in _PUBLIC and isinstance(value, ModuleType)):
            super().__setattr__(name, value)


sys.modules[__name__].__class__ = _Package


def __getattr__(name: str) -> object:
    if name not in _PUBLIC:
        raise AttributeError(f"module 'bunraku' has no attribute '{name}'")
    value: object = getattr(import_module(_PUBLIC[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *_PUBLIC])
