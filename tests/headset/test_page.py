"""The page in a real browser, with an emulated Quest 3 (IWER): `./dev headset`."""

from __future__ import annotations

import os
import signal
import socket
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest

from bunraku.human.skeleton import INDEX, SIDES
from bunraku.kinematics import rotations as rot
from bunraku.sources.network import Address
from bunraku.sources.webxr import HeadsetSource
from headset.browser import CHROMIUM, IWER, Tab, tab

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None or not IWER.exists(), reason="no Chromium or no IWER: ./dev headset"),
]
PATIENCE_S = 60.0
HEADSET = "globalThis.headset = new IWER.XRDevice(IWER.metaQuest3); headset.installRuntime({forceInstall: true});"


@pytest.fixture
def source() -> Iterator[HeadsetSource]:
    """Served on this machine alone."""
    with socket.create_server(("127.0.0.1", 0)) as port:
        number = int(port.getsockname()[1])
    made = HeadsetSource(Address("127.0.0.1", number))
    made.open(time.monotonic_ns())
    yield made
    made.close()


@pytest.fixture
def page(source: HeadsetSource, tmp_path: Path) -> Iterator[Tab]:
    """The page, as a headset's browser shows it."""
    with tab(tmp_path / "browser") as made:
        made.ask("Page.addScriptToEvaluateOnNewDocument", source=IWER.read_text() + HEADSET)
        made.ask("Page.navigate", url=f"http://localhost:{source._address.port}/")
        yield made


def until(source: HeadsetSource, true: Callable[[], object]) -> None:
    """Wait for what the browser does."""
    begun = time.monotonic()
    while not true():
        source.receive(time.monotonic_ns())
        assert time.monotonic() - begun < PATIENCE_S, source.health(time.monotonic_ns())
        time.sleep(0.01)


def text(page: Tab, name: str) -> str:
    """Of an element."""
    return str(page.value(f"document.getElementById('{name}').textContent"))


def enter(source: HeadsetSource, page: Tab) -> None:
    """Press the button once it can be pressed, and wait for the first frames."""
    until(
        source, lambda: page.value("document.readyState === 'complete' && !document.getElementById('enter').disabled")
    )
    page.value("document.getElementById('enter').click()")
    until(source, lambda: source.health(time.monotonic_ns()).accepted > 40)


def test_a_headset_from_the_button_to_the_pose(source: HeadsetSource, page: Tab, tmp_path: Path) -> None:
    """Head and controllers are where the emulated ones are; hands have all joints; what is shown is so."""
    enter(source, page)
    assert source.health(time.monotonic_ns()).connected
    page.value("headset.position.set(0.25, 1.7, -0.5); headset.controllers.left.position.set(-0.2, 1.2, -0.4);")
    seen = source.health(time.monotonic_ns()).accepted
    until(source, lambda: source.health(time.monotonic_ns()).accepted > seen + 20)
    pose = source.latest(time.monotonic_ns())
    assert pose is not None
    head = INDEX["head"]
    np.testing.assert_allclose(pose.positions[head], [0.5 - 0.10, -0.25, 1.7 - 0.08], atol=1e-3)
    assert np.degrees(rot.angle_between(pose.rotations[head], rot.IDENTITY)) < 1.0
    assert pose.position_valid[INDEX["left_hand"]]
    np.testing.assert_allclose(pose.positions[INDEX["left_hand"]], [0.4, 0.2, 1.2], atol=0.12)
    assert (text(page, "head"), text(page, "left")) == ("tracked", "controller")
    assert text(page, "connection") == "Connected to the program."
    page.picture(tmp_path / "controllers.png")

    page.value("headset.primaryInputMode = 'hand'")
    until(source, lambda: source.latest(0).position_valid[INDEX["left_index_tip"]])  # type: ignore[union-attr]
    pose = source.latest(time.monotonic_ns())
    assert pose is not None
    for side in SIDES:
        first = INDEX[f"{side}_thumb_1"]
        assert pose.position_valid[first : first + 20].all()
        reach = pose.positions[INDEX[f"{side}_middle_tip"]] - pose.positions[INDEX[f"{side}_hand"]]
        assert 0.1 < np.linalg.norm(reach) < 0.25
    health = source.health(time.monotonic_ns())
    assert not health.rejected
    assert not page.errors()
    until(source, lambda: text(page, "left") == "hand")
    page.picture(tmp_path / "hands.png")


def test_recentring_and_taking_it_off(source: HeadsetSource, page: Tab, tmp_path: Path) -> None:
    """The view's reset is a jump; a hidden session is told; leaving ends it, and entering begins another."""
    enter(source, page)
    epoch = source.health(time.monotonic_ns()).epoch
    page.value("headset.recenter()")
    until(source, lambda: source.health(time.monotonic_ns()).epoch > epoch)
    page.value("headset.updateVisibilityState('hidden')")
    until(source, lambda: "taken off" in source.health(time.monotonic_ns()).reason)
    page.value("headset.updateVisibilityState('visible')")
    until(source, lambda: source.health(time.monotonic_ns()).connected)
    page.value("document.getElementById('enter').click()")
    until(source, lambda: "was ended" in source.health(time.monotonic_ns()).reason)
    epoch = source.health(time.monotonic_ns()).epoch
    page.value("document.getElementById('enter').click()")
    until(source, lambda: source.health(time.monotonic_ns()).epoch > epoch)
    assert not page.errors()


def test_a_program_that_ends_is_told_in_the_page(source: HeadsetSource, page: Tab) -> None:
    """In words, and it is looked for again."""
    enter(source, page)
    assert source._child is not None
    os.kill(source._child.number, signal.SIGKILL)
    begun = time.monotonic()
    while "cannot be reached" not in text(page, "connection"):
        assert time.monotonic() - begun < PATIENCE_S
    until(source, lambda: text(page, "connection") == "Connected to the program.")
    until(source, lambda: source.health(time.monotonic_ns()).connected)
