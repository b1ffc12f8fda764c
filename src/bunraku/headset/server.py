"""The server: the page for the headset's browser, and the WebSocket by which its frames come.

Text messages are what is said (JSON), binary ones are frames, which go on as they are. The page says `token` first
where one is asked for, `begin` and `end` of its immersive session, and `presence`; it is told whether it drives, and
how many frames were heard.
"""

from __future__ import annotations

import asyncio
import json
import socket
import ssl
from contextlib import suppress
from dataclasses import dataclass
from http import HTTPStatus
from pathlib import Path
from time import monotonic

from websockets.asyncio.server import Server, ServerConnection, serve
from websockets.datastructures import Headers
from websockets.exceptions import ConnectionClosed
from websockets.http11 import Request, Response
from websockets.typing import Origin

from bunraku.headset.channel import FRAME, LARGEST, STATUS, Channel
from bunraku.headset.guard import Door, Lease, Rate

SOCKET_PATH = "/headset"
MOST_CLIENTS = 16
_MOST_CONNECTIONS = 2 * MOST_CLIENTS
_MOST_PER_SECOND = 200
_PATIENCE_S = 10.0
"""for headers, TLS and the token"""
_WEB = Path(__file__).parent / "web"
PAGES = {
    "/": ("index.html", "text/html; charset=utf-8"),
    "/headset.js": ("headset.js", "text/javascript; charset=utf-8"),
    "/headset.css": ("headset.css", "text/css; charset=utf-8"),
}
"""path → packaged file and its type; nothing else is served"""
_PRESENCE = ("visible", "visible-blurred", "hidden")


@dataclass(frozen=True)
class Settings:
    """What the loop's process decided."""

    hosts: tuple[str, ...]
    """what a request's Host may be"""
    origins: tuple[str, ...]
    """what a WebSocket's Origin may be"""
    token: str = ""
    certificate: str = ""
    key: str = ""


class _Counted(ServerConnection):
    """A connection among at most so many; one too many ends before it is listened to."""

    open_now: set[_Counted] = set()  # noqa: RUF012  of the process, as the port is

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        super().connection_made(transport)
        self.open_now.add(self)
        if len(self.open_now) > _MOST_CONNECTIONS and isinstance(transport, asyncio.Transport):
            transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self.open_now.discard(self)
        super().connection_lost(exc)


class HeadsetServer:
    """All pages that are open, one of which may drive."""

    def __init__(self, settings: Settings, channel: Channel) -> None:
        self._settings, self._channel = settings, channel
        self._door, self._lease = Door(settings.token), Lease()
        self._clients: set[ServerConnection] = set()
        self._presence, self._heard = "", 0
        self._files = {path: (_WEB / name).read_bytes() for path, (name, _) in PAGES.items()}

    async def listen(self, port: socket.socket) -> Server:
        """Begin to serve."""
        tls = None
        if self._settings.certificate:
            tls = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            tls.minimum_version = ssl.TLSVersion.TLSv1_2
            tls.load_cert_chain(self._settings.certificate, self._settings.key)
        server = await serve(
            self._serve, sock=port, ssl=tls, process_request=self._answer, create_connection=_Counted,
            origins=[Origin(origin) for origin in self._settings.origins], compression=None, server_header=None,
            open_timeout=_PATIENCE_S, ping_interval=2.0, ping_timeout=_PATIENCE_S, close_timeout=1.0,
            max_size=LARGEST, max_queue=4, ssl_handshake_timeout=_PATIENCE_S if tls else None,
        )  # fmt: skip
        self._report()
        return server

    def _answer(self, connection: ServerConnection, request: Request) -> Response | None:
        """A page, a refusal, or None: go on to the WebSocket."""
        if request.headers.get_all("Host") not in [[host] for host in self._settings.hosts]:
            return connection.respond(HTTPStatus.FORBIDDEN, "this server is not known by that name\n")
        if request.path == SOCKET_PATH:
            return None
        if request.path not in PAGES:
            return connection.respond(HTTPStatus.NOT_FOUND, "there is no such page\n")
        body = self._files[request.path]
        headers = Headers()
        headers["Content-Type"] = PAGES[request.path][1]
        headers["Content-Length"] = str(len(body))
        headers["Content-Security-Policy"] = "default-src 'self'; frame-ancestors 'none'; base-uri 'none'"
        headers["X-Content-Type-Options"] = "nosniff"
        headers["Referrer-Policy"] = "no-referrer"
        headers["Cache-Control"] = "no-store"
        headers["Connection"] = "close"
        return Response(HTTPStatus.OK.value, HTTPStatus.OK.phrase, headers, body)

    async def _serve(self, client: ServerConnection) -> None:
        if len(self._clients) >= MOST_CLIENTS:
            await client.close(1013, "too many pages are open")
            return
        self._clients.add(client)
        try:
            if refusal := await self._refusal(client):
                await client.close(1008, refusal)
                return
            await self._tell(client, welcome=True)
            self._report()
            rate = Rate(_MOST_PER_SECOND)
            async for message in client:
                if rate.admits(monotonic()):
                    await self._hear(client, message)
        except ConnectionClosed:
            pass
        finally:
            self._clients.discard(client)
            if self._lease.leave(client):
                self._presence = "gone"
            self._report()

    async def _refusal(self, client: ServerConnection) -> str:
        if not self._settings.token:
            return ""
        try:
            said = _object(await asyncio.wait_for(client.recv(), _PATIENCE_S))
        except TimeoutError:
            return "no token came"
        return self._door.refusal(said.get("token"), str(client.remote_address[0]), monotonic())

    async def _hear(self, client: ServerConnection, message: str | bytes) -> None:
        if isinstance(message, bytes):
            if self._lease.renew(client, monotonic()):
                self._channel.send(FRAME, message)
                self._heard += 1
            return
        said = _object(message)
        if said.get("begin") is True:
            driving = self._lease.take(client, monotonic())
            await self._tell(client, driver=driving)
            if driving:
                self._presence, self._heard = "visible", 0
        elif said.get("presence") in _PRESENCE and self._lease.renew(client, monotonic()):
            self._presence = str(said["presence"])
        elif said.get("end") is True and self._lease.leave(client):
            self._presence = "ended"
        self._report()

    async def tell_rates(self) -> None:
        """Every second, to the one that drives: how many frames were heard."""
        while True:
            await asyncio.sleep(1.0)
            if isinstance(driver := self._lease.holder, ServerConnection):
                await self._tell(driver, heard=self._heard)

    async def _tell(self, client: ServerConnection, **what: object) -> None:
        with suppress(ConnectionClosed):
            await client.send(json.dumps(what))

    def _report(self) -> None:
        status = {"pages": len(self._clients), "session": self._lease.session, "presence": self._presence}
        self._channel.send(STATUS, json.dumps(status).encode())


def _object(message: str | bytes) -> dict[str, object]:
    """Of a JSON text; what is none says nothing."""
    try:
        said = json.loads(message)
    except (ValueError, RecursionError):
        return {}
    return said if isinstance(said, dict) else {}
