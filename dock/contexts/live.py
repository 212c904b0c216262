"""What the feed's page prints: changes by day, each day by session, or by project where no session is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from itertools import groupby

from django.utils import dateformat, timezone

from dock.contexts import feed, links, sessions_titles
from dock.contexts.feed import Batch, Records
from dock.forms.live import Criteria
from memory.models import Change, Project, Session

_KINDS = (
    ("", "All"),
    ("entry", "Entries"),
    ("observation", "Memories"),
    ("session", "Sessions"),
    ("capture", "Captures"),
    ("skill", "Skills"),
    ("document", "Documents"),
)

_ICONS = {
    "entry": "document-text",
    "session": "chat-bubble-left-right",
    "skill": "academic-cap",
    "document": "document-duplicate",
    "project": "folder",
    "observation": "bookmark",
    "prompt": "chat-bubble-left",
    "relation": "scale",
    "capture": "clock",
    "maintenance": "wrench-screwdriver",
    "artifact": "document",
}

_MANY = {
    "entry.added": ("{} entries read from disk", "journal-list"),
    "entry.changed": ("{} entries changed on disk", "journal-list"),
    "entry.removed": ("{} entries removed from disk", "journal-list"),
    "session.started": ("{} sessions found", "session-list"),
    "session.ended": ("{} sessions ended", "session-list"),
    "skill.proposed": ("{} skills proposed", "skill-list"),
    "skill.updated": ("{} skills updated", "skill-list"),
    "skill.removed": ("{} skills removed", "skill-list"),
    "document.changed": ("{} documents changed", "document-list"),
    "observation.saved": ("{} memories saved", "memory-list"),
    "observation.updated": ("{} memories changed", "memory-list"),
    "observation.deleted": ("{} memories deleted", "memory-list"),
    "observation.restored": ("{} memories restored", "memory-list"),
    "prompt.saved": ("{} prompts saved", "prompt-list"),
    "prompt.deleted": ("{} prompts deleted", "prompt-list"),
    "relation.judged": ("{} relations judged", "conflict-list"),
    "artifact.stored": ("{} artifacts kept", "artifact-list"),
    "capture.queued": ("{} turns captured", "capture-list"),
    "capture.written": ("{} turns written to their journals", "capture-list"),
    "capture.failed": ("{} turns without a summary", "capture-list"),
    "skill.decided": ("{} skills reviewed", "skill-list"),
    "skill.installed": ("{} skills installed", "skill-list"),
    "skill.uninstalled": ("{} skills uninstalled", "skill-list"),
    "maintenance.ran": ("{} runs of upkeep", "upkeep-list"),
}

_TEXTS = {
    "entry.removed": "No longer in its file.",
    "project.changed": "What can be read of its files has changed.",
    "capture.failed": "Its journal has a note instead of a summary, or nothing; it can be tried again.",
    "observation.deleted": "In the trash, until it is restored or purged.",
}


@dataclass(frozen=True, slots=True)
class FeedRow:
    """One change, or many told as one; without an address what it speaks of is gone."""

    id: str
    at: datetime
    icon: str
    title: str
    url: str
    text: str
    state: str
    verb: str
    noun: str


@dataclass(frozen=True, slots=True)
class FeedGroup:
    """The changes of one session or project in one day."""

    id: str
    title: str
    url: str
    platform: str
    state: str
    project: str
    key: str
    short_key: str
    rows: list[FeedRow]


@dataclass(frozen=True, slots=True)
class FeedDay:
    """One day: "Today" and its date in words."""

    id: str
    label: str
    words: str
    groups: list[FeedGroup]


@dataclass(frozen=True, slots=True)
class FeedPage:
    """The page; `live` names the kinds of changes that refresh it, none on earlier pages."""

    project: str
    kinds: list[tuple[str, str, bool]]
    is_filtered: bool
    is_first_run: bool
    live: str
    days: list[FeedDay]
    earlier_url: str
    newest_url: str


def page(project: Project | None, criteria: Criteria, *, now: datetime) -> FeedPage:
    """Build the page. At most eight queries."""
    reading = feed.read(project, criteria)
    state = {"project": project.name if project else "", "kind": criteria.kind}
    return FeedPage(
        project=state["project"],
        kinds=[(label, links.to("live", **(state | {"kind": kind})), kind == criteria.kind) for kind, label in _KINDS],
        is_filtered=bool(criteria.kind),
        is_first_run=not reading.items and not Project.objects.exists(),
        live="" if criteria.before else criteria.kind or "*",
        days=_days(reading.items, feed.records(reading.items), now, is_of_many=project is None),
        earlier_url=links.to("live", **state, before=reading.before) if reading.before else "",
        newest_url=links.to("live", **state) if criteria.before else "",
    )


def _days(items: Sequence[Change | Batch], records: Records, now: datetime, *, is_of_many: bool) -> list[FeedDay]:
    today = timezone.localdate(now)
    return [
        _day(day, today, _groups(day, list(found), records, now, is_of_many=is_of_many))
        for day, found in groupby(items, key=lambda item: timezone.localdate(item.at))
    ]


def _day(day: date, today: date, groups: list[FeedGroup]) -> FeedDay:
    words = dateformat.format(day, "l j F" if day.year == today.year else "l j F Y")
    name = {today: "Today", today - timedelta(days=1): "Yesterday"}.get(day)
    return FeedDay(f"day-{day.isoformat()}", name or words, words if name else "", groups)


def _groups(
    day: date, items: Sequence[Change | Batch], records: Records, now: datetime, *, is_of_many: bool
) -> list[FeedGroup]:
    """Group by session, or by project where a change has none, in the order of the newest change of each."""
    grouped: dict[tuple[int | None, int | None], list[Change | Batch]] = {}
    for item in items:
        session = _session(item, records)
        project = item.project.pk if item.project else None
        grouped.setdefault((project, session.pk if session else None), []).append(item)
    return [_group(day, members, records, now, is_of_many=is_of_many) for members in grouped.values()]


def _session(item: Change | Batch, records: Records) -> Session | None:
    return records.session(item.ref) if isinstance(item, Change) else None


def _group(
    day: date, items: Sequence[Change | Batch], records: Records, now: datetime, *, is_of_many: bool
) -> FeedGroup:
    session, project = _session(items[0], records), items[0].project
    name = project.name if project else ""
    owner = f"s{session.pk}" if session else f"p{project.pk}" if project else "all"
    return FeedGroup(
        id=f"group-{day.isoformat()}-{owner}",
        title=sessions_titles.title(session) if session else name or "MemDock",
        url=_group_url(session, name),
        platform=session.platform if session else "",
        state=session.state(now).value if session else "",
        project=name if session and is_of_many else "",
        key=session.key if session else "",
        short_key=session.key[:8] if session else "",
        rows=[_one(item, records) if isinstance(item, Change) else _many(item) for item in items],
    )


def _group_url(session: Session | None, project: str) -> str:
    if session:
        return links.to("session-detail", session.key)
    return links.to("journal-list", project=project) if project else ""


def _one(change: Change, records: Records) -> FeedRow:
    noun, _, verb = change.kind.partition(".")
    entry = records.entries.get(change.ref)
    return FeedRow(
        id=f"change-{change.pk}",
        at=change.at,
        icon=_icon(change.kind),
        title=change.title or _untitled(change, records),
        url=_health(change) or records.url(change.ref),
        text=entry.excerpt if entry else _TEXTS.get(change.kind, ""),
        state=entry.state if entry else "",
        verb="" if change.kind == "entry.added" else verb,
        noun=noun,
    )


def _untitled(change: Change, records: Records) -> str:
    """Name what had no title when it changed."""
    if session := records.sessions.get(change.ref):
        return sessions_titles.title(session)
    return "Untitled entry" if change.kind.startswith("entry.") else change.ref


def _health(change: Change) -> str:
    """Return the page that says what a change of a project was about."""
    if change.kind != "project.changed" or change.project is None:
        return ""
    return links.to("health", project=change.project.name)


def _many(batch: Batch) -> FeedRow:
    noun = batch.kind.partition(".")[0]
    words, page = _MANY.get(batch.kind, (f"{{}} changes: {batch.kind.replace('.', ' ')}", "live"))
    count = f"{batch.count:,}"
    return FeedRow(
        id=f"changes-{batch.newest}-{noun}",
        at=batch.at,
        icon=_icon(batch.kind),
        title=words.format(count),
        url=links.to(page, project=batch.project.name if batch.project else ""),
        text="",
        state="",
        verb="",
        noun=noun,
    )


def _icon(kind: str) -> str:
    return "exclamation-triangle" if kind.endswith(".failed") else _ICONS.get(kind.partition(".")[0], "bolt")
