"""A stand-in for a device: any motion, sent by the device's own protocol, for trying things without the hardware.

examples:
  bunraku fake                                             which there are
  bunraku fake axis-neuron --motion synth:walk             a suit; listen with: bunraku run --source axis-neuron://
  bunraku fake axis-neuron --motion walk.bvh --option udp --port 7012
  bunraku fake leap --motion synth:conduct --option mode=hmd
"""

from __future__ import annotations

import argparse
import select
import time
from typing import TYPE_CHECKING

from bunraku.cli.terminal import note, print_json, print_table
from bunraku.errors import InputError, UnknownNameError

if TYPE_CHECKING:
    from bunraku.sources.fake import Fake, FakeDevice


def configure(parser: argparse.ArgumentParser) -> None:
    """The verb's arguments."""
    parser.add_argument("device", nargs="?", metavar="DEVICE", help="which one (default: list them)")
    parser.add_argument("--motion", default="synth:conduct", help="a file or URI (default: synth:conduct)")
    parser.add_argument("--host", default="127.0.0.1", help="where to listen or to send (default: this machine alone)")
    parser.add_argument("--port", type=int, help="(default: the device's own)")
    parser.add_argument("--rate", type=float, metavar="HZ", help="frames per second (default: the device's own)")
    parser.add_argument("--seconds", type=float, help="how long (default: until Ctrl-C)")
    parser.add_argument(
        "--option", action="append", default=[], metavar="NAME[=VALUE]", help="of the device; repeatable"
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object at the end")


def run(args: argparse.Namespace) -> int:
    """Send until told to stop."""
    from bunraku.sources.fake import fakes, find_fake

    if args.device is None:
        print_table([[f.scheme, f.summary, f.example] for f in fakes().values()], ("device", "what", "example"))
        return 0
    kind = find_fake(args.device)
    options = _options(kind, args.option)
    rate = kind.rate_hz if args.rate is None else args.rate
    port = kind.port if args.port is None else args.port
    if not 1 <= rate <= 1000:
        raise InputError(f"--rate {rate:g}: it must be from 1 to 1000")
    if not 0 <= port < 65536:
        raise InputError(f"--port {port}: it must be from 1 to 65535, or 0 for any that is free")
    if args.seconds is not None and not 0 < args.seconds <= 1e6:
        raise InputError(f"--seconds {args.seconds:g}: it must be above 0")
    from bunraku.human import edited
    from bunraku.sources import read_motion

    motion = edited(read_motion(args.motion), fps=rate)
    if not len(motion):
        raise InputError(f"{args.motion}: it holds no frames")
    device = kind.make(motion, args.host, port, options)
    uri = device.open()
    note(f"bunraku: sending {motion.name} at {rate:g}/s; listen with: bunraku sources watch '{uri}'   (Ctrl-C ends)")
    sent = _send(device, rate, args.seconds)
    if args.json:
        print_json({"device": kind.scheme, "uri": uri, "frames": sent, "rate_hz": rate})
    return 0


def _options(kind: Fake, given: list[str]) -> dict[str, str]:
    out = {}
    for entry in given:
        name, _, value = entry.partition("=")
        if name not in kind.options:
            raise UnknownNameError(f"option of {kind.scheme}", name, kind.options)
        out[name] = value
    return out


def _send(device: FakeDevice, rate_hz: float, seconds: float | None) -> int:
    """At absolute instants, so that no delay adds up; between them clients are answered. Returns the frames sent."""
    begun, frame = time.monotonic(), 0
    try:
        while seconds is None or frame < seconds * rate_hz:
            while (left := begun + frame / rate_hz - time.monotonic()) > 0:
                ready, _, _ = select.select(device.waits_on(), (), (), left)
                if ready:
                    device.receive()
            device.send(frame)
            frame += 1
    except KeyboardInterrupt:
        note("bunraku: stopped")
    finally:
        device.close()
    return frame
