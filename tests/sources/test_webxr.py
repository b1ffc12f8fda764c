"""A headset's page, its server, and what comes of them: the server is the real process, its clients are Python's."""

from __future__ import annotations

import json
import os
import signal
import socket
import ssl
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import ExitStack, suppress
from http.client import HTTPException
from pathlib import Path

import numpy as np
import pytest
from websockets.exceptions import ConnectionClosed, InvalidStatus
from websockets.sync.client import ClientConnection, connect

from bunraku.errors import InputError
from bunraku.human import HumanMotion
from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources import read_motion
from bunraku.sources.fake import find_fake
from bunraku.sources.health import Tally
from bunraku.sources.network import Address
from bunraku.sources.webxr import DEVICE, HeadsetDecoder, HeadsetSource, Served
from bunraku.sources.webxr_fake import captured_messages, xr_message
from bunraku.sources.webxr_frames import XrFrames
from shared import data, need

PATIENCE_S = 20.0
NOW = 1_000_000_000


@pytest.fixture(scope="module")
def motion() -> HumanMotion:
    """A person who conducts."""
    return read_motion("synth:conduct?seconds=0.5&fps=72")


def free_port() -> int:
    """One that nobody has."""
    with socket.create_server(("127.0.0.1", 0)) as port:
        return int(port.getsockname()[1])


@pytest.fixture
def source() -> Iterator[HeadsetSource]:
    """Served on this machine alone."""
    made = HeadsetSource(Address("127.0.0.1", free_port()))
    made.open(NOW)
    yield made
    made.close()


def until(source: HeadsetSource, true: Callable[[], object]) -> None:
    """Wait for what another process does."""
    begun = time.monotonic()
    while not true():
        source.receive(NOW)
        assert time.monotonic() - begun < PATIENCE_S, source.health(NOW)
        time.sleep(0.002)


def page_of(source: HeadsetSource, **more: object) -> ClientConnection:
    """The WebSocket as the page opens it."""
    where = source._address
    options = {"origin": f"http://{where}", "open_timeout": PATIENCE_S, "compression": None} | more
    return connect(f"ws://{where}/headset", **options)  # type: ignore[arg-type]


def begun(page: ClientConnection) -> object:
    """Whether a page that has just connected drives."""
    assert json.loads(page.recv(PATIENCE_S)) == {"welcome": True}
    page.send('{"begin":true}')
    return json.loads(page.recv(PATIENCE_S))["driver"]


def test_messages_of_a_motion_are_its_poses(motion: HumanMotion) -> None:
    """Head, wrists and fingers come back to a hundredth of a millimetre and of a degree."""
    frames = XrFrames()
    for row in range(len(motion)):
        pose = frames.pose(xr_message(motion, row, row), 0)
        assert not isinstance(pose, str), pose
        known = pose.position_valid
        assert known.sum() == 1 + 2 * 21
        np.testing.assert_allclose(pose.positions[known], motion.positions[row][known], atol=1e-5)
        turned = pose.rotation_valid & motion.rotation_valid[row]
        assert turned.sum() >= 3
        assert np.degrees(rot.angle_between(pose.rotations, motion.rotations[row])[turned]).max() < 0.01


def test_frames_through_the_server(source: HeadsetSource, motion: HumanMotion) -> None:
    """The stand-in's frames come out as poses, each once, in order; then it is gone, and that is said."""
    assert "open http://localhost:" in source.health(NOW).reason
    device = find_fake("webxr").make(motion, "127.0.0.1", source._address.port, {})
    device.open()
    begun_s = time.monotonic()
    while not source.health(NOW).connected:
        device.receive()
        source.receive(NOW)
        assert time.monotonic() - begun_s < PATIENCE_S
        time.sleep(0.002)
    for row in range(len(motion)):
        before = source.latest(NOW)
        device.send(row)
        until(source, lambda before=before: source.latest(NOW) is not before)
        pose = source.latest(NOW)
        assert pose is not None
        for side in SIDES:
            wrist = INDEX[f"{side}_hand"]
            np.testing.assert_allclose(pose.positions[wrist], motion.positions[row, wrist], atol=1e-5)
    health = source.health(NOW)
    assert (health.accepted, health.lost, health.epoch) == (len(motion), 0, 0)
    assert not health.rejected
    device.close()
    until(source, lambda: not source.health(NOW).connected)
    assert "was closed" in source.health(NOW).reason


