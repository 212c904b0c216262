"""What the pages of sessions print."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from django.db.models import Count, Q, QuerySet
from django.db.models.functions import Left
from django.utils import dateformat, timezone
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, paged
from dock.contexts.choices import Option, Tab
from dock.forms.sessions import Criteria
from memory import refs
from memory.journal import queries as journals
from memory.journal import titles
from memory.models import Entry, Project, Session
from memory.models.session import LEASE, SessionState
from memory.sessions import queries

SHOWN_OF_BODY = 4000
"""Characters of an entry that a timeline shows; the entry's own page has the rest."""

_OLDEST_FIRST = ("date", "ordinal", "pk")
_TABS = (("", "All"), ("live", "Live"), ("ended", "Ended"), ("open", "No recorded end"))


@dataclass(frozen=True, slots=True)
class SessionRow:
    """One line of the list."""

    id: str
    url: str
    title: str
    key: str
    project: str
    platform: str
    state: str
    last_activity_at: datetime
    entries: int


@dataclass(frozen=True, slots=True)
class SessionList:
    """The list page; `project` is empty for all projects."""

    project: str
    text: str
    state: str
    url: str
    clear_url: str
    is_filtered: bool
    tabs: list[Tab]
    platforms: list[Option]
    rows: list[SessionRow]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class TurnItem:
    """One entry of a timeline; `versions` counts the different texts of its turn."""

    pk: int
    url: str
    time: str
    turn: str
    title: str
    html: SafeString
    is_cut: bool
    state: str
    versions: int


@dataclass(frozen=True, slots=True)
class TimelineDay:
    """The entries of one day; without a `date` where the whole session is of one day."""

    date: date | None
    items: list[TurnItem]


@dataclass(frozen=True, slots=True)
class Conversation:
    """The page of one session."""

    title: str
    key: str
    external_id: str
    ref: str
    project: str
    platform: str
    directory: str
    state: str
    started_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None
    until: str
    length: str
    entries: int
    summary: SafeString | str
    crumbs: list[tuple[str, str]]
    url: str
    whole_url: str
    project_url: str
    text: str
    days: list[TimelineDay]
    turns: list[TurnItem]
    earlier_url: str
    later_url: str


def listing(project: Project | None, criteria: Criteria, *, now: datetime) -> SessionList:
    """Build the list page. Two queries."""
    matching = _matching(queries.sessions(project), criteria.text)
    counts = _counts(matching, now)
    chosen = _in_state(_on(matching, criteria.platform), criteria.state, now)
    page = paged.page(chosen, order=queries.ORDER, cursor=criteria.cursor)
    owner = project.name if project else ""
    state = {"project": owner, "q": criteria.text, "state": criteria.state, "platform": criteria.platform}
    return SessionList(
        project=owner,
        text=criteria.text,
        state=criteria.state,
        url=links.to("session-list", **state, cursor=criteria.cursor),
        clear_url=links.to("session-list", project=owner),
        is_filtered=bool(criteria.text or criteria.state or criteria.platform),
        tabs=_tabs(counts, criteria, state),
        platforms=_platforms(counts, criteria.platform),
        rows=[_row(row, now, is_of_many=project is None) for row in page.items],
        previous_url=page.previous and links.to("session-list", **state, cursor=page.previous),
        next_url=page.next and links.to("session-list", **state, cursor=page.next),
    )


def conversation(session: Session, criteria: Criteria, *, now: datetime) -> Conversation:
    """Build the page of one session. Two queries."""
    rows = journals.entries().filter(session=session)
    if criteria.text:
        rows = rows.filter(Q(title__icontains=criteria.text) | Q(body__icontains=criteria.text))
    rows = rows.defer("journal__notes", "body").annotate(start=Left("body", SHOWN_OF_BODY + 1))
    page = paged.page(rows, order=_OLDEST_FIRST, cursor=criteria.cursor)
    state = {"q": criteria.text}
    days = _days(session, page.items)
    project = session.project.name
    return Conversation(
        title=session.title or f"Session {session.key}",
        key=session.key,
        external_id=session.external_id,
        ref=refs.session(session),
        project=project,
        platform=session.platform,
        directory=session.directory,
        state=session.state(now),
        started_at=session.started_at,
        last_activity_at=session.last_activity_at,
        ended_at=session.ended_at,
        until=_until(session, now),
        length=length((session.ended_at or session.last_activity_at) - session.started_at),
        entries=session.entry_count,  # type: ignore[attr-defined]
        summary=markdown.render(session.summary) if session.summary else "",
        crumbs=[("Sessions", links.to("session-list", project=project))],
        url=links.to("session-detail", session.key, **state, cursor=criteria.cursor),
        whole_url=links.to("session-detail", session.key),
        project_url=links.to("live", project=project),
        text=criteria.text,
        days=days,
        turns=[item for day in days for item in day.items],
        earlier_url=page.previous and links.to("session-detail", session.key, **state, cursor=page.previous),
        later_url=page.next and links.to("session-detail", session.key, **state, cursor=page.next),
    )


