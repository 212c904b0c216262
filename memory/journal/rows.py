"""The write side of journals: one parsed day file becomes rows and changes in one transaction."""

from __future__ import annotations

import hashlib
from dataclasses import asdict, dataclass
from datetime import date, datetime

from django.db import transaction

from memory import changes, refs
from memory.changes import Note
from memory.journal import anchors, matching, sessions, versions
from memory.journal.grammar import Day, Section
from memory.journal.titles import excerpt, title
from memory.models import Entry, Journal, Project, Session

_CONTENT = ["time", "turn", "platform", "state", "title", "excerpt", "body", "body_hash", "anchor_kind", "anchor_path"]
_PLACE = ["ordinal", "session_heading", "start_line", "end_line"]


@dataclass(frozen=True, slots=True)
class Stamp:
    """What tells one state of a file from another."""

    path: str
    size: int
    modified_ns: int
    read_ns: int
    content_hash: str


def touch(journal: Journal, stamp: Stamp) -> None:
    """Remember that a file was looked at and holds what it held; nobody is told."""
    Journal.objects.filter(pk=journal.pk, content_hash=stamp.content_hash).update(
        modified_ns=stamp.modified_ns, read_ns=stamp.read_ns
    )


@transaction.atomic
def write(project: Project, day: date, journal: Journal | None, stamp: Stamp, parsed: Day, *, at: datetime) -> None:
    """Bring the rows of one day to what the file says. Does nothing when another process was first."""
    facts = asdict(stamp) | _facts(parsed, at)
    if journal is None:
        journal, is_ours = Journal.objects.get_or_create(project=project, date=day, defaults=facts)
    else:
        is_ours = Journal.objects.filter(pk=journal.pk, content_hash=journal.content_hash).update(**facts) == 1
    if is_ours:
        _apply(project, journal, parsed, stamp, at=at)


@transaction.atomic
def remove(journal: Journal, *, at: datetime) -> None:
    """Forget a day whose file is gone."""
    entries = list(journal.entries.defer("body").in_file_order())
    journal.delete()
    notes = [Note("entry.removed", refs.entry(entry), entry.title) for entry in entries]
    sessions.settle(project=journal.project, pks={entry.session_id for entry in entries if entry.session_id})
    versions.link({(entry.session_id, entry.turn) for entry in entries})
    changes.append(notes, project=journal.project, at=at)


def _facts(parsed: Day, at: datetime) -> dict[str, object]:
    return {
        "entry_count": len(parsed.entries),
        "session_headings": parsed.session_headings,
        "empty_sessions": parsed.empty_sessions,
        "notes": [{"start_line": n.start_line, "end_line": n.end_line, "text": n.text} for n in parsed.notes],
        "problems": list(parsed.problems),
        "updated_at": at,
    }


def _apply(project: Project, journal: Journal, parsed: Day, stamp: Stamp, *, at: datetime) -> None:
    old = list(journal.entries.select_related("session").in_file_order())
    known, started = sessions.ensure(project, parsed.entries, journal.date)
    new = [_row(project, journal, section, known, at) for section in parsed.entries]
    found = matching.match([_print(row) for row in old], [_print(row) for row in new])
    touched = {(row.session_id, row.turn) for row in old} | {(row.session_id, row.turn) for row in new}

    changed = [_take_over(old[was], new[now], at) for was, now in found.same]
    Entry.objects.bulk_update(
        [row for row, kind in changed if kind], [*_CONTENT, *_PLACE, "session", "updated_at"], 500
    )
    Entry.objects.filter(pk__in=[old[index].pk for index in found.removed]).delete()
    added = Entry.objects.bulk_create([new[index] for index in found.added], batch_size=500)

    sessions.settle(project=project, pks={session for session, _ in touched if session})
    alive = [row.session_id for row in added if row.session_id]
    sessions.renew(alive, day=journal.date, modified_ns=stamp.modified_ns, at=at)
    versions.link(touched)
    changes.append(
        [
            *(Note("session.started", refs.session(row), row.title) for row in started),
            *(Note("entry.removed", refs.entry(old[index]), old[index].title) for index in found.removed),
            *(Note("entry.changed", refs.entry(row), row.title) for row, kind in changed if kind == "content"),
            *(Note("entry.added", refs.entry(row), row.title) for row in added),
        ],
        project=project,
        at=at,
    )


def _row(project: Project, journal: Journal, section: Section, known: dict[str, Session], at: datetime) -> Entry:
    anchor = section.anchor
    return Entry(
        project=project,
        journal=journal,
        session=known.get(sessions.external_id(anchor.session)) if anchor else None,
        date=journal.date,
        time=section.time,
        ordinal=section.ordinal,
        turn=anchor.turn[:300] if anchor else "",
        platform=anchors.platform(anchor) if anchor else "",
        state=section.state,
        title=title(section.body),
        excerpt=excerpt(section.body),
        body=section.body,
        body_hash=hashlib.sha256(section.body.encode()).hexdigest(),
        session_heading=section.session_heading,
        anchor_kind=anchor.kind if anchor else "",
        anchor_path=anchor.path if anchor else "",
        start_line=section.start_line,
        end_line=section.end_line,
        created_at=at,
        updated_at=at,
    )


def _print(row: Entry) -> matching.Print:
    session = row.session.external_id if row.session else ""
    return matching.Print(session=session, turn=row.turn, time=row.time, body_hash=row.body_hash)


def _take_over(row: Entry, read: Entry, at: datetime) -> tuple[Entry, str]:
    """Bring a row to what was read; tell whether its "content", only its "place" or nothing ("") differs."""
    content = row.session_id != read.session_id or any(getattr(row, name) != getattr(read, name) for name in _CONTENT)
    place = any(getattr(row, name) != getattr(read, name) for name in _PLACE)
    row.session = read.session
    for name in [*_CONTENT, *_PLACE]:
        setattr(row, name, getattr(read, name))
    if content:
        row.updated_at = at
    return row, "content" if content else "place" if place else ""
