"""One day of journals as it is read: entries in the order of the file, grouped by their sessions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime
from itertools import pairwise

from django.contrib.humanize.templatetags.humanize import apnumber
from django.db.models import Q, QuerySet
from django.db.models.functions import Left
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, sessions_titles
from dock.contexts.choices import Option
from dock.forms.journals import Criteria
from memory import paging
from memory.journal import queries, titles
from memory.models import Entry, Journal, Project
from memory.models.journal import EntryState
from memory.paging import BadCursor, Page

PAGE = 200
RENDERED = 40
"""Entries of a page whose text is shown; the others show their beginning."""

BODY_LIMIT = 3000
"""Characters; a longer body shows its beginning only."""

NOTES = 20
_ORDER = ("journal_id", "ordinal", "pk")
_UNREAD = ("body", "journal__notes", "journal__problems", "project__problems")
"""Long columns that would be decoded anew with every row."""


@dataclass(frozen=True, slots=True)
class EntryRow:
    """One entry. Either `html` holds its text, or `excerpt` its beginning."""

    id: str
    url: str
    time: str
    moment: str
    title: str
    turn: str
    state: str
    versions: int
    html: SafeString | str
    excerpt: str
    is_cut: bool


@dataclass(frozen=True, slots=True)
class Group:
    """The entries of one session, or of one `## Session HH:MM` heading where no session is named."""

    id: str
    title: str
    url: str
    platform: str
    state: str
    key: str
    short_key: str
    span: str
    project: str
    rows: list[EntryRow]


@dataclass(frozen=True, slots=True)
class NoteView:
    """Text outside of entries."""

    html: SafeString
    place: str
    url: str


@dataclass(frozen=True, slots=True)
class FileLink:
    """A day file, with what has to be said about it."""

    path: str
    url: str
    project: str
    empty_sessions: str
    problems: list[str]


@dataclass(frozen=True, slots=True)
class DayView:
    """One day."""

    date: date
    summary: str
    project: str
    is_known: bool
    is_filtered: bool
    is_out_of_order: bool
    text: str
    platforms: list[Option]
    groups: list[Group]
    notes: list[NoteView]
    files: list[FileLink]
    problems: list[str]
    whole_url: str
    earlier_url: str
    later_url: str


def view(project: Project | None, day: date, criteria: Criteria, *, now: datetime) -> DayView:
    """Build one day. At most four queries."""
    journals = list(queries.journals(project).filter(date=day).order_by("project__name"))
    page = _page(_matching(journals, criteria), criteria.cursor)
    owner = project.name if project else ""
    state = {"project": owner, "q": criteria.text, "platform": criteria.platform}
    return DayView(
        date=day,
        summary=_summary(journals, page),
        project=owner,
        is_known=bool(journals),
        is_filtered=criteria.is_filter,
        is_out_of_order=_is_out_of_order(page.items),
        text=criteria.text,
        platforms=_platforms(journals, criteria.platform),
        groups=_groups(page.items, now, is_of_many=project is None),
        notes=[] if criteria.is_filter or page.next else _notes(journals),
        files=[_file(journal) for journal in journals],
        problems=_problems(project, day) if project and not journals else [],
        whole_url=links.to("journal-day", day, project=owner),
        earlier_url=page.previous and links.to("journal-day", day, **state, cursor=page.previous),
        later_url=page.next and links.to("journal-day", day, **state, cursor=page.next),
    )


def _matching(journals: Sequence[Journal], criteria: Criteria) -> QuerySet[Entry]:
    # By journal, not by date: that is what an index serves.
    rows = queries.entries().filter(journal__in=[journal.pk for journal in journals])
    if criteria.text:
        rows = rows.filter(Q(title__icontains=criteria.text) | Q(body__icontains=criteria.text))
    if criteria.platform:
        rows = rows.filter(platform=criteria.platform)
    return rows.defer(*_UNREAD).annotate(start=Left("body", BODY_LIMIT + 1))


def _page(rows: QuerySet[Entry], cursor: str) -> Page[Entry]:
    try:
        return paging.page(rows, order=_ORDER, limit=PAGE, cursor=cursor)
    except BadCursor:
        return paging.page(rows, order=_ORDER, limit=PAGE)


def _summary(journals: Sequence[Journal], page: Page[Entry]) -> str:
    count = sum(journal.entry_count for journal in journals)
    entries = f"{count:,} {'entry' if count == 1 else 'entries'}"
    sessions = len({entry.session_id for entry in page.items if entry.session_id})
    if not sessions or len(page.items) < count:
        return entries
    return f"{entries} in {sessions:,} {'session' if sessions == 1 else 'sessions'}"


def _is_out_of_order(rows: Sequence[Entry]) -> bool:
    return any(one.journal_id == two.journal_id and two.time < one.time for one, two in pairwise(rows))


def _platforms(journals: Sequence[Journal], chosen: str) -> list[Option]:
    rows = Entry.objects.filter(journal__in=[journal.pk for journal in journals])
    found = set(rows.order_by().values_list("platform", flat=True).distinct())
    names = sorted({*found, chosen} - {""})
    return [Option("", "All platforms", not chosen), *(Option(name, name, name == chosen) for name in names)]


def _groups(rows: Sequence[Entry], now: datetime, *, is_of_many: bool) -> list[Group]:
    """Group by session, in the order in which each first appears."""
    versions = queries.version_counts(rows)
    grouped: dict[tuple[int, int | None, str], list[tuple[Entry, EntryRow]]] = {}
    for place, entry in enumerate(rows):
        key = (entry.journal_id, entry.session_id, "" if entry.session_id else entry.session_heading)
        row = _row(entry, versions.get(entry.pk, 1), is_shown=place < RENDERED)
        grouped.setdefault(key, []).append((entry, row))
    return [_group(members, now, is_of_many=is_of_many) for members in grouped.values()]


def _group(members: Sequence[tuple[Entry, EntryRow]], now: datetime, *, is_of_many: bool) -> Group:
    first = members[0][0]
    session = first.session
    heading = f"Without a session, {first.session_heading}" if first.session_heading else "Without a session"
    return Group(
        id=f"session-{session.pk}-{first.journal_id}" if session else f"first-{first.pk}",
        title=sessions_titles.title(session) if session else heading,
        url=links.to("session-detail", session.key) if session else "",
        platform=session.platform if session else "",
        state=session.state(now).value if session else "",
        key=session.key if session else "",
        short_key=session.key[:8] if session else "",
        span=_span([entry.time for entry, _ in members]),
        project=first.project.name if is_of_many else "",
        rows=[row for _, row in members],
    )


def _span(times: Sequence[str]) -> str:
    first, last = min(times), max(times)
    return first if first == last else f"{first} to {last}"


def _row(entry: Entry, versions: int, *, is_shown: bool) -> EntryRow:
    body: str = entry.start  # type: ignore[attr-defined]
    is_cut = len(body) > BODY_LIMIT
    is_whole = is_shown and not is_cut and entry.state in {EntryState.SUMMARY, EntryState.NOTE}
    html = markdown.render(titles.below(entry.title, body)) if is_whole else ""
    return EntryRow(
        id=f"entry-{entry.pk}",
        url=links.to("entry-detail", entry.pk),
        time=entry.time,
        moment=f"{entry.date.isoformat()}T{entry.time}",
        title=entry.title or "Untitled entry",
        turn=entry.turn,
        state=entry.state,
        versions=versions,
        html=html,
        excerpt="" if is_whole else entry.excerpt,
        is_cut=not is_whole and bool(entry.excerpt),
    )


def _notes(journals: Sequence[Journal]) -> list[NoteView]:
    return [
        NoteView(
            html=markdown.render(note["text"][:BODY_LIMIT]),
            place=f"{journal.path}, {lines(note['start_line'], note['end_line'])}",
            url=file_url(journal, line=note["start_line"]),
        )
        for journal in journals
        for note in journal.notes[:NOTES]
    ]


def lines(first: int, last: int) -> str:
    """Name a place in a file."""
    return f"line {first}" if first == last else f"lines {first} to {last}"


def file_url(journal: Journal, *, line: int = 0) -> str:
    """Return the address of a day file in Files, or of one of its lines."""
    if not line:
        return links.to("file-browser", journal.project.name, path=journal.path)
    return links.to("file-browser", journal.project.name, path=journal.path, view="text") + f"#L{line}"


def _file(journal: Journal) -> FileLink:
    return FileLink(
        path=journal.path,
        url=file_url(journal),
        project=journal.project.name,
        empty_sessions=_empty_sessions(journal.empty_sessions),
        problems=_problems(journal.project, journal.date),
    )


def _empty_sessions(count: int) -> str:
    if not count:
        return ""
    number = str(apnumber(count)).capitalize()
    if count == 1:
        return f"{number} session heading in this file has no entries and is not shown."
    return f"{number} session headings in this file have no entries and are not shown."


def _problems(project: Project, day: date) -> list[str]:
    """Return what the last reading said about the file of a day, be it a journal or not."""
    return [problem["text"] for problem in project.problems if problem["path"] == f"memory/{day.isoformat()}.md"]
