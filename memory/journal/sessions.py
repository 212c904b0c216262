"""Sessions as journals know them: named by anchors, timed by their entries."""

from __future__ import annotations

import hashlib
from collections import defaultdict
from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime
from typing import NamedTuple

from django.utils import timezone

from memory.journal import anchors
from memory.journal.clock import local
from memory.journal.grammar import Section
from memory.journal.titles import title
from memory.models import Entry, Project, Session
from memory.models.journal import EntryState

_LONGEST = 400


class _Line(NamedTuple):
    """What a session takes from one of its entries."""

    date: date
    time: str
    title: str
    state: str


def external_id(text: str) -> str:
    """Return an agent's session id as it is stored: whole, or for an absurdly long one its start and a digest."""
    if len(text) <= _LONGEST:
        return text
    return f"{text[:_LONGEST]}~{hashlib.sha256(text.encode()).hexdigest()[:16]}"


def ensure(project: Project, sections: Sequence[Section], day: date) -> tuple[dict[str, Session], list[Session]]:
    """Return the sessions that these sections name, by external id, and which of them are new."""
    firsts: dict[str, Section] = {}
    for section in sections:
        if section.anchor and section.anchor.session:
            firsts.setdefault(external_id(section.anchor.session), section)
    known = {row.external_id: row for row in project.sessions.filter(external_id__in=firsts)}
    missing = {external: section for external, section in firsts.items() if external not in known}
    taken = set(Session.objects.filter(key__in=missing).values_list("key", flat=True))
    made = Session.objects.bulk_create(
        _new(project, external, first, day, taken) for external, first in missing.items()
    )
    return known | {row.external_id: row for row in made}, made


def _new(project: Project, external: str, first: Section, day: date, taken: set[str]) -> Session:
    moment = local(day, first.time)
    return Session(
        project=project,
        key=f"{external}~{project.pk}" if external in taken else external,
        external_id=external,
        platform=anchors.platform(first.anchor) if first.anchor else "",
        title=title(first.body) if first.state != "unavailable" else "",
        started_at=moment,
        last_activity_at=moment,
        is_derived=True,
    )


def settle(*, project: Project, pks: Iterable[int]) -> None:
    """Bring times and titles of sessions to what their entries say; drop derived ones that have none left."""
    told: dict[int, list[_Line]] = defaultdict(list)
    rows = Entry.objects.filter(session_id__in=set(pks)).order_by("date", "time", "ordinal")
    for session, day, time, name, state in rows.values_list("session_id", "date", "time", "title", "state"):
        told[session].append(_Line(day, time, name, state))
    changed = [session for session in project.sessions.filter(pk__in=told) if _settle(session, told[session.pk])]
    Session.objects.bulk_update(changed, ["started_at", "last_activity_at", "title"], 500)
    project.sessions.filter(pk__in=set(pks) - set(told), is_derived=True).delete()


def _settle(session: Session, lines: list[_Line]) -> bool:
    before = (session.started_at, session.last_activity_at, session.title)
    first, last = (local(line.date, line.time) for line in (lines[0], lines[-1]))
    session.started_at = first if session.is_derived else min(session.started_at, first)
    session.last_activity_at = last if session.is_derived else max(session.last_activity_at, last)
    if session.is_derived or not session.title:
        summarised = (line.title for line in lines if line.state != EntryState.UNAVAILABLE)
        session.title = next(summarised, lines[0].title)[:200]
    return before != (session.started_at, session.last_activity_at, session.title)


def renew(pks: Iterable[int], *, day: date, modified_ns: int, at: datetime) -> None:
    """Renew the lease of sessions that just wrote into today's file; no file's time reaches beyond `at`."""
    modified = datetime.fromtimestamp(min(modified_ns / 1e9, at.timestamp()), tz=UTC)
    if timezone.localtime(modified).date() != day:
        return
    Session.objects.filter(pk__in=set(pks)).exclude(last_seen_at__gte=modified).update(last_seen_at=modified)
