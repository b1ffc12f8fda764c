"""A live session from Python: a robot follows a person for a few seconds, then lets go. Nothing real moves."""

from __future__ import annotations

import time

import bunraku as bk
from bunraku.session.live import LiveSession, Plan


def main() -> None:
    """The loop, the watchdog and the simulator are processes of their own: they begin under this guard only."""
    plan = Plan(sources=["synth:conduct"], outputs=["null:"], robot=bk.load_robot("puppet"), seconds=8.0, auto=True)
    state = ""
    with LiveSession(plan) as session:
        while session.running():
            status = session.status()
            if status is not None and status["state"] != state:
                state = status["state"]
                print(f"{state:10} {'; '.join(status['reasons'])}")
            time.sleep(0.05)
    result = session.result()
    print(f"{result['frames']} frames, {result['commands']} commands, ended: {result['ended']}")
    for stage in ("receive", "retarget", "limit", "send", "path"):
        if stage in result["stages_ms"]:
            row = result["stages_ms"][stage]
            print(f"{stage:9} p50 {row['p50']:6.3f} ms   p99 {row['p99']:6.3f} ms")


if __name__ == "__main__":
    main()
