"""Connections and datagrams: nothing waits, nothing raises, and the one listened to is the one."""

from __future__ import annotations

import socket
import time

import pytest

from bunraku.errors import InputError
from bunraku.sources.fake_network import Broadcast
from bunraku.sources.network import LEASE_NS, RETRY_NS, Address, Connection, Datagrams


def until(condition: object, do: object) -> None:
    """Do something until it shows; the network of this machine needs its milliseconds."""
    begun = time.monotonic()
    while not condition():
        do()
        assert time.monotonic() - begun < 10.0


@pytest.mark.parametrize(
    "rest, expected",
    [("//10.0.0.2:80", ("10.0.0.2", 80)), ("", ("127.0.0.1", 7)), ("//", ("127.0.0.1", 7)), ("//:9", ("127.0.0.1", 9)),
     ("//suit.local", ("suit.local", 7)), ("//[::1]:5", ("::1", 5)), ("//[::1]", ("::1", 7))],
)  # fmt: skip
def test_addresses(rest: str, expected: tuple[str, int]) -> None:
    """What is missing is the default."""
    address = Address.parse(rest, scheme="x", port=7)
    assert (address.host, address.port) == expected


@pytest.mark.parametrize("rest", ["//a:b", "//a:0", "//a:70000", "//a/b:7"])
def test_no_addresses(rest: str) -> None:
    """What is none says what one looks like."""
    with pytest.raises(InputError, match="x://HOST:PORT"):
        Address.parse(rest, scheme="x", port=7)


def _serve_once(server: Broadcast, link: Connection, now: int) -> None:
    """Let the link in, say hello, and end it."""
    until(lambda: server.clients and link.connected, lambda: (link.receive(now), server.receive()))
    server.send(b"hello")
    got: list[bytes] = []
    until(lambda: got, lambda: got.extend(link.receive(now)))
    assert got == [b"hello"]
    server.drop(server.clients[0])
    until(lambda: not link.connected, lambda: link.receive(now))


def test_a_connection_is_looked_for_again() -> None:
    """Refused, made, ended by the other side, and made again; the reason is there in words meanwhile."""
    server = Broadcast("127.0.0.1", 0)
    server.open()
    port = server.port
    server.close()
    begun: list[int] = []
    link = Connection(Address("127.0.0.1", port), begun=lambda: begun.append(1))
    link.open(0)
    until(lambda: "nothing answers" in link.reason and "refused" in link.reason, lambda: link.receive(0))
    server = Broadcast("127.0.0.1", port)
    server.open()
    for now in (2 * RETRY_NS, 4 * RETRY_NS):
        _serve_once(server, link, now)
        assert "closed the connection" in link.reason
    assert len(begun) == 2
    link.close()
    server.close()


def test_a_flood_is_read_in_bounded_pieces() -> None:
    """However much comes, one reading ends."""
    server = Broadcast("127.0.0.1", 0)
    server.open()
    link = Connection(Address("127.0.0.1", server.port))
    link.open(0)
    until(lambda: server.clients and link.connected, lambda: (link.receive(0), server.receive()))
    server.clients[0].setblocking(True)
    server.clients[0].settimeout(0.2)
    with pytest.raises(OSError):
        while True:
            server.clients[0].sendall(b"x" * (1 << 20))
    assert sum(map(len, link.receive(0))) <= (1 << 18) + (1 << 16)
    link.close()
    server.close()


def test_unknown_hosts_are_refused() -> None:
    """At once, with the name."""
    with pytest.raises(InputError, match="no such host"):
        Connection(Address("no-such-host.invalid", 1)).open(0)


def test_the_first_sender_holds_the_port() -> None:
    """A second one is counted, and takes over only when the first one has fallen silent."""
    port = Datagrams(Address("127.0.0.1", 1), allowed=None)
    port._address = Address("127.0.0.1", 0)
    port.open(0)
    first, second = (socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2))
    where = ("127.0.0.1", port.port)
    first.sendto(b"a", where)
    second.sendto(b"b", where)
    got: list[bytes] = []
    until(lambda: port.strangers, lambda: got.extend(port.receive(1)))
    assert got == [b"a"]
    assert port.connected
    assert port.receive(1 + LEASE_NS) == []
    assert not port.connected
    assert "any more" in port.reason
    second.sendto(b"b", where)
    until(lambda: len(got) == 2, lambda: got.extend(port.receive(1 + LEASE_NS)))
    assert got[1] == b"b"
    for end in (first, second, port):
        end.close()


def test_other_machines_must_be_named() -> None:
    """A port open to the network wants the address of the one that may send."""
    with pytest.raises(InputError, match="from=ADDRESS"):
        Datagrams(Address("0.0.0.0", 9000))
    port = Datagrams(Address("0.0.0.0", 0), allowed="10.9.8.7")
    port.open(0)
    sender = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    sender.sendto(b"a", ("127.0.0.1", port.port))
    until(lambda: port.strangers, lambda: port.receive(1))
    assert not port.connected
    sender.close()
    port.close()


def test_a_port_that_is_taken_is_refused() -> None:
    """With the reason of the system."""
    taken = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
    taken.bind(("127.0.0.1", 0))
    with pytest.raises(InputError, match="cannot be listened to"):
        Datagrams(Address("127.0.0.1", taken.getsockname()[1])).open(0)
    taken.close()
