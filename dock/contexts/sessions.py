"""What the list of sessions prints."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Q, QuerySet

from dock.contexts import links, paged, sessions_titles
from dock.contexts.choices import Option, Tab
from dock.forms.sessions import Criteria
from memory.models import Project, Session
from memory.models.session import LEASE
from memory.sessions import queries

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
    holds: str


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
        title=sessions_titles.title(session),
        key=session.key,
        project=session.project.name if is_of_many else "",
        platform=session.platform,
        state=session.state(now),
        last_activity_at=session.last_activity_at,
        holds=_holds(session),
    )


def _holds(session: Session) -> str:
    """Say what was written in a session, as "4 entries, 1 memory"."""
    counts = (
        (session.entry_count, "entry", "entries"),  # type: ignore[attr-defined]
        (session.observation_count, "memory", "memories"),  # type: ignore[attr-defined]
        (session.prompt_count, "prompt", "prompts"),  # type: ignore[attr-defined]
    )
    return (
        ", ".join(f"{count:,} {one if count == 1 else many}" for count, one, many in counts if count) or "nothing yet"
    )