def test_the_real_session(source: HeadsetSource, motion: HumanMotion) -> None:
    """Quest 3 frames through the server: all are read, and fingers' bones keep their lengths to 2 %."""
    (path,) = need(data("webxr/iwer_quest3_capture.json"))
    messages = captured_messages(path)
    places = []
    with page_of(source) as page:
        assert begun(page) is True
        for message in messages[::4]:
            before = source.latest(NOW)
            page.send(json.dumps(message).encode())
            time.sleep(0.006)  # more than 200 a second are dropped
            until(source, lambda before=before: source.latest(NOW) is not before)
            pose = source.latest(NOW)
            assert pose is not None
            if pose.position_valid[INDEX["left_index_1"]] and pose.position_valid[INDEX["right_index_1"]]:
                places.append(pose.positions)
    assert not source.health(NOW).rejected
    assert len(places) > 50
    for side in SIDES:
        chain = [INDEX[f"{side}_middle_{part}"] for part in ("1", "2", "3")]
        bones = np.linalg.norm(np.diff(np.array(places)[:, chain], axis=1), axis=-1)
        assert (bones.std(axis=0) < 0.02 * bones.mean(axis=0)).all()


def test_a_second_headset_is_told(source: HeadsetSource) -> None:
    """It does not drive, and its frames go nowhere; when the first has ended it may, and that is a jump."""
    with page_of(source) as first, page_of(source) as second:
        assert begun(first) is True
        assert begun(second) is False
        second.send(b'{"seq": 1, "head": [0, 1.6, 0, 0, 0, 0, 1]}')
        second.send('{"presence": "hidden"}')
        first.send(b'{"seq": 1, "head": [0, 1.7, 0, 0, 0, 0, 1]}')
        until(source, lambda: source.health(NOW).accepted)
        assert source.health(NOW).connected
        first.send('{"end": true}')
        until(source, lambda: not source.health(NOW).connected)
        assert "was ended" in source.health(NOW).reason
        second.send('{"begin": true}')
        until(source, lambda: source.health(NOW).connected)
    health = source.health(NOW)
    assert (health.accepted, health.epoch) == (1, 1)


def test_a_headset_that_is_taken_off_says_so(source: HeadsetSource) -> None:
    """Hidden: not connected, with the reason; visible again: all is well."""
    with page_of(source) as page:
        begun(page)
        page.send('{"presence": "hidden"}')
        until(source, lambda: "taken off" in source.health(NOW).reason)
        assert not source.health(NOW).connected
        page.send('{"presence": "visible"}')
        until(source, lambda: source.health(NOW).connected)
        assert not source.health(NOW).reason


def request(url: str, host: str | None = None) -> tuple[int, dict[str, str], bytes]:
    """One page, at the server's leisure."""
    asked = urllib.request.Request(url, headers={} if host is None else {"Host": host})
    try:
        with urllib.request.urlopen(asked, timeout=PATIENCE_S) as answer:
            return answer.status, dict(answer.headers), answer.read()
    except urllib.error.HTTPError as error:
        with error:
            return error.code, dict(error.headers), error.read()


def test_the_page(source: HeadsetSource) -> None:
    """Served with a policy that lets nothing from elsewhere in; no other path is."""
    url = f"http://{source._address}"
    for path, kind in (("/", "text/html"), ("/headset.js", "text/javascript"), ("/headset.css", "text/css")):
        status, headers, body = request(url + path)
        assert status == 200
        assert headers["Content-Type"].startswith(kind)
        assert headers["Content-Security-Policy"].startswith("default-src 'self'")
        assert headers["X-Content-Type-Options"] == "nosniff"
        assert b"http://" not in body and b"https://" not in body, "nothing from elsewhere"
    for path in ("/../server.py", "/%2e%2e/server.py", "/web/", "/index.html?", "/?token=x", "//"):
        assert request(url + path)[0] == 404


