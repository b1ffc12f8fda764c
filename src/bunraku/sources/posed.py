"""Any format's skeleton in some of its poses: what is needed to find a person in it.

A skeleton's nodes are its joints and then the ends of its chains (a BVH's end sites), which have places but no axes.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

# Two nodes nearer to each other than this part of the skeleton's longest bone stand at one place.
_SAME_PLACE = 1e-3


@dataclass(frozen=True, eq=False, kw_only=True)
class PosedSkeleton:
    """Joints and ends of a skeleton in some poses of it, in its own unit and axes. B joints, N nodes, S poses."""

    names: tuple[str, ...]
    """(B,)"""
    parents: NDArray[np.int32]
    """(N,) -1 for a root; parents come before children"""
    positions: Array
    """(S, N, 3) S >= 1"""
    rotations: Array
    """(S, B, 4)"""
    zero: Array
    """(N, 3) positions in the pose in which all rotations are zero"""
    lengths: Array = field(init=False)
    """(N,) mean distance to the parent; 0 for a root"""
    reach: Array = field(init=False)
    """(N,) length of the longest chain from the node's parent through the node to a leaf"""
    children: tuple[tuple[int, ...], ...] = field(init=False)
    """(N,)"""

    def __post_init__(self) -> None:
        parent = np.maximum(self.parents, 0)
        lengths = np.linalg.norm(self.positions - self.positions[:, parent], axis=-1).mean(0)
        lengths[self.parents < 0] = 0.0
        children: list[list[int]] = [[] for _ in self.parents]
        reach = lengths.copy()
        for node, above in reversed(list(enumerate(self.parents.tolist()))):
            if above >= 0:
                children[above].insert(0, node)
                reach[above] = max(reach[above], lengths[above] + reach[node])
        object.__setattr__(self, "reach", reach)
        object.__setattr__(self, "lengths", lengths)
        object.__setattr__(self, "children", tuple(map(tuple, children)))

    @property
    def joint_count(self) -> int:
        """B"""
        return len(self.names)

    @property
    def tiny(self) -> float:
        """Distances below this are none."""
        return _SAME_PLACE * float(self.lengths.max(initial=0.0))

    def distance(self, a: int, b: int) -> float:
        """Mean distance of two nodes over the poses."""
        return float(np.linalg.norm(self.positions[:, a] - self.positions[:, b], axis=-1).mean())

    def apart(self, a: int, b: int) -> bool:
        """Whether two nodes stand at different places."""
        return self.distance(a, b) > self.tiny

    def path(self, node: int) -> list[int]:
        """From the root down to the node."""
        out = [node]
        while self.parents[out[-1]] >= 0:
            out.append(int(self.parents[out[-1]]))
        return out[::-1]

    def below(self, node: int, ancestor: int) -> bool:
        """Whether the node hangs on the ancestor."""
        return node != ancestor and ancestor in self.path(node)

    def common(self, nodes: Iterable[int]) -> list[int]:
        """The common ancestors of the nodes, themselves included, from the root down."""
        paths = [self.path(node) for node in nodes]
        return [level[0] for level in zip(*paths, strict=False) if len(set(level)) == 1]

    def descendants(self, node: int) -> list[int]:
        """All nodes under this one, parents before children."""
        out: list[int] = []
        todo = list(self.children[node])
        while todo:
            out.append(todo.pop())
            todo += self.children[out[-1]]
        return sorted(out)

    def longest_path(self, node: int) -> list[int]:
        """From the node's child to the leaf that is farthest along the bones; empty at a leaf."""
        out: list[int] = []
        while self.children[node]:
            node = max(self.children[node], key=lambda child: (self.reach[child], -child))
            out.append(node)
        return out
