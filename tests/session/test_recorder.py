"""The raw recorder: in a process of its own, never waited for, readable whatever happens."""

from __future__ import annotations

import json
import os
import signal
import time
from pathlib import Path

import numpy as np
import pytest

from bunraku.recording.frames import EVENT, HEADER, TICK, frames
from bunraku.recording.records import VERSION
from bunraku.session.recorder import BYTES, DROPPED, FAILED, WRITTEN, begin_recording

PATIENCE_S = 60.0
HEAD = {"version": VERSION, "robot": "lamp"}


def until(holds, what: str) -> None:
    """It must come."""
    deadline = time.monotonic() + PATIENCE_S
    while not holds():
        assert time.monotonic() < deadline, f"never: {what}"
        time.sleep(0.01)


def test_what_is_handed_over_is_written(tmp_path: Path) -> None:
    """In order, to the last frame, when the line is closed."""
    path = tmp_path / "s.braw"
    link, process = begin_recording(path, HEAD)
    for number in range(200):
        link.put(TICK, number.to_bytes(4, "little"))
        until(lambda number=number: link.counts.array[WRITTEN] + 50 > number, "the recorder keeps up")
    link.close()
    process.join(PATIENCE_S)
    found = list(frames(path))
    assert found[0][0] == HEADER and json.loads(found[0][1])["robot"] == "lamp"
    assert [int.from_bytes(payload, "little") for _, payload in found[1:]] == list(range(200))
    assert link.counts.array[DROPPED] == 0
    assert link.counts.array[BYTES] > 0


def test_a_recorder_that_does_not_keep_up_leaves_a_marked_gap(tmp_path: Path) -> None:
    """While it stands still frames are dropped and counted, at no cost to the loop; later the gap is in the file."""
    path = tmp_path / "s.braw"
    link, process = begin_recording(path, HEAD)
    until(lambda: path.exists() and path.stat().st_size > 0, "the recorder writes")
    assert process.pid is not None
    os.kill(process.pid, signal.SIGSTOP)
    for _ in range(3000):
        link.put(TICK, bytes(4096))
    dropped = int(link.counts.array[DROPPED])
    assert dropped > 1000
    os.kill(process.pid, signal.SIGCONT)
    until(lambda: link.counts.array[WRITTEN] >= 3000 - dropped, "the queue is written")
    link.put(TICK, b"after")
    link.close()
    process.join(PATIENCE_S)
    found = list(frames(path))
    assert found[-1] == (TICK, b"after")
    assert json.loads(found[-2][1]) == {"what": "gap", "frames": dropped}
    assert found[-2][0] == EVENT
    assert sum(kind == TICK for kind, _ in found) == 3001 - dropped


def test_what_was_written_before_a_kill_is_read(tmp_path: Path) -> None:
    """`kill -9` of the recorder costs what came in the last moment; the rest reads, and the loop only counts."""
    path = tmp_path / "s.braw"
    link, process = begin_recording(path, HEAD)
    for number in range(100):
        link.put(TICK, number.to_bytes(4, "little"))
    until(lambda: len(list(frames(path))) >= 101 if path.exists() and path.stat().st_size > 14 else False, "flushed")
    process.kill()
    process.join(PATIENCE_S)
    for _ in range(10):
        link.put(TICK, b"lost")
    assert link.counts.array[DROPPED] == 10
    link.close()
    whole = path.read_bytes()
    path.write_bytes(whole[:-3])
    assert [kind for kind, _ in frames(path)] == [HEADER] + [TICK] * 99


def test_a_full_disk_drops_and_counts() -> None:
    """/dev/full is always full: the recorder gives up with the system's number, the loop goes on."""
    path = Path("/dev/full")
    if not path.exists():
        pytest.skip("no /dev/full here")
    import socket

    from bunraku.mailbox import processes, shared_array
    from bunraku.recording.frames import packed
    from bunraku.session.recorder import RecorderLink, record

    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)
    counts = shared_array(4, np.int64)
    first = packed(HEADER, json.dumps(HEAD).encode())
    process = processes.Process(target=record, args=(path, theirs, counts, first))
    process.start()
    theirs.close()
    process.join(PATIENCE_S)
    assert process.exitcode == 0
    link = RecorderLink(ours, counts)
    link.put(TICK, b"x")
    assert counts.array[FAILED] > 0
    assert counts.array[DROPPED] == 1
    link.close()