def length(span: timedelta) -> str:
    """Say how long something took: "2 h 31 min", "3 days 4 h", "under a minute"."""
    minutes = max(0, int(span.total_seconds())) // 60
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return _joined((days, "day" if days == 1 else "days"), (hours % 24, "h"))
    return _joined((hours, "h"), (minutes % 60, "min")) or "under a minute"


def _until(session: Session, now: datetime) -> str:
    if session.state(now) == SessionState.LIVE:
        return "now"
    first, last = timezone.localtime(session.started_at), timezone.localtime(session.last_activity_at)
    return dateformat.format(last, "H:i" if first.date() == last.date() else "j M Y, H:i")


def _joined(*amounts: tuple[int, str]) -> str:
    return " ".join(f"{amount} {unit}" for amount, unit in amounts if amount)


def _matching(rows: QuerySet[Session], text: str) -> QuerySet[Session]:
    if not text:
        return rows
    return rows.filter(Q(title__icontains=text) | Q(key__icontains=text) | Q(directory__icontains=text))


def _on(rows: QuerySet[Session], platform: str) -> QuerySet[Session]:
    return rows.filter(platform=platform) if platform else rows


def _in_state(rows: QuerySet[Session], state: str, now: datetime) -> QuerySet[Session]:
    if state == "live":
        return rows.live(now)  # type: ignore[attr-defined, no-any-return]
    if state == "ended":
        return rows.ended()  # type: ignore[attr-defined, no-any-return]
    return rows.without_end(now) if state == "open" else rows  # type: ignore[attr-defined]


def _counts(rows: QuerySet[Session], now: datetime) -> dict[str, dict[str, int]]:
    """Count sessions by platform and state ("" for all). One query."""
    live = Count("pk", filter=Q(ended_at=None, last_seen_at__gt=now - LEASE))
    ended = Count("pk", filter=~Q(ended_at=None))
    grouped = rows.order_by().values("platform").annotate(all=Count("pk"), live=live, ended=ended)
    return {
        one["platform"]: {
            "": one["all"],
            "live": one["live"],
            "ended": one["ended"],
            "open": one["all"] - one["live"] - one["ended"],
        }
        for one in grouped
    }


def _tabs(counts: dict[str, dict[str, int]], criteria: Criteria, state: dict[str, str]) -> list[Tab]:
    concerned = [found for name, found in counts.items() if criteria.platform in {"", name}]
    return [
        Tab(
            label=label,
            url=links.to("session-list", **(state | {"state": name})),
            is_current=name == criteria.state,
            count=sum(found[name] for found in concerned),
        )
        for name, label in _TABS
    ]


def _platforms(counts: Iterable[str], chosen: str) -> list[Option]:
    names = sorted({*filter(None, counts), *filter(None, [chosen])})
    return [Option("", "All platforms", not chosen), *(Option(name, name, name == chosen) for name in names)]


def _row(session: Session, now: datetime, *, is_of_many: bool) -> SessionRow:
    return SessionRow(
        id=f"session-{session.pk}",
        url=links.to("session-detail", session.key),
        title=session.title or f"Session {session.key}",
        key=session.key,
        project=session.project.name if is_of_many else "",
        platform=session.platform,
        state=session.state(now),
        last_activity_at=session.last_activity_at,
        entries=session.entry_count,  # type: ignore[attr-defined]
    )


def _days(session: Session, rows: Sequence[Entry]) -> list[TimelineDay]:
    spans = timezone.localdate(session.started_at) != timezone.localdate(session.last_activity_at)
    versions = journals.version_counts(rows)
    return [
        TimelineDay(day if spans else None, [_item(entry, versions.get(entry.pk, 1)) for entry in entries])
        for day, entries in groupby(rows, key=lambda entry: entry.date)
    ]


def _item(entry: Entry, versions: int) -> TurnItem:
    start: str = entry.start  # type: ignore[attr-defined]
    return TurnItem(
        pk=entry.pk,
        url=links.to("entry-detail", entry.pk),
        time=entry.time,
        turn=entry.turn,
        title=entry.title or "Untitled entry",
        html=markdown.render("" if entry.state == "unavailable" else titles.below(entry.title, start[:SHOWN_OF_BODY])),
        is_cut=len(start) > SHOWN_OF_BODY,
        state=entry.state,
        versions=versions,
    )
