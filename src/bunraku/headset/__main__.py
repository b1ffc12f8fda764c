"""The server's process: `python -m bunraku.headset CHANNEL PORT`, two descriptors that it was given. It ends with the
process that began it. Its settings come as the first packet, so that no list of processes shows the token."""

from __future__ import annotations

import asyncio
import json
import logging
import os
import select
import socket
import sys

from bunraku.headset.channel import LARGEST, Channel
from bunraku.headset.server import HeadsetServer, Settings

_PATIENCE_S = 10.0


async def _run(end: socket.socket, port: socket.socket, settings: Settings) -> None:
    channel = Channel(end, asyncio.get_running_loop())
    headset = HeadsetServer(settings, channel)
    server = await headset.listen(port)
    others = [asyncio.create_task(headset.tell_rates()), asyncio.create_task(_parent_is_gone())]
    await asyncio.wait([asyncio.create_task(channel.gone.wait()), others[1]], return_when=asyncio.FIRST_COMPLETED)
    for task in others:
        task.cancel()
    server.close(close_connections=True)


async def _parent_is_gone() -> None:
    """Where a descriptor was inherited by others, the channel stays open after its owner."""
    parent = os.getppid()
    while os.getppid() == parent:
        await asyncio.sleep(1.0)


def main() -> int:
    """Serve until the other end is gone."""
    logging.getLogger("websockets").addHandler(logging.NullHandler())
    logging.getLogger("websockets").propagate = False
    end, port = (socket.socket(fileno=int(number)) for number in sys.argv[1:3])
    end.setblocking(False)
    ready, _, _ = select.select([end], [], [], _PATIENCE_S)
    first = end.recv(LARGEST) if ready else b""
    if not first:
        return 1
    said = json.loads(first)
    hosts, origins = tuple(said["hosts"]), tuple(said["origins"])
    settings = Settings(hosts, origins, said["token"], said["certificate"], said["key"])
    asyncio.run(_run(end, port, settings))
    return 0


if __name__ == "__main__":
    sys.exit(main())
