"""A Chromium without a screen, spoken to by its own protocol."""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from websockets.sync.client import ClientConnection, connect

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser")
IWER = Path(__file__).resolve().parents[2] / ".venv/iwer/node_modules/iwer/build/iwer.min.js"
PATIENCE_S = 60.0


class Tab:
    """One page."""

    def __init__(self, link: ClientConnection) -> None:
        self._link, self._number = link, 0
        self.said: list[dict[str, Any]] = []
        """what the browser told by itself: errors, messages of the console"""

    def ask(self, method: str, **params: object) -> dict[str, Any]:
        """A command and its result."""
        self._number += 1
        self._link.send(json.dumps({"id": self._number, "method": method, "params": params}))
        while True:
            message = json.loads(self._link.recv(PATIENCE_S))
            if message.get("id") == self._number:
                assert "error" not in message, message
                return dict(message["result"])
            self.said.append(message)

    def value(self, script: str) -> Any:
        """What a script comes to; promises are waited for. It counts as a person's click."""
        result = self.ask(
            "Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True, userGesture=True
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    def picture(self, path: Path) -> None:
        """What is to be seen, as PNG."""
        path.write_bytes(base64.b64decode(self.ask("Page.captureScreenshot", format="png")["data"]))

    def errors(self) -> list[str]:
        """What went wrong in the page."""
        bad = [m for m in self.said if m["method"] == "Runtime.exceptionThrown"]
        bad += [m for m in self.said if m["method"] == "Log.entryAdded" and m["params"]["entry"]["level"] == "error"]
        return [json.dumps(m["params"]) for m in bad if "favicon" not in json.dumps(m)]


@contextmanager
def tab(folder: Path) -> Iterator[Tab]:
    """An empty page; `folder` is the browser's own."""
    assert CHROMIUM is not None
    command = [CHROMIUM, "--headless=new", "--no-sandbox", "--disable-gpu-sandbox", "--enable-unsafe-swiftshader",
               "--remote-debugging-port=0", f"--user-data-dir={folder}", "--no-first-run", "--window-size=600,700",
               "about:blank"]  # fmt: skip
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        port_file, begun = folder / "DevToolsActivePort", time.monotonic()
        while not port_file.exists() or len(port_file.read_text().split()) < 2:
            assert process.poll() is None and time.monotonic() - begun < PATIENCE_S, "the browser does not begin"
            time.sleep(0.05)
        port, path = port_file.read_text().split()
        with connect(f"ws://127.0.0.1:{port}{path}", max_size=None) as link:
            target = Tab(link).ask("Target.createTarget", url="about:blank")["targetId"]
        with connect(f"ws://127.0.0.1:{port}/devtools/page/{target}", max_size=None) as link:
            page = Tab(link)
            for domain in ("Page", "Runtime", "Log"):
                page.ask(f"{domain}.enable")
            yield page
    finally:
        process.terminate()
        process.wait(PATIENCE_S)