def test_other_names_are_refused(source: HeadsetSource) -> None:
    """A page elsewhere whose name was bent to this machine gets nothing."""
    port = source._address.port
    assert request(f"http://127.0.0.1:{port}/", "evil.example")[0] == 403
    assert request(f"http://127.0.0.1:{port}/", f"evil.example:{port}")[0] == 403
    assert request(f"http://127.0.0.1:{port}/", f"localhost:{port}")[0] == 200


@pytest.mark.parametrize("origin", [None, "http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:1"])
def test_other_origins_are_refused(source: HeadsetSource, origin: str | None) -> None:
    """A page of another site, or a client that says none, gets no WebSocket."""
    with pytest.raises(InvalidStatus, match="403"):
        page_of(source, origin=origin)


def test_messages_that_are_too_large_end_the_page(source: HeadsetSource) -> None:
    """And the source goes on with the next one."""
    with page_of(source) as page:
        begun(page)
        page.send(b"x" * (64 * 1024 + 1))
        with pytest.raises(ConnectionClosed, match="1009"):
            page.recv(PATIENCE_S)
    with page_of(source) as page:
        assert begun(page) is True


def test_sixteen_pages_and_no_more(source: HeadsetSource) -> None:
    """The seventeenth is told; when one leaves there is room again."""
    with ExitStack() as pages:
        for _ in range(16):
            page = pages.enter_context(page_of(source))
            assert json.loads(page.recv(PATIENCE_S)) == {"welcome": True}
        with page_of(source) as more, pytest.raises(ConnectionClosed, match="too many pages"):
            more.recv(PATIENCE_S)
    with page_of(source) as page:
        assert begun(page) is True


@pytest.mark.slow
def test_who_says_nothing_is_let_go(source: HeadsetSource) -> None:
    """Half a request is waited for ten seconds; more than thirty-two such connections end at once."""
    where = (source._address.host, source._address.port)
    with ExitStack() as held:
        silent = [held.enter_context(socket.create_connection(where, PATIENCE_S)) for _ in range(40)]
        for one in silent:
            one.sendall(b"GET / HTTP/1.1\r\n")
        begun_s = time.monotonic()
        ends = []
        for one in silent:
            with suppress(ConnectionError):
                while one.recv(4096):
                    pass
            ends.append(time.monotonic() - begun_s)
        assert max(ends) < PATIENCE_S
    assert request(f"http://{source._address}/")[0] == 200


def test_junk_is_counted(source: HeadsetSource) -> None:
    """What is no frame, and what is said that means nothing."""
    with page_of(source) as page:
        begun(page)
        for text in ("[", "[1]", '{"begin": 3}', '{"presence": "x"}', "[" * 5000):
            page.send(text)
        for junk in (b"\xff\x00", b"[]", b'{"head": [1]}'):
            page.send(junk)
            seen = sum(source.health(NOW).rejected.values())
            until(source, lambda seen=seen: sum(source.health(NOW).rejected.values()) > seen)
        assert source.health(NOW).connected
    assert source.health(NOW).accepted == 0


def test_a_server_that_ended_begins_again(source: HeadsetSource) -> None:
    """After a moment, on the same port; a new session is a jump."""
    with page_of(source) as page:
        begun(page)
        until(source, lambda: source.health(NOW).connected)
        assert source._child is not None
        os.kill(source._child.number, signal.SIGKILL)
        until(source, lambda: "begins again" in source.health(NOW).reason)
    source.receive(NOW + 2_000_000_000)
    with page_of(source) as page:
        assert begun(page) is True
        until(source, lambda: source.health(NOW).connected)
    assert source.health(NOW).epoch == 1


def test_the_server_ends_with_its_owner(source: HeadsetSource) -> None:
    """The end of the channel is enough."""
    child = source._child
    assert child is not None and child._process is not None and child._channel is not None
    with page_of(source):
        pass
    child._channel.close()
    assert child._process.wait(PATIENCE_S) == 0
    child._channel = None


