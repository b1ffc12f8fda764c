"""What a session tells about itself: a few times a second while it runs, and at its end."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from bunraku.session.trace import percentiles

if TYPE_CHECKING:
    from bunraku.session.loop import Loop

MOST_JOINTS = 12
"""of those that their limits hold back, the most frequent"""
_MOST_CHANGES = 64


def status(loop: Loop, now_ns: int) -> dict[str, Any]:
    """All that a terminal shows, ready for JSON."""
    decision = loop.guarded.decision if loop.guarded else None
    return {
        "now_ns": now_ns,
        "state": loop.state.value,
        "reasons": list(decision.reasons) if decision else ["starting"],
        "needs": decision.needs if decision else "",
        "weight": round(decision.weight, 3) if decision else 0.0,
        "held": sorted(decision.held) if decision else [],
        "ticks": loop.ticks,
        "frames": loop.frames,
        "sent": loop.sent,
        "overruns": loop.overruns,
        "changes": loop.change_count,
        "sources": [source_row(view) for view in (intake.view(now_ns) for intake in loop.person.intakes)],
        "limited": limited(loop),
        "tracking_rad": round(loop.robot_side.seen(now_ns).tracking_rad, 4),
    }


def source_row(view: Any) -> dict[str, Any]:
    """One source."""
    health = view.health
    age = health.age_s if health.age_s < 1e6 else None
    return {
        "name": view.name,
        "connected": health.connected,
        "age_ms": None if age is None else round(1e3 * age, 1),
        "rate_hz": round(health.rate_hz, 1),
        "jitter_ms": round(1e3 * health.jitter_s, 2),
        "received": health.received,
        "accepted": view.accepted,
        "lost": health.lost,
        "rejected": view.rejected,
        "reason": view.reason,
    }


def limited(loop: Loop) -> dict[str, int]:
    """Joint → ticks in which a limit held it back, the most frequent first."""
    names = [*loop.robot_side.robot.joint_names, "base place", "base turn"]
    return {names[joint]: count for joint, count in loop.limited.most_common(MOST_JOINTS)}


def summary(loop: Loop, now_ns: int, *, ended: str, dropped: int) -> dict[str, Any]:
    """What remains of a session."""
    sources = status(loop, now_ns)["sources"]
    return {
        "ended": ended,
        "robot": loop.robot_side.robot.name,
        "seconds": round(loop.ticks * loop.period_s, 3),
        "ticks": loop.ticks,
        "frames": loop.frames,
        "commands": loop.sent,
        "lost": sum(row["lost"] for row in sources),
        "rejected": sum(sum(row["rejected"].values()) for row in sources),
        "overruns": loop.overruns,
        "state": loop.state.value,
        "sources": sources,
        "stages_ms": stages_ms(loop),
        "changes": [asdict(change) for change in list(loop.changes)[-_MOST_CHANGES:]],
        "limits_hit": limited(loop),
        "recording_dropped": dropped,
    }


def stages_ms(loop: Loop) -> Mapping[str, Mapping[str, float]]:
    """Stage → p50, p95, p99, max in milliseconds, and how many."""
    worst = loop.trace.worst_ms()
    return {
        name: {key: round(value, 4) for key, value in {**row, "max": worst[name]}.items()}
        for name, row in percentiles(loop.trace.counts()).items()
    }
