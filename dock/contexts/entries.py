"""What the page of one entry prints."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, datetime

from django.contrib.auth.models import User
from django.utils import dateformat
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import day, links, skills_propose, versions
from dock.contexts.source import source
from dock.contexts.versions import DiffRow, Version
from memory import refs
from memory.journal import queries
from memory.models import Entry

BODY_LIMIT = 100_000
"""Characters of a body that the page shows; the file has the rest."""


@dataclass(frozen=True, slots=True)
class Neighbour:
    """An entry beside this one in its file."""

    url: str
    time: str
    title: str
    excerpt: str
    turn: str


@dataclass(frozen=True, slots=True)
class SourceLine:
    """One line of the entry's text; `number` and `url` are those of the file."""

    number: int
    url: str
    html: SafeString


@dataclass(frozen=True, slots=True)
class Body:
    """The text of the entry: rendered, or as it is written, line by line or in one `block`."""

    is_source: bool
    read_url: str
    source_url: str
    html: SafeString | str
    lines: list[SourceLine]
    block: SafeString | str
    shown: int
    size: int


@dataclass(frozen=True, slots=True)
class Anchor:
    """What names the conversation that the entry was written from."""

    kind: str
    path: str


@dataclass(frozen=True, slots=True)
class Change:
    """What this version changed; without rows the texts are too long to compare."""

    before: str
    after: str
    rows: list[DiffRow] | None


@dataclass(frozen=True, slots=True)
class EntryPage:
    """The page of one entry."""

    ref: str
    title: str
    state: str
    state_words: str
    date: date
    time: str
    moment: str
    platform: str
    turn: str
    project: str
    project_url: str
    session: str
    session_short: str
    session_url: str
    file: str
    file_url: str
    place: str
    created_at: datetime
    crumbs: list[tuple[str, str]]
    body: Body
    anchor: Anchor | None
    conversation_url: str
    previous: Neighbour | None
    next: Neighbour | None
    versions: list[Version]
    newer_url: str
    propose_url: str
    change: Change | None


_STATE_WORDS = {"summary": "summary", "raw": "raw transcript", "unavailable": "no summary", "note": "note"}


def entry(found: Entry, person: User, *, is_source: bool) -> EntryPage:
    """Build the page. At most three queries."""
    previous, following = queries.around(found)
    told = queries.versions(found)
    newer = queries.replaced_by(found, told)
    journal, session = found.journal, found.session
    return EntryPage(
        ref=refs.entry(found),
        title=found.title or "Untitled entry",
        state=found.state,
        state_words=_STATE_WORDS[found.state],
        date=found.date,
        time=found.time,
        moment=f"{found.date.isoformat()}T{found.time}",
        platform=found.platform,
        turn=found.turn,
        project=found.project.name,
        project_url=links.to("live", project=found.project.name),
        session=session.key if session else "",
        session_short=session.key[:8] if session else "",
        session_url=links.to("session-detail", session.key) if session else "",
        file=journal.path,
        file_url=day.file_url(journal, line=found.start_line),
        place=day.lines(found.start_line, found.end_line),
        created_at=found.created_at,
        crumbs=_crumbs(found),
        body=_body(found, is_source=is_source),
        anchor=Anchor(found.anchor_kind, found.anchor_path) if found.anchor_path else None,
        conversation_url=links.to("entry-transcript", found.pk) if found.anchor_path or found.session else "",
        previous=_neighbour(previous),
        next=_neighbour(following),
        versions=versions.listing(found, told) if len(told) > 1 else [],
        newer_url=links.to("entry-detail", newer.pk) if newer else "",
        propose_url=skills_propose.link(found.project, person, entry=found.pk),
        change=_change(found, told),
    )


def _crumbs(found: Entry) -> list[tuple[str, str]]:
    project = found.project.name
    return [
        ("Journals", links.to("journal-list", project=project)),
        (dateformat.format(found.date, "j F Y"), links.to("journal-day", found.date, project=project)),
    ]


def _neighbour(found: Entry | None) -> Neighbour | None:
    if found is None:
        return None
    url = links.to("entry-detail", found.pk)
    return Neighbour(url, found.time, found.title or "Untitled entry", found.excerpt, found.turn)


def _body(found: Entry, *, is_source: bool) -> Body:
    shown = found.body[:BODY_LIMIT]
    text = source(shown, "markdown") if is_source else None
    # An entry ends on its last line with content, and so does its body.
    first = found.end_line - found.body.count("\n")
    return Body(
        is_source=is_source,
        read_url=links.to("entry-detail", found.pk),
        source_url=links.to("entry-detail", found.pk, view="source"),
        html="" if is_source else markdown.render(shown),
        lines=[_line(found, first + number - 1, html) for number, html in text.lines] if text else [],
        block=text.block if text else "",
        shown=len(shown),
        size=len(found.body),
    )


def _line(found: Entry, number: int, html: SafeString) -> SourceLine:
    return SourceLine(number, day.file_url(found.journal, line=number), html)


def _change(found: Entry, told: list[Entry]) -> Change | None:
    before = next((one for one in told if one.pk == found.supersedes_id), None)
    if before is None:
        return None
    return Change(_moment(before, found), _moment(found, before), versions.compare(before.body, found.body))


def _moment(one: Entry, other: Entry) -> str:
    """Name a version by its time, and its day where the other one is of another."""
    return one.time if one.date == other.date else f"{dateformat.format(one.date, 'j M Y')}, {one.time}"
