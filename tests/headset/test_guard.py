"""Who may talk to the headset's server, and which headset drives."""

from __future__ import annotations

from bunraku.headset.guard import LEASE_S, MOST_TRIES, TRIES_S, Door, Lease, Rate


def test_a_wrong_token_may_be_tried_five_times_a_minute() -> None:
    """The sixth try is refused even if it is right; another address is not concerned; a minute later it may."""
    door = Door("right")
    for k in range(MOST_TRIES):
        assert "wrong token" in door.refusal("wrong", "a", float(k))
    assert "too many" in door.refusal("right", "a", MOST_TRIES)
    assert not door.refusal("right", "b", MOST_TRIES)
    assert not door.refusal("right", "a", TRIES_S + MOST_TRIES)


def test_what_is_no_token_is_wrong() -> None:
    """Nothing, a number, other letters: refused, and nothing raises."""
    for said in (None, 3, [], "", "ä", "right "):
        assert Door("right").refusal(said, "a", 0.0)
    assert not Door("").refusal(None, "a", 0.0)


def test_addresses_are_forgotten_beyond_a_thousand() -> None:
    """However many come, memory is bounded."""
    door = Door("right")
    for k in range(3000):
        door.refusal("wrong", str(k), 0.0)
    assert len(door._wrong) <= 1024


def test_one_headset_drives() -> None:
    """A second one may begin when the first has left or was silent for the time of the lease; it is another session."""
    lease = Lease()
    assert lease.take("a", 0.0)
    assert not lease.take("b", LEASE_S - 0.1)
    assert lease.renew("a", 3.0)
    assert not lease.renew("b", 3.0)
    assert not lease.take("b", 3.0 + LEASE_S - 0.1)
    assert lease.take("b", 3.0 + LEASE_S)
    assert not lease.renew("a", 9.0), "who lost the lease does not get it back by sending"
    assert not lease.leave("a")
    assert lease.leave("b")
    assert lease.take("a", 9.0)
    assert lease.session == 3


def test_messages_above_the_rate_are_dropped() -> None:
    """Within each second."""
    rate = Rate(2)
    assert [rate.admits(t) for t in (0.1, 0.2, 0.3, 1.1)] == [True, True, False, True]
