"""The mapper of the first three papers for arms, neck and trunk: exact, instantaneous, without a solver.

`girard.py` (the first paper) follows the orientation of the upper arm, `hirschmanner.py` (the second) the directions of
upper arm, forearm and hand, `gong.py` (the third) the angles between the person's segments. Hands and face follow as
they do with the whole-body mapper. Bases and legs stay where they are.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from bunraku.retarget.chain_kernels import ChainMemory
from bunraku.retarget.closed_kernels import closed_frames
from bunraku.retarget.closed_model import CHAINS, build_chains, make_memory
from bunraku.retarget.frame_mapper import Clip, FrameMapper
from bunraku.robots import Robot

Array = NDArray[np.float64]

FITTING = ("inmoov", "leonardo", "pepper", "puppet", "romeo")
"""robots by name whose arms the closed forms fit"""


class ClosedFormMapper(FrameMapper):
    """Maps arms, neck and, where asked, the trunk of one robot."""

    parts = CHAINS

    def __init__(self, robot: Robot, name: str, method: int, *, torso: bool = False) -> None:
        self.name = name
        self.chains = build_chains(robot, name, method, torso=torso, fitting=FITTING)
        super().__init__(robot, self.chains.reference if robot.base == "fixed" else -1)

    def make_memory(self) -> ChainMemory:
        """Nothing seen yet."""
        return make_memory()

    def frames(self, memory: ChainMemory, dt_s: float, clip: Clip, out: Array) -> None:
        """Arms, neck and trunk."""
        closed_frames(self.chains, memory, self.robot.neutral, dt_s, clip, out)
