"""What journals already hold: entries by the session, the file and the turn that their anchors name."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date, datetime, tzinfo
from pathlib import Path

from memory.disk import DiskError, Tree
from memory.journal import anchors, grammar
from memory.journal.sessions import external_id
from memory.journal.sync import DIRECTORY, READ_LIMIT
from memory.models import Entry
from memory.transcripts import moments

UNIQUE = 16
"""An id of a turn that is so long is no other turn's, in whatever session it comes up."""

_DAY_FILE = re.compile(r"(\d{4}-\d{2}-\d{2})\.md", re.ASCII)
_COMPRESSED = re.compile(r"\.(?:zst|zstd)$|\.(?:reset|bak)\.[0-9TZ:.\-]+$")
_OF_A_FOLDER = re.compile(r"session(?:\.v\d+)?\.jsonl")


@dataclass(frozen=True, slots=True)
class Written:
    """An entry: its day and HH:MM as written, and what its anchor names; `turn` may be empty."""

    session: str
    turn: str
    platform: str
    file: str
    day: date
    hhmm: str

    def deadline(self, zone: tzinfo) -> datetime | None:
        """Return when its turn was over, at the latest.

        Only MemSearch's plugins file under another day than the local one, and these of OpenClaw name no turn.
        """
        return moments.deadline("" if self.turn else self.platform, self.day, self.hhmm, zone)


@dataclass(slots=True)
class Journals:
    """The entries of one project."""

    by_session: dict[str, list[Written]] = field(default_factory=lambda: defaultdict(list))
    by_file: dict[str, list[Written]] = field(default_factory=lambda: defaultdict(list))
    turns: set[str] = field(default_factory=set)
    """Ids of turns that are unique."""

    def add(self, entries: Iterable[Written]) -> None:
        for one in entries:
            if one.session:
                self.by_session[one.session].append(one)
            if one.file:
                self.by_file[one.file].append(one)
            if len(one.turn) >= UNIQUE:
                self.turns.add(one.turn)

    def of(self, session: str, paths: Iterable[str]) -> list[Written]:
        """Return the entries that name a conversation by its session, or else by one of its files."""
        wanted = external_id(session)
        files = sorted({file_of(path) for path in paths} - {""})
        others = [one for name in files for one in self.by_file.get(name, ()) if one.session != wanted]
        return [*self.by_session.get(wanted, ()), *others]


def read(memory_dir: Path | None) -> Journals:
    """Read the day files of a project where they are; what cannot be read counts as absent."""
    found = Journals()
    if memory_dir is None:
        return found
    try:
        with Tree(memory_dir) as tree:
            for item in tree.scan(DIRECTORY):
                if (name := _DAY_FILE.fullmatch(item.name)) and item.kind == "file":
                    found.add(_day(tree, name))
    except DiskError:
        pass
    return found


def elsewhere(session: str, *, project: str) -> list[Written]:
    """Return the entries of a session in journals of other projects. One query."""
    rows = Entry.objects.filter(session__external_id=external_id(session)).exclude(project__name=project)
    told = rows.order_by("date", "ordinal").values_list("turn", "platform", "anchor_path", "date", "time")
    return [Written(session, turn, platform, file_of(path), day, hhmm) for turn, platform, path, day, hhmm in told]


def turns() -> set[str]:
    """Return the unique ids of turns in all journals that were read. One query."""
    ids = Entry.objects.exclude(turn="").values_list("turn", flat=True)
    return {turn for turn in ids.iterator() if len(turn) >= UNIQUE}


def file_of(path: str) -> str:
    """Return by which name the file of one conversation is known, wherever it was moved; "" for a shared one."""
    folder, _, name = path.replace("\\", "/").rstrip("/").rpartition("/")
    name = _COMPRESSED.sub("", _COMPRESSED.sub("", name))
    if _OF_A_FOLDER.fullmatch(name):
        return folder.rpartition("/")[2]
    return name if name.endswith(".jsonl") else ""


def _day(tree: Tree, name: re.Match[str]) -> Iterator[Written]:
    try:
        day = date.fromisoformat(name[1])
        sections = grammar.parse(tree.read(f"{DIRECTORY}/{name[0]}", limit=READ_LIMIT).data).entries
    except (DiskError, ValueError):
        return
    for section in sections:
        if anchor := section.anchor:
            platform = anchors.platform(anchor)
            session = external_id(anchor.session) if anchor.session else ""
            yield Written(session, anchor.turn[:300], platform, file_of(anchor.path), day, section.time)
