"""What the page of conflicts prints: the pairs of a list, and one of them side by side."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from django.contrib.auth.models import User

from dock.contexts import conflict_pairs, links, memories_versions, memory_areas, paged
from dock.contexts.choices import Option, Tab
from dock.contexts.memories_versions import Difference
from dock.forms.conflicts import VERDICTS, Criteria
from memory.engram import relations
from memory.models import Observation, Project, Relation
from memory.models.observation import Judgment, Verb

CHANGE = "memory.change_relation"

_TABS = (
    ("pending", "To judge"),
    ("judged", "Judged"),
    ("apart", "Cannot be judged"),
    ("orphaned", "Memory removed"),
    ("ignored", "Ignored"),
)
_ALWAYS = {"pending", "judged"}
_WORDS = {
    Verb.PENDING: "not judged",
    Verb.RELATED: "related",
    Verb.COMPATIBLE: "compatible",
    Verb.SCOPED: "scoped",
    Verb.CONFLICTS_WITH: "in conflict",
    Verb.SUPERSEDES: "supersedes",
    Verb.NOT_CONFLICT: "no conflict",
}
_VERDICTS = {
    Verb.RELATED: ("Related", "They speak of the same thing; reading one, the other helps."),
    Verb.COMPATIBLE: ("Compatible", "Both hold, side by side."),
    Verb.SCOPED: ("Scoped", "Both hold, each in a place of its own."),
    Verb.CONFLICTS_WITH: ("Conflict", "Both claim to hold, and they cannot."),
    Verb.SUPERSEDES: ("Supersedes", "The right one replaces the left one."),
    Verb.NOT_CONFLICT: ("No conflict", "They have nothing to do with one another."),
}


@dataclass(frozen=True, slots=True)
class Verdict:
    """One button; `key` presses it."""

    value: str
    label: str
    words: str
    key: str
    is_current: bool


@dataclass(frozen=True, slots=True)
class Side:
    """One memory of a pair; without a number it is not here."""

    number: int | None
    title: str
    url: str
    type: str
    saved_at: datetime | None
    note: str


@dataclass(frozen=True, slots=True)
class Pair:
    """Two memories side by side: on the left the one that was there, on the right the one that came."""

    pk: int
    left: Side
    right: Side
    difference: Difference | None
    verdict: str
    reason: str
    judged_by: str
    judged_at: datetime | None
    confidence: float | None
    judge_url: str
    verdicts: list[Verdict]


@dataclass(frozen=True, slots=True)
class PairRow:
    """One line of the list."""

    id: str
    url: str
    title: str
    other: str
    project: str
    verdict: str
    is_warning: bool
    is_current: bool
    at: datetime


@dataclass(frozen=True, slots=True)
class Refused:
    """What a person posted that could not be taken."""

    reason: str
    error: str


@dataclass(frozen=True, slots=True)
class Judged:
    """The verdict of a moment ago, and where it can be changed."""

    words: str
    url: str


@dataclass(frozen=True, slots=True)
class Conflicts:
    """The page; without a pair there is none in this list."""

    project: str
    status: str
    url: str
    areas: list[Tab]
    tabs: list[Tab]
    verdicts: list[Option]
    is_filtered: bool
    clear_url: str
    pair: Pair | None
    rows: list[PairRow]
    earlier_url: str
    later_url: str
    previous_url: str
    next_url: str
    judged: Judged | None
    typed: str
    error: str


def page(
    project: Project | None, criteria: Criteria, person: User, *, refused: Refused | None = None, now: datetime
) -> Conflicts:
    """Build the page. Eight queries, one less where the pair to read is in the list."""
    owner = project.name if project else ""
    state = {"project": owner, **criteria.query()}
    order = conflict_pairs.ORDER.get(criteria.status, conflict_pairs.NEWEST_FIRST)
    found = paged.page(conflict_pairs.matching(project, criteria), order=order, cursor=criteria.cursor)
    shown = _shown(found.items, criteria.pair)
    here = state | {"cursor": criteria.cursor}
    around = [_at(found.items, shown, step) for step in (-1, 1)]
    return Conflicts(
        project=owner,
        status=criteria.status,
        url=links.to("conflict-list", **here, pair=shown.pk if shown else ""),
        areas=memory_areas.tabs(project, "conflict-list", now=now),
        tabs=_tabs(project, criteria, owner),
        verdicts=_filter(criteria.verdict) if criteria.status == "judged" else [],
        is_filtered=bool(criteria.verdict),
        clear_url=links.to("conflict-list", project=owner, status=criteria.query()["status"]),
        pair=_pair(shown, state, person) if shown else None,
        rows=[_row(row, here, shown, is_of_many=project is None) for row in found.items],
        earlier_url=links.to("conflict-list", **here, pair=around[0].pk) if around[0] else "",
        later_url=links.to("conflict-list", **here, pair=around[1].pk) if around[1] else "",
        previous_url=found.previous and links.to("conflict-list", **state, cursor=found.previous),
        next_url=found.next and links.to("conflict-list", **state, cursor=found.next),
        judged=_last(criteria.last, owner),
        typed=refused.reason if refused else "",
        error=refused.error if refused else "",
    )


def words(relation: Relation) -> str:
    """Say what was judged, as "#12 supersedes #7" or "related"."""
    if relation.relation == Verb.SUPERSEDES:
        return f"#{relation.source_id} supersedes #{relation.target_id}"
    return _WORDS[Verb(relation.relation)]


def _shown(rows: Sequence[Relation], wanted: int | None) -> Relation | None:
    named = next((row for row in rows if row.pk == wanted), None)
    if named is None and wanted is not None:
        named = relations.find(wanted)
    return named or (rows[0] if rows else None)


def _at(rows: Sequence[Relation], shown: Relation | None, step: int) -> Relation | None:
    place = next((place for place, row in enumerate(rows) if shown and row.pk == shown.pk), None)
    return rows[place + step] if place is not None and 0 <= place + step < len(rows) else None


def _tabs(project: Project | None, criteria: Criteria, owner: str) -> list[Tab]:
    counts = conflict_pairs.counts(project)
    return [
        Tab(
            label=label,
            url=links.to("conflict-list", project=owner, **Criteria(name).query()),
            is_current=name == criteria.status,
            count=counts[name],
        )
        for name, label in _TABS
        if counts[name] or name in _ALWAYS or name == criteria.status
    ]


def _filter(chosen: str) -> list[Option]:
    return [
        Option("", "Any verdict", not chosen),
        *(Option(name, _WORDS[Verb(name)], name == chosen) for name in VERDICTS),
    ]


def _row(row: Relation, here: dict[str, str], shown: Relation | None, *, is_of_many: bool) -> PairRow:
    is_judged = row.judgment_status == Judgment.JUDGED
    return PairRow(
        id=f"pair-{row.pk}",
        url=links.to("conflict-list", **here, pair=row.pk),
        title=_title(row.source, row),
        other=_title(row.target, row),
        project=row.project.name if is_of_many and row.project else "",
        verdict=words(row) if is_judged else "",
        is_warning=is_judged and row.relation == Verb.CONFLICTS_WITH,
        is_current=bool(shown and shown.pk == row.pk),
        at=row.updated_at if is_judged else row.created_at,
    )


def _pair(row: Relation, state: dict[str, str], person: User) -> Pair:
    is_judged = row.judgment_status == Judgment.JUDGED
    can_judge = _can_be_judged(row) and person.has_perm(CHANGE)
    return Pair(
        pk=row.pk,
        left=_side(row.target, row),
        right=_side(row.source, row),
        difference=_difference(row.target, row.source),
        verdict=words(row) if is_judged else "",
        reason=row.reason,
        judged_by=(row.marked_by_actor or row.marked_by_kind) if is_judged else "",
        judged_at=row.updated_at if is_judged else None,
        confidence=row.confidence,
        judge_url=links.to("conflict-judge", row.pk, **state) if can_judge else "",
        verdicts=_verdicts(row),
    )


def _can_be_judged(row: Relation) -> bool:
    return bool(row.source and row.target and row.source.project_id == row.target.project_id)


def _difference(left: Observation | None, right: Observation | None) -> Difference | None:
    if left is None or right is None:
        return None
    found = memories_versions.difference(left, right, names=(f"#{left.pk}", f"#{right.pk}"))
    return replace(found, fields=[field for field in found.fields if field.label != "Title"])  # both stand above


def _side(memory: Observation | None, row: Relation) -> Side:
    if memory is None:
        return Side(None, _title(None, row), "", "", None, "")
    is_elsewhere = row.project_id is not None and memory.project_id != row.project_id
    note = "in the trash" if memory.deleted_at else "in another project" if is_elsewhere else ""
    return Side(
        memory.pk, _title(memory, row), links.to("memory-detail", memory.pk), memory.type, memory.created_at, note
    )


def _title(memory: Observation | None, row: Relation) -> str:
    if memory:
        return memory.title or f"Memory {memory.pk}"
    is_gone = row.judgment_status == Judgment.ORPHANED
    return "A memory that was removed" if is_gone else "A memory that is not here yet"


def _verdicts(row: Relation) -> list[Verdict]:
    is_judged = row.judgment_status == Judgment.JUDGED
    return [
        Verdict(value, label, words, str(number), is_judged and row.relation == value)
        for number, (value, (label, words)) in enumerate(_VERDICTS.items(), 1)
    ]


def _last(pk: int | None, owner: str) -> Judged | None:
    row = relations.find(pk) if pk else None
    if row is None or row.judgment_status != Judgment.JUDGED:
        return None
    said = f"“{_title(row.source, row)}” and “{_title(row.target, row)}”: {words(row)}."
    return Judged(said, links.to("conflict-list", project=owner, status="judged", pair=row.pk))
