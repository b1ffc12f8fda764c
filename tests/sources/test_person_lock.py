"""One person kept among several."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from bunraku.sources.landmarks import BODY, COUNT, HANDS, Landmarks
from bunraku.sources.person_lock import PictureLock


def somebody(u: float, v: float = 200.0, size: float = 100.0, weight: float = 0.9) -> Landmarks:
    """A body about a pixel."""
    points = np.zeros((COUNT, 2))
    random = np.random.default_rng(0)
    points[: len(BODY)] = random.uniform(-0.5, 0.5, (len(BODY), 2)) * size + [u, v]
    known = np.arange(COUNT) < len(BODY)
    return Landmarks(points, known, np.full(COUNT, weight))


def test_the_largest_is_taken_and_kept() -> None:
    """Also when somebody larger comes, and when the order changes."""
    lock = PictureLock()
    one, other = somebody(100, size=120), somebody(400)
    assert lock.choose([other, one]) is one
    large = somebody(500, size=300)
    moved = somebody(115, size=120)
    assert lock.choose([large, moved, other]) is moved
    assert lock.others == 3


def test_nobody_else_is_taken_while_the_person_may_come_back() -> None:
    """Only after many frames without the person; then it is counted as a change."""
    lock = PictureLock(gone_after=5)
    lock.choose([somebody(100)])
    chosen = [lock.choose([somebody(600)]) for _ in range(7)]
    assert chosen[:6] == [None] * 6
    assert chosen[6] is not None
    assert lock.changes == 1


def test_fingers_that_come_and_go_do_not_matter() -> None:
    """Hands far from the body's middle are no other person."""
    lock = PictureLock()
    for k in range(20):
        one = somebody(100)
        if k % 2:
            one.points[HANDS["left"]], one.known[HANDS["left"]] = [180.0, 120.0], True
        assert lock.choose([one]) is one


def test_too_few_points_are_nobody() -> None:
    """Three points have no size."""
    one = somebody(100)
    one.known[3:] = False
    assert PictureLock().choose([one]) is None


@given(st.lists(st.lists(st.tuples(st.floats(-1e5, 1e5), st.floats(0, 1e4)), max_size=4), max_size=8))
def test_any_people_give_one_of_them_or_nobody(frames: list[list[tuple[float, float]]]) -> None:
    """Also of no size, and far apart."""
    lock = PictureLock()
    for frame in frames:
        people = [somebody(u, size=size) for u, size in frame]
        chosen = lock.choose(people)
        assert chosen is None or any(chosen is one for one in people)
