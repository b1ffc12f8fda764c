"""A folder that OpenPose is writing to, as a live source: one file a frame, taken as soon as it is whole."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from pathlib import Path

from bunraku.errors import InputError
from bunraku.human import HumanPose
from bunraku.sources.camera_person import CameraPerson
from bunraku.sources.health import Health, Tally
from bunraku.sources.openpose_frames import FrameReader, Setup, depth_files, keypoint_files

_LIST_NS = 500_000_000
"""between two looks at a whole folder; in between the next names are tried"""
_LOOK_NS = 4_000_000
_MOST_AT_ONCE = 16
_PNG_END = b"IEND\xaeB`\x82"
_TAIL = 64
"""bytes at the end of a file that are read to see whether it is whole"""


class Names:
    """Files of a folder by number; the next ones are found without reading the folder again."""

    def __init__(self, files: Callable[[], dict[int, Path]]) -> None:
        self._files = files
        self._parts: tuple[Path, str, int, str] | None = None
        self.oldest = -1
        """the least number of the last look"""

    @property
    def known(self) -> bool:
        """Whether there was a file whose name tells the next ones."""
        return self._parts is not None

    def list(self) -> int:
        """Look at all; the greatest number, -1 where there is none."""
        files = self._files()
        if not files:
            return -1
        self.oldest, newest = min(files), max(files)
        found = list(re.finditer(r"\d+", files[newest].stem))[-1]
        name = files[newest].name
        self._parts = files[newest].parent, name[: found.start()], len(found[0]), name[found.end() :]
        return newest

    def path(self, number: int) -> Path | None:
        """The file of a number, if it is there."""
        if self._parts is None:
            return None
        folder, before, width, after = self._parts
        path = folder / f"{before}{number:0{width}d}{after}"
        return path if path.exists() else None


class OpenPoseFolder:
    """A `Source`. What was there at the beginning is not shown."""

    def __init__(self, given: Setup) -> None:
        self._given = given
        self._reader = FrameReader(given)
        self._person = CameraPerson(given.kind)
        self._tally = Tally()
        self._names = [Names(lambda folder=folder: keypoint_files(folder)) for folder in given.folders]  # type: ignore[misc]
        self._depths = Names(lambda: depth_files(given))
        self._done = -1
        self._looked_ns: int | None = None
        self._listed_ns = 0
        self._newest: HumanPose | None = None
        self._reason = "not open"
        self._changes = 0

    def open(self, now_ns: int) -> None:
        """From the files that come after now."""
        self._done = max(names.list() for names in self._names)
        self._depths.list()
        self._looked_ns, self._listed_ns, self._reason = now_ns, now_ns, "no new file yet"

    def waits_on(self) -> Sequence[int]:
        """Nothing: folders tell nobody."""
        return ()

    def receive(self, now_ns: int) -> None:
        """Frames that came, the newest of them where they are many."""
        if self._looked_ns is None or now_ns - self._looked_ns < _LOOK_NS:
            return
        self._looked_ns = now_ns
        wanted = [*self._names, self._depths] if self._given.depth is not None else self._names
        if not all(names.known for names in wanted):
            self._search(first=True)
        taken = 0
        while taken < _MOST_AT_ONCE and (paths := self._next(self._done + 1)) is not None:
            self._done, taken, self._listed_ns = self._done + 1, taken + 1, now_ns
            self._frame(paths, self._depths.path(self._done), now_ns)
        if not taken and now_ns - self._listed_ns >= _LIST_NS:
            self._listed_ns = now_ns
            self._search()

    def _next(self, number: int) -> list[Path] | None:
        """Every camera's file of a frame, when all of them, and the depth picture if one is wanted, are whole."""
        paths = [names.path(number) for names in self._names]
        whole = [path for path in paths if path is not None and _ends_with(path, b"}")]
        if len(whole) < len(paths):
            return None
        if self._given.depth is not None:
            depth = self._depths.path(number)
            if depth is None or not _ends_with(depth, _PNG_END):
                self._reason = f"no depth picture for {whole[0].name} yet"
                return None
        return whole

    def _search(self, *, first: bool = False) -> None:
        """Frames may have been left out, or begun at another number: go on with the newest."""
        try:
            newest = min(names.list() for names in self._names)
            self._depths.list()
        except InputError as error:
            self._reason = str(error)
            return
        if first:
            # The folder was empty until now: nothing of what is there was seen, or is old.
            self._done = max(self._done, min(names.oldest for names in self._names) - 1)
        elif newest > self._done + 1:
            self._tally.lose(newest - self._done - 1)
            self._done = newest - 1

    def _frame(self, paths: Sequence[Path], depth: Path | None, now_ns: int) -> None:
        self._reader.fault = ""
        views = self._reader.views(paths)
        if self._given.kind == "flat" and views[0] is not None:
            self._reader.flat.learn(views[0])
        placed = self._reader.place(views, depth)
        if self._reader.fault:
            self._tally.reject(self._reader.fault)
            return
        self._tally.accept(now_ns)
        changes = sum(lock.changes for lock in self._reader.locks)
        if changes > self._changes:
            self._changes, self._person = changes, CameraPerson(self._given.kind)
            self._tally.jump()
        self._reason = "" if placed is not None else "nobody in the picture"
        if placed is not None:
            self._newest = self._person.pose(*placed, now_ns=now_ns)

    def latest(self, now_ns: int) -> HumanPose | None:
        """The newest pose, of any age."""
        return self._newest

    def health(self, now_ns: int) -> Health:
        """Connected while somebody is seen in new files."""
        return self._tally.health(now_ns, connected=not self._reason, reason=self._reason)

    def close(self) -> None:
        """End."""
        self._looked_ns, self._reason = None, "closed"


def _ends_with(path: Path, end: bytes) -> bool:
    """Whether a file has been written to its end."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            file.seek(max(size - _TAIL, 0))
            return file.read(_TAIL).rstrip(b" \t\r\n").endswith(end)
    except OSError:
        return False
