"""What pages print of captured turns: the outbox as a list, and what its summaries cost."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal

from django.contrib.auth.models import User

from dock.contexts import links, paged
from dock.contexts.choices import Tab
from dock.forms.captures import Criteria
from memory.capture import queries, usage
from memory.models import Capture, Project
from memory.models.capture import CaptureState

CHANGE = "memory.change_capture"

DAYS = 14
"""Days whose usage is shown."""

_TABS = (
    ("", "All"),
    (CaptureState.QUEUED, "Queued"),
    (CaptureState.SUMMARISING, "Being summarised"),
    (CaptureState.WRITTEN, "Written"),
    (CaptureState.UNAVAILABLE, "No summary"),
    (CaptureState.SKIPPED, "Skipped"),
)
_TITLE = 160


@dataclass(frozen=True, slots=True)
class CaptureRow:
    """One captured turn; `next_try_at` where it waits, `retry_url` where this person may try it again."""

    id: str
    url: str
    title: str
    turn: str
    session: str
    session_url: str
    project: str
    platform: str
    state: str
    reason: str
    attempts: int
    next_try_at: datetime | None
    version: int
    how: str
    is_written: bool
    retry_url: str
    at: datetime


@dataclass(frozen=True, slots=True)
class UsageRow:
    """One day of summaries; without a cost none is known."""

    day: date
    summaries: int
    input_tokens: int
    output_tokens: int
    tokens: int
    cost: str


@dataclass(frozen=True, slots=True)
class CaptureList:
    """The list page; `project` is empty for all projects, `is_one` when a link named a single capture."""

    project: str
    url: str
    clear_url: str
    is_one: bool
    is_filtered: bool
    tabs: list[Tab]
    rows: list[CaptureRow]
    usage: list[UsageRow]
    crumbs: list[tuple[str, str]]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class Outbox:
    """How many turns wait and how many have no summary, and where they are listed."""

    waiting: int
    unavailable: int
    skipped: int
    url: str


def listing(project: Project | None, criteria: Criteria, person: User) -> CaptureList:
    """Build the list page. Three queries."""
    owner = project.name if project else ""
    state = {"project": owner, "state": criteria.state, "capture": criteria.capture or ""}
    rows = queries.captures(project=project, state=criteria.state)
    rows = rows.filter(pk=criteria.capture) if criteria.capture else rows
    found = paged.page(rows, order=queries.ORDER, cursor=criteria.cursor)
    here = {**state, "cursor": criteria.cursor}
    return CaptureList(
        project=owner,
        url=links.to("capture-list", **here),
        clear_url=links.to("capture-list", project=owner),
        is_one=criteria.capture is not None,
        is_filtered=bool(criteria.state or criteria.capture),
        tabs=_tabs(project, criteria, owner),
        rows=[row(one, person, here, is_of_many=project is None) for one in found.items],
        usage=[_usage(day) for day in usage.days(project, limit=DAYS)],
        crumbs=[("Health", links.to("health"))],
        previous_url=found.previous and links.to("capture-list", **state, cursor=found.previous),
        next_url=found.next and links.to("capture-list", **state, cursor=found.next),
    )


def outbox() -> Outbox:
    """Count what needs somebody's eye. One query."""
    counts = queries.counts()
    return Outbox(
        waiting=counts[CaptureState.QUEUED] + counts[CaptureState.SUMMARISING],
        unavailable=counts[CaptureState.UNAVAILABLE],
        skipped=counts[CaptureState.SKIPPED],
        url=links.to("capture-list"),
    )


def row(capture: Capture, person: User, here: Mapping[str, object], *, is_of_many: bool) -> CaptureRow:
    """Describe one capture; `here` is the query of the list to which a retry returns."""
    can_retry = capture.state in queries.RETRIED and person.has_perm(CHANGE)
    session_url = links.to("session-detail", capture.session.key, view="turns")
    return CaptureRow(
        id=f"capture-{capture.pk}",
        url=links.to("entry-detail", capture.entry_id) if capture.entry_id else session_url,
        title=_title(capture),
        turn=capture.turn,
        session=capture.session.title or capture.session.key,
        session_url=session_url,
        project=capture.project.name if is_of_many else "",
        platform=capture.platform,
        state="being summarised" if capture.state == CaptureState.SUMMARISING else capture.state,
        reason=capture.reason,
        attempts=capture.attempts,
        next_try_at=capture.next_attempt_at if capture.state == CaptureState.QUEUED and capture.attempts else None,
        version=capture.version,
        how=_how(capture),
        is_written=capture.entry_id is not None,
        retry_url=links.to("capture-retry", capture.pk, **here) if can_retry else "",
        at=capture.occurred_at,
    )


def _title(capture: Capture) -> str:
    asked = " ".join(capture.question.split())
    if not asked:
        return f"Turn {capture.turn}"
    return asked if len(asked) <= _TITLE else f"{asked[:_TITLE].rstrip()}…"


def _how(capture: Capture) -> str:
    """Say who wrote the summary and what it took."""
    if not capture.summarizer:
        return ""
    tokens = capture.input_tokens + capture.output_tokens
    spent = [f"{tokens:,} tokens"] if tokens else []
    spent += [_dollars(capture.cost_usd)] if capture.cost_usd else []
    return ", ".join([f"by {capture.model or capture.summarizer}", *spent])


def _dollars(amount: Decimal) -> str:
    return f"${amount:,.2f}" if amount >= Decimal("0.01") else f"${amount.normalize():f}"


def _usage(day: usage.Day) -> UsageRow:
    cost = _dollars(day.cost_usd) if day.cost_usd else ""
    tokens = day.input_tokens + day.output_tokens
    return UsageRow(day.day, day.summaries, day.input_tokens, day.output_tokens, tokens, cost)


def _tabs(project: Project | None, criteria: Criteria, owner: str) -> list[Tab]:
    counts = queries.counts(project)
    counts[""] = sum(counts.values())
    return [
        Tab(
            label=label,
            url=links.to("capture-list", project=owner, state=str(name)),
            is_current=name == criteria.state and criteria.capture is None,
            count=counts[name],
            tone="warn" if name == CaptureState.UNAVAILABLE and counts[name] else "",
        )
        for name, label in _TABS
    ]
