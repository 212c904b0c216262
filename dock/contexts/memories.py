"""What the list of memories prints; the trash is one of its states."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db.models import Count, Max, Q
from django.db.models.functions import Left
from django.utils.safestring import SafeString

from dock import markdown
from dock.contexts import links, memories_chosen, memory_areas, paged
from dock.contexts.choices import Option, Tab
from dock.contexts.excerpts import readable
from dock.forms.memories import Criteria
from memory.engram import relations
from memory.models import Observation, Project
from memory.models.observation import Judgment, ObservationQuerySet, Scope, Verb
from memory.recall.snippets import Part

CHANGE, DELETE = "memory.change_observation", "memory.delete_observation"

TYPES = 50
"""Types that the filter offers, the most frequent first: agents make up their own."""

_START = 400
_PART = re.compile(r"(?<=\S)\n(?=\*\*[^*\n]{1,60}\*\*\s?:|\*\*[^*\n]{1,60}:\*\*)")
_STATES = {"pinned": "pinned", "due": "due for review"}
_ORDERS = {"due": ("review_after", "pk"), "deleted": ("-deleted_at", "-pk")}
_NEWEST_FIRST = ("-created_at", "-pk")


@dataclass(frozen=True, slots=True)
class MemoryRow:
    """One line of the list; `at` is what the list is sorted by."""

    pk: int
    id: str
    url: str
    title: str
    start: str
    type: str
    scope: str
    project: str
    is_pinned: bool
    is_due: bool
    is_merged: bool
    may_conflict: bool
    at: datetime | None


@dataclass(frozen=True, slots=True)
class MemoryList:
    """The list page; `project` is empty for all projects, `seen` is the newest memory that it knows of."""

    project: str
    text: str
    state: str
    is_trash: bool
    is_filtered: bool
    can_change: bool
    can_delete: bool
    url: str
    clear_url: str
    bulk_url: str
    trash_url: str
    deleted: int
    matching: int
    can_take_all: bool
    seen: int
    areas: list[Tab]
    states: list[Option]
    types: list[Option]
    scopes: list[Option]
    crumbs: list[tuple[str, str]]
    rows: list[MemoryRow]
    previous_url: str
    next_url: str


@dataclass(frozen=True, slots=True)
class _Counts:
    """Numbers of memories by type, scope and state, and the newest id."""

    by: dict[tuple[str, str], dict[str, int]]
    newest: int

    def total(self, state: str, *, type: str = "", scope: str = "") -> int:  # noqa: A002 - the field's name
        return sum(
            numbers[state]
            for (its_type, its_scope), numbers in self.by.items()
            if type in {"", its_type} and scope in {"", its_scope}
        )

    def types(self, state: str, scope: str) -> list[tuple[str, int]]:
        counted: Counter[str] = Counter()
        for (type_name, its_scope), numbers in self.by.items():
            counted[type_name] += numbers[state] if scope in {"", its_scope} else 0
        return [(name, number) for name, number in counted.most_common(TYPES) if number]


def listing(project: Project | None, criteria: Criteria, person: User, *, now: datetime) -> MemoryList:
    """Build the list page. Six queries, of which two read every memory of the project for its counts."""
    rows = memories_chosen.matching(project, criteria, now=now).defer("content").annotate(start=Left("content", _START))
    page = paged.page(rows, order=_ORDERS.get(criteria.state, _NEWEST_FIRST), cursor=criteria.cursor)
    counts = _counts(memories_chosen.found(project, criteria.text), now)
    total = counts.total(criteria.state, type=criteria.type, scope=criteria.scope)
    here = partial(memories_chosen.url, "memory-list", project)
    return MemoryList(
        project=project.name if project else "",
        text=criteria.text,
        state=criteria.state,
        is_trash=criteria.is_trash,
        is_filtered=bool(criteria.text or criteria.type or criteria.scope),
        can_change=person.has_perm(CHANGE),
        can_delete=person.has_perm(DELETE),
        url=here(criteria, cursor=criteria.cursor),
        clear_url=here(state=criteria.state),
        bulk_url=memories_chosen.url("memory-bulk", project, criteria),
        trash_url=here(state="deleted"),
        deleted=counts.total("deleted"),
        matching=total,
        can_take_all=len(page.items) < total <= memories_chosen.MOST,
        seen=counts.newest,
        areas=[] if criteria.is_trash else memory_areas.tabs(project, _area(criteria), now=now),
        states=[] if criteria.is_trash else _states(counts, criteria),
        types=_types(counts, criteria),
        scopes=_scopes(criteria.scope),
        crumbs=[("Memories", here())],
        rows=_rows(page.items, criteria, now, is_of_many=project is None),
        previous_url=page.previous and here(criteria, cursor=page.previous),
        next_url=page.next and here(criteria, cursor=page.next),
    )


def contested(pks: Collection[int]) -> set[int]:
    """Return which of these memories may contradict another, or do. One query."""
    wanted = Q(judgment_status=Judgment.PENDING) | Q(judgment_status=Judgment.JUDGED, relation=Verb.CONFLICTS_WITH)
    ends = relations.of(pks).filter(wanted, source__deleted_at=None, target__deleted_at=None)
    return {pk for pair in ends.values_list("source", "target") for pk in pair if pk in pks}


def rendered(text: str) -> SafeString:
    """Turn the text of a memory into safe HTML, with each of its parts (`**Why**: …`) on a line of its own."""
    return markdown.render(_PART.sub("  \n", text))


def start(text: str, limit: int = 240) -> str:
    """Return how a text begins, in one line and without the signs of Markdown."""
    plain = "".join(part.text for part in readable([Part(" ".join(text.split()), is_marked=False)]))
    return plain if len(plain) <= limit else f"{plain[:limit].rstrip()}…"


def _counts(rows: ObservationQuerySet, now: datetime) -> _Counts:
    live = Q(deleted_at=None)
    grouped = (
        rows.order_by()
        .values("type", "scope")
        .annotate(
            live=Count("pk", filter=live),
            pinned=Count("pk", filter=live & Q(is_pinned=True)),
            due=Count("pk", filter=live & Q(review_after__lte=now)),
            deleted=Count("pk", filter=~live),
            newest=Max("pk"),
        )
    )
    by, newest = {}, 0
    for one in grouped:
        by[one["type"], one["scope"]] = {"": one["live"], **{name: one[name] for name in ("pinned", "due", "deleted")}}
        newest = max(newest, one["newest"])
    return _Counts(by, newest)


def _area(criteria: Criteria) -> str:
    """Return the name of the tab that shows this list."""
    return "" if criteria.state == "pinned" else "memory-list"


def _states(counts: _Counts, criteria: Criteria) -> list[Option]:
    numbers = {name: counts.total(name, type=criteria.type, scope=criteria.scope) for name in _STATES}
    options = [Option(name, f"{words}, {numbers[name]:,}", name == criteria.state) for name, words in _STATES.items()]
    return [Option("", "Any state", not criteria.state), *options]


def _types(counts: _Counts, criteria: Criteria) -> list[Option]:
    known = counts.types(criteria.state, criteria.scope)
    if criteria.type and criteria.type not in dict(known):
        known.append((criteria.type, 0))
    options = [Option(name, f"{name}, {number:,}", name == criteria.type) for name, number in known]
    return [Option("", "All types", not criteria.type), *options]


def _scopes(chosen: str) -> list[Option]:
    return [Option("", "Any scope", not chosen), *(Option(name, name, name == chosen) for name in Scope.values)]


def _rows(found: list[Observation], criteria: Criteria, now: datetime, *, is_of_many: bool) -> list[MemoryRow]:
    disputed = set() if criteria.is_trash else contested([row.pk for row in found])
    return list(_each(found, criteria, disputed, now, is_of_many=is_of_many))


def _each(
    found: list[Observation], criteria: Criteria, disputed: set[int], now: datetime, *, is_of_many: bool
) -> Iterator[MemoryRow]:
    for row in found:
        yield MemoryRow(
            pk=row.pk,
            id=f"memory-{row.pk}",
            url=links.to("memory-detail", row.pk),
            title=row.title or f"Memory {row.pk}",
            start=start(row.start),  # type: ignore[attr-defined]
            type=row.type,
            scope="" if row.scope == Scope.PROJECT else row.scope,
            project=row.project.name if is_of_many else "",
            is_pinned=row.is_pinned,
            is_due=row.needs_review(now),
            is_merged=row.merged_into_id is not None,
            may_conflict=row.pk in disputed,
            at=row.review_after if criteria.state == "due" else row.deleted_at or row.created_at,
        )
