"""Reads the change feed for people: a page of it, with the many changes of one reading of the disk told as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Count, Model, Q, QuerySet

from dock.forms.live import Criteria
from memory import refs
from memory.models import (
    Artifact,
    Capture,
    Change,
    Document,
    Entry,
    Observation,
    Project,
    Prompt,
    Session,
    SkillCandidate,
    UpkeepRun,
)
from memory.sessions.queries import with_opening

PAGE = 150
FEW = 5
"""Changes of one kind and moment in a project that are told one by one."""

_BY_NUMBER: dict[str, type[Model]] = {
    "observation": Observation,
    "prompt": Prompt,
    "capture": Capture,
    "upkeep": UpkeepRun,
    "artifact": Artifact,
}

type _Key = tuple[int | None, datetime, str]


@dataclass(frozen=True, slots=True)
class Batch:
    """Many changes of one kind that were made at once."""

    kind: str
    project: Project | None
    at: datetime
    count: int
    newest: int


@dataclass(frozen=True, slots=True)
class Reading:
    """A page of the feed, newest first; `before` is the cursor of what follows, None at the end."""

    items: list[Change | Batch]
    before: int | None


@dataclass(frozen=True, slots=True)
class Records:
    """What the changes of a page speak of, as far as it still exists."""

    entries: dict[str, Entry]
    sessions: dict[str, Session]
    others: set[str]

    def session(self, ref: str) -> Session | None:
        """Return the conversation that a change belongs to."""
        entry = self.entries.get(ref)
        return entry.session if entry else self.sessions.get(ref)

    def url(self, ref: str) -> str:
        """Return the page of a record, "" for one that is gone."""
        is_there = ref in self.entries or ref in self.sessions or ref in self.others
        return refs.url(ref) if is_there or ref.startswith("project:") else ""


def read(project: Project | None, criteria: Criteria) -> Reading:
    """Read a page. At most three queries.

    A first reading appends thousands of changes: the page counts the rest of the batch on which it ends, and the page
    after it leaves that batch out.
    """
    rows = Change.objects.filter(project=project) if project else Change.objects.all()
    if criteria.kind:
        rows = rows.filter(kind__startswith=f"{criteria.kind}.")
    # A project may have hundreds of problems, to be decoded anew with every row.
    rows = rows.select_related("project").defer("project__problems")
    found = list(_below(rows, criteria.before).order_by("-pk")[: PAGE + 1])
    changes = found[:PAGE]
    last = changes[-1] if len(found) > PAGE else None
    rest = _rest(rows, last) if last else {}
    return Reading([*_told(changes, rest), *_untold(changes, rest)], last.pk if last else None)


def records(items: Iterable[Change | Batch]) -> Records:
    """Find what the single changes name. A query for each kind of record among them."""
    named = {item.ref for item in items if isinstance(item, Change)}
    entries = Entry.objects.filter(pk__in=_numbers(named, "entry")).select_related("session").defer("body")
    sessions = with_opening(Session.objects.filter(key__in=_rests(named, "session")))
    skills = SkillCandidate.objects.filter(slug__in=_names(named, "skill")).select_related("project")
    documents = Document.objects.filter(name__in=_names(named, "file")).select_related("project").defer("text")
    return Records(
        entries={refs.entry(row): row for row in entries},
        sessions={refs.session(row): row for row in sessions},
        others={
            *(refs.skill(row, row.project) for row in skills.only("slug", "project__name")),
            *(refs.document(row, row.project) for row in documents),
            *_numbered(named),
        },
    )


def _numbered(named: set[str]) -> Iterator[str]:
    """Yield the refs of records with a number that are there."""
    for kind, model in _BY_NUMBER.items():
        if wanted := _numbers(named, kind):
            there = model._default_manager.filter(pk__in=wanted).values_list("pk", flat=True)
            yield from (f"{kind}:{pk}" for pk in there)


def _numbers(named: set[str], kind: str) -> list[int]:
    return [int(pk) for pk in _rests(named, kind) if pk.isdecimal() and len(pk) < 19]


def _below(rows: QuerySet[Change], before: int | None) -> QuerySet[Change]:
    if before is None:
        return rows
    last = Change.objects.filter(pk=before).first()
    rows = rows.filter(pk__lt=before)
    return rows.exclude(Q(project=last.project_id, at=last.at)) if last else rows


def _rest(rows: QuerySet[Change], last: Change) -> dict[_Key, int]:
    """Count what of the last change's batch lies below it, by kind."""
    batch = rows.filter(pk__lt=last.pk, project=last.project_id, at=last.at).order_by()
    counted = batch.values_list("kind").annotate(count=Count("pk"))
    return {(last.project_id, last.at, kind): count for kind, count in counted}


def _key(change: Change) -> _Key:
    return change.project_id, change.at, change.kind


def _told(changes: Sequence[Change], rest: dict[_Key, int]) -> Iterator[Change | Batch]:
    counts = Counter(_key(change) for change in changes)
    told = set()
    for change in changes:
        key = _key(change)
        if counts[key] <= FEW and key not in rest:
            yield change
        elif key not in told:
            told.add(key)
            yield Batch(change.kind, change.project, change.at, counts[key] + rest.get(key, 0), change.pk)


def _untold(changes: Sequence[Change], rest: dict[_Key, int]) -> Iterator[Batch]:
    """Tell of the kinds in the last batch of which the page holds no change."""
    seen = {_key(change) for change in changes}
    for key, count in rest.items():
        if key not in seen:
            yield Batch(key[2], changes[-1].project, key[1], count, changes[-1].pk)


def _rests(named: Iterable[str], kind: str) -> set[str]:
    return {ref.removeprefix(f"{kind}:") for ref in named if ref.startswith(f"{kind}:")}


def _names(named: Iterable[str], kind: str) -> set[str]:
    """Return the slugs or names in refs of the form kind:project/name, where each part may hold a slash."""
    pieces = (rest.split("/") for rest in _rests(named, kind))
    return {"/".join(parts[at:]) for parts in pieces for at in range(1, len(parts))}
