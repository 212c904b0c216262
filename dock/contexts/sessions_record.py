"""What the page of one session prints: what is known of it, and one view of what is in it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.utils import dateformat, timezone
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, sessions_parts, skills_propose, transcripts
from dock.contexts.choices import Tab
from dock.contexts.sessions_parts import Part
from dock.contexts.sessions_titles import title
from dock.forms.sessions import Find
from memory import refs
from memory.capture import queries as captures
from memory.models import Session
from memory.models.session import Ownership, SessionState


@dataclass(frozen=True, slots=True)
class Neighbour:
    """A session that this one continues, or that continues it."""

    title: str
    url: str


@dataclass(frozen=True, slots=True)
class Conversation:
    """The page of one session; `part` is the view that is shown."""

    title: str
    key: str
    external_id: str
    ref: str
    project: str
    project_url: str
    platform: str
    directory: str
    state: str
    origin: str
    is_owned: bool
    started_at: datetime
    last_activity_at: datetime
    ended_at: datetime | None
    until: str
    length: str
    captured: str
    artifacts: int
    artifacts_url: str
    summary: SafeString | str
    continues: Neighbour | None
    continued_by: list[Neighbour]
    crumbs: list[tuple[str, str]]
    tabs: list[Tab]
    view: str
    text: str
    part: Part
    url: str
    whole_url: str
    clear_url: str
    earlier_url: str
    later_url: str
    conversation_url: str
    propose_url: str


def conversation(session: Session, wanted: Find, person: User, *, now: datetime) -> Conversation:
    """Build the page. Six queries, one more where it continues another one or shows entries."""
    project = session.project.name
    turns = captures.counts(session=session)
    wanted = _with_view(session, wanted, sum(turns.values()))
    part = sessions_parts.part(session, wanted, person)
    return Conversation(
        title=title(session),
        key=session.key,
        external_id=session.external_id,
        ref=refs.session(session),
        project=project,
        project_url=links.to("live", project=project),
        platform=session.platform,
        directory=session.directory,
        state=session.state(now),
        origin=_origin(session),
        is_owned=session.ownership_mode == Ownership.PROJECT_OWNED,
        started_at=session.started_at,
        last_activity_at=session.last_activity_at,
        ended_at=session.ended_at,
        until=_until(session, now),
        length=length((session.ended_at or session.last_activity_at) - session.started_at),
        captured=_captured(turns),
        artifacts=session.artifacts.filter(deleted_at=None).count(),
        artifacts_url=links.to("artifact-list", project=project, session=session.key),
        summary=markdown.render(session.summary) if session.summary else "",
        continues=_neighbour(session.continues) if session.continues else None,
        continued_by=[_neighbour(one) for one in session.continuations.order_by("pk")],
        crumbs=[("Sessions", links.to("session-list", project=project))],
        tabs=_tabs(session, wanted, sum(turns.values())),
        view=wanted.view,
        text=wanted.text,
        part=part,
        url=_url(session, wanted),
        whole_url=links.to("session-detail", session.key),
        clear_url=_url(session, Find(view=wanted.view)),
        earlier_url=part.previous and _url(session, replace(wanted, cursor=part.previous)),
        later_url=part.next and _url(session, replace(wanted, cursor=part.next)),
        conversation_url=transcripts.session_url(session.key, session.platform),
        propose_url=skills_propose.link(session.project, person, session=session.key),
    )


def length(span: timedelta) -> str:
    """Say how long something took: "2 h 31 min", "3 days 4 h", "under a minute"."""
    minutes = max(0, int(span.total_seconds())) // 60
    hours, days = minutes // 60, minutes // (24 * 60)
    if days:
        return _joined((days, "day" if days == 1 else "days"), (hours % 24, "h"))
    return _joined((hours, "h"), (minutes % 60, "min")) or "under a minute"


def _joined(*amounts: tuple[int, str]) -> str:
    return " ".join(f"{amount} {unit}" for amount, unit in amounts if amount)


def _until(session: Session, now: datetime) -> str:
    if session.state(now) == SessionState.LIVE:
        return "now"
    first, last = timezone.localtime(session.started_at), timezone.localtime(session.last_activity_at)
    return dateformat.format(last, "H:i" if first.date() == last.date() else "j M Y, H:i")


def _url(session: Session, wanted: Find) -> str:
    has_entries = session.entry_count > 0  # type: ignore[attr-defined]
    view = "" if wanted.view == "entries" and has_entries else wanted.view
    return links.to("session-detail", session.key, view=view, q=wanted.text, cursor=wanted.cursor)


def _with_view(session: Session, wanted: Find, turns: int) -> Find:
    return wanted if wanted.view else replace(wanted, view=_first_view(session, turns))


def _first_view(session: Session, turns: int) -> str:
    """Name the first view that holds something."""
    held = (
        ("entries", session.entry_count),  # type: ignore[attr-defined]
        ("memories", session.observation_count),  # type: ignore[attr-defined]
        ("prompts", session.prompt_count),  # type: ignore[attr-defined]
        ("turns", turns),
    )
    return next((view for view, count in held if count), "entries")


def _neighbour(session: Session) -> Neighbour:
    return Neighbour(title(session), links.to("session-detail", session.key))


def _origin(session: Session) -> str:
    if session.is_stub:
        return "Imported memories that name it"
    return "Journals alone" if session.is_derived else "Its agent"


def _captured(turns: dict[str, int]) -> str:
    total = sum(turns.values())
    if not total:
        return ""
    return f"{turns['written']:,} of {total:,} turn{'' if total == 1 else 's'} summarised"


def _tabs(session: Session, wanted: Find, turns: int) -> list[Tab]:
    counts = [
        ("entries", "Entries", session.entry_count),  # type: ignore[attr-defined]
        ("memories", "Memories", session.observation_count),  # type: ignore[attr-defined]
        ("prompts", "Prompts", session.prompt_count),  # type: ignore[attr-defined]
        ("told", "Told to the agent", session.injections.count()),
        ("turns", "Captured turns", turns),
    ]
    return [Tab(label, _url(session, Find(view=name)), name == wanted.view, count) for name, label, count in counts]
