"""Codex's files: rollouts by date, archived ones in one folder, compressed when cold, and in pages when long."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

from memory.disk import Item, Tree
from memory.transcripts import fields, lines, places
from memory.transcripts.codex.turns import CodexParser
from memory.transcripts.drafts import Draft
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location, is_file
from memory.transcripts.readers import Pages, Pass, Reader

_UUID = r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}"
NAME = re.compile(
    rf"rollout-(?P<time>\d{{4}}-\d\d-\d\dT\d\d-\d\d-\d\d)-(?P<thread>{_UUID})(?P<page>_{_UUID})?\.jsonl(?P<packed>\.zst)?"
)
_FOLDER = re.compile(r"sessions/\d{4}/\d\d/\d\d|archived_sessions")

# Most of the bytes of a long rollout are repeated in these lines, which hold the history for the model once more.
_COMPACTED = rb'\{"timestamp":"[^"]*",(?:"ordinal":\d+,)?"type":"compacted"'


def _at(tree: Tree, path: str, session: str) -> Pages:
    """Give the thread that a file belongs to; the file itself comes first among copies of one page."""
    folder, _, name = path.rpartition("/")
    match = NAME.fullmatch(name)
    if not match or not _FOLDER.fullmatch(folder) or not is_file(tree, path):
        return ()
    return _thread(tree, match["thread"], first=path)


def _find(tree: Tree, session: str, hint: str) -> Pages:
    return _thread(tree, session, first="") if re.fullmatch(_UUID, session) else ()


def threads(tree: Tree, *, only: str = "", first: str = "") -> dict[str, Pages]:
    """Collect the pages of all threads, or of one, in their order, each page from the best of its copies."""
    best: dict[str, dict[str, tuple[tuple[bool, bool, bool], str, str]]] = defaultdict(dict)
    for folder, item in _rollouts(tree):
        match = NAME.fullmatch(item.name)
        if match and only in {"", match["thread"]}:
            path = f"{folder}/{item.name}"
            rank = (path != first, bool(match["packed"]), folder == "archived_sessions")
            pages, page = best[match["thread"]], match["page"] or ""
            pages[page] = min(pages.get(page, (rank, match["time"], path)), (rank, match["time"], path))
    return {thread: _in_order(pages.values()) for thread, pages in best.items()}


def _thread(tree: Tree, thread: str, *, first: str) -> Pages:
    """Collect the pages of one thread; `first` is the copy to prefer."""
    return threads(tree, only=thread, first=first).get(thread, ())


def _in_order(pages: Iterable[tuple[tuple[bool, bool, bool], str, str]]) -> Pages:
    return tuple(path for _, _, path in sorted(pages, key=lambda found: found[1:]))


def _rollouts(tree: Tree) -> Iterator[tuple[str, Item]]:
    days = (
        day
        for year in places.folders(tree, "sessions")
        for month in places.folders(tree, year)
        for day in places.folders(tree, month)
    )
    for folder in (*days, "archived_sessions"):
        yield from ((folder, item) for item in places.files(tree, folder))


@contextmanager
def _opened(tree: Tree, location: Location, limits: Limits) -> Iterator[Pass]:
    def replayed(parent: str) -> frozenset[str]:
        return _turn_ids(tree, parent, limits)

    def drafts(tally: Tally) -> Iterator[Draft]:
        pages = (lines.objects(tree, page, limits, tally, skip=_COMPACTED) for page in location.pages)
        return CodexParser(limits, tally, replayed=replayed).drafts(line for page in pages for line in page)

    yield drafts


def _turn_ids(tree: Tree, thread: str, limits: Limits) -> frozenset[str]:
    """Name the turns of a thread; none where it is not here: then its copy in a fork is all there is of it."""
    found: set[str] = set()
    for page in _find(tree, thread, ""):
        for line in lines.objects(tree, page, limits, Tally(), skip=_COMPACTED):
            payload = fields.record(line.get("payload"))
            if payload.get("type") in {"task_started", "turn_started"}:
                found.add(fields.text(payload.get("turn_id")))
    return frozenset(found)


CODEX = Reader(mark=".codex/", at=_at, find=_find, opened=_opened)