def test_over_the_network_with_a_token(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """TLS of this installation's key; no token, a wrong one and the sixth try are refused; the right one drives."""
    pytest.importorskip("cryptography")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("bunraku.sources.webxr.is_local", lambda host: False)
    source = HeadsetSource(Address("127.0.0.1", free_port()))
    source.open(NOW)
    try:
        served = source._served
        reason = source.health(NOW).reason
        assert f"https://{source._address}/#{served.token}" in reason
        assert served.fingerprint in reason
        trust = ssl.create_default_context(cafile=served.certificate)
        where = {"uri": f"wss://{source._address}/headset", "ssl": trust, "origin": f"https://{source._address}"}
        with connect(**where, open_timeout=PATIENCE_S) as page:  # type: ignore[arg-type]
            page.send(json.dumps({"token": served.token}))
            assert begun(page) is True
            page.send(b'{"seq": 1, "head": [0, 1.7, 0, 0, 0, 0, 1]}')
            until(source, lambda: source.health(NOW).accepted)
        for said in ("{}", '{"token": 1}', '{"token": "x"}', "[", '{"begin": true}', f'{{"token": "{served.token}"}}'):
            with connect(**where, open_timeout=PATIENCE_S) as page:  # type: ignore[arg-type]
                page.send(said)
                with pytest.raises(ConnectionClosed, match="too many tries" if served.token in said else "wrong token"):
                    page.recv(PATIENCE_S)
        with pytest.raises((OSError, HTTPException)):
            request(f"http://{source._address}/")
    finally:
        source.close()


def test_the_token_is_in_no_list_of_processes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It goes to the server by the channel."""
    pytest.importorskip("cryptography")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setattr("bunraku.sources.webxr.is_local", lambda host: False)
    source = HeadsetSource(Address("127.0.0.1", free_port()))
    source.open(NOW)
    try:
        assert source._child is not None
        seen = Path(f"/proc/{source._child.number}/cmdline")
        if not seen.exists():
            pytest.skip("no /proc here")
        assert (
            source._served.token.encode() not in seen.read_bytes() + Path(f"/proc/{os.getpid()}/cmdline").read_bytes()
        )
    finally:
        source.close()


def packets(*messages: object) -> tuple[Tally, HeadsetDecoder]:
    """Frames to a decoder, bytes as they are."""
    tally = Tally()
    decoder = HeadsetDecoder(tally)
    for k, message in enumerate(messages):
        decoder.feed(message if isinstance(message, bytes) else b"F" + json.dumps(message).encode(), k)
    return tally, decoder


def test_frames_that_never_came_and_late_ones() -> None:
    """By the page's numbers."""
    tally, _ = packets(*({"seq": seq} for seq in (5, 6, 9, 9, 8, 10)))
    assert (tally.accepted, tally.lost) == (4, 2)
    assert tally.rejected == {"late or sent twice": 2}


def test_recentring_is_a_jump() -> None:
    """Of the person's world, once."""
    tally, _ = packets(*({"seq": k, "epoch": epoch} for k, epoch in enumerate((1, 1, 2, 2))))
    assert tally.epoch == 1


@pytest.mark.parametrize("packet", [b"", b"F", b"S", b"S[]", b'S{"pages":"x","session":[]}', b"X{}", b"F{", b"F" * 9])
def test_any_packet_is_read_or_counted(packet: bytes) -> None:
    """Nothing raises."""
    packets(packet)


def test_wrong_addresses_are_refused() -> None:
    """All addresses at once, a port that is none, one that is taken."""
    with pytest.raises(InputError, match="name the address"):
        DEVICE.open("//0.0.0.0", {})
    with pytest.raises(InputError, match="webxr://HOST:PORT"):
        DEVICE.open("//127.0.0.1:port", {})
    with socket.create_server(("127.0.0.1", 0)) as taken:
        source = HeadsetSource(Address("127.0.0.1", int(taken.getsockname()[1])))
        with pytest.raises(InputError, match="cannot be listened to"):
            source.open(NOW)
    assert Served(Address("::1", 8766)).settings()["hosts"] == ["127.0.0.1:8766", "[::1]:8766", "localhost:8766"]
