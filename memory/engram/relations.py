"""How memories relate: what may contradict or repeat what, and what was judged about it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.db.models import Count, OuterRef, Q, QuerySet, Subquery

from memory import audit, changes, locks
from memory.audit import Actor
from memory.changes import Note
from memory.engram import alike, pairs
from memory.engram.alike import Alike
from memory.engram.errors import Invalid, NotFound
from memory.engram.redaction import redact
from memory.engram.text import cut
from memory.models import Observation, Project, Relation
from memory.models.observation import Judgment, Verb

MOST_CANDIDATES = 3
MOST_LISTED = 500

_VERBS = tuple(verb for verb in Verb.values if verb != Verb.PENDING)


@dataclass(frozen=True, slots=True)
class Candidate:
    """A memory that the saved one may contradict or repeat; `judgment_id` is what a verdict names."""

    observation: Observation
    score: float
    judgment_id: str


@dataclass(frozen=True, slots=True)
class Listing:
    """A page of relations, and how many there are in all."""

    total: int
    limit: int
    offset: int
    relations: list[Relation]


@dataclass(frozen=True, slots=True)
class Stats:
    """Numbers of relations; `deferred` are those that still wait for one of their memories."""

    by_relation: dict[str, int]
    by_judgment_status: dict[str, int]
    deferred: int


def candidates(observation: Observation, *, at: datetime) -> list[Candidate]:
    """Return the memories to judge a saved one against, three at most; each has a pending relation from now on.

    A pair that was judged is not asked about again, and a pending one keeps its id.
    """
    found = alike.find(observation)
    return _propose(observation, found, at=at) if found else []


@transaction.atomic(durable=True)
def judge(
    *,
    judgment_id: str,
    relation: str,
    reason: str = "",
    evidence: str = "",
    confidence: float | None = None,
    session_id: str = "",
    actor: Actor | None = None,
    at: datetime,
) -> Relation:
    """Write a verdict over a relation, judged or not; without an actor it is an agent's. Raises Invalid."""
    _check(judgment_id=judgment_id, relation=relation)
    _check_verdict(relation, confidence)
    row = Relation.objects.select_related("source", "target").filter(sync_id=judgment_id).first()
    if row is None:
        raise Invalid(f"relation {judgment_id!r} not found")
    _check_pair(row.source, row.target)
    row.reason, row.evidence = _clean(reason), _clean(evidence)
    row.marked_by_actor, row.marked_by_kind = (actor.label[:200], "human") if actor else ("agent", "agent")
    row.marked_by_model, row.session_key = "", session_id[:500]
    _save(row, relation, confidence, at=at)
    if actor:
        audit.record(actor, "relation.judged", row.sync_id, at=at, relation=relation)
    return row


@transaction.atomic(durable=True)
def compare(
    *, a: int, b: int, relation: str, confidence: float | None, reasoning: str, model: str = "", at: datetime
) -> Relation:
    """Write what a comparison of two observations, by their ids, came to. Raises Invalid, NotFound."""
    if confidence is None:
        raise Invalid("confidence is required")
    _check(relation=relation, reasoning=reasoning.strip())
    _check_verdict(relation, confidence)
    source, target = _observation(a), _observation(b)
    if source.pk == target.pk:
        raise Invalid("an observation cannot be compared with itself")
    _check_pair(source, target)
    row = pairs.between({source.sync_id}, {target.sync_id}).order_by("pk").last() or pairs.new(source, target, at=at)
    # What is found may name the two the other way round, and "supersedes" has a direction.
    row.source, row.target = source, target
    row.source_sync_id, row.target_sync_id = source.sync_id, target.sync_id
    row.reason, row.evidence = _clean(reasoning), ""
    row.marked_by_actor, row.marked_by_kind, row.marked_by_model = "engram", "system", model[:200]
    _save(row, relation, confidence, at=at)
    return row


def of(observations: Iterable[int]) -> QuerySet[Relation]:
    """Return the relations that name one of these observations, with both ends."""
    wanted = list(observations)
    rows = Relation.objects.filter(Q(source__in=wanted) | Q(target__in=wanted))
    return rows.select_related("source", "target").order_by("pk")


def find(pk: int) -> Relation | None:
    """Return one relation with both ends. One query."""
    return Relation.objects.select_related("source", "target").filter(pk=pk).first()


def listing(
    *, project: Project | None = None, status: str = "", since: datetime | None = None, limit: int = 50, offset: int = 0
) -> Listing:
    """Return relations, newest first, without those that are no conflict. Two queries."""
    rows = _of_project(project).exclude(relation=Verb.NOT_CONFLICT)
    if status:
        rows = rows.filter(judgment_status=status)
    if since:
        rows = rows.filter(created_at__gte=since)
    limit, offset = min(max(limit, 1), MOST_LISTED), max(offset, 0)
    page = rows.select_related("source", "target").order_by("-pk")[offset : offset + limit]
    return Listing(rows.count(), limit, offset, list(page))


def stats(project: Project | None = None) -> Stats:
    """Count relations. Three queries."""
    rows = _of_project(project)
    return Stats(
        by_relation=_counted(rows, "relation"),
        by_judgment_status=_counted(rows, "judgment_status"),
        deferred=unresolved(project).count(),
    )


def unresolved(project: Project | None = None) -> QuerySet[Relation]:
    """Return the relations that wait for one of their memories, oldest first."""
    rows = _of_project(project).filter(Q(source=None) | Q(target=None))
    return rows.exclude(judgment_status=Judgment.ORPHANED).order_by("pk")


def orphan(sync_ids: Collection[str], *, at: datetime) -> int:
    """Mark the relations of observations that are deleted for good, in the caller's transaction; return how many."""
    rows = Relation.objects.filter(Q(source_sync_id__in=sync_ids) | Q(target_sync_id__in=sync_ids))
    return rows.update(judgment_status=Judgment.ORPHANED, updated_at=at)


def attach() -> int:
    """Join relations to memories that came after them, in the caller's transaction; return how many are whole now."""
    before = unresolved().count()
    for end in ("source", "target"):
        own = Observation.objects.filter(sync_id=OuterRef(f"{end}_sync_id"))
        waiting = Relation.objects.filter(**{end: None}).exclude(judgment_status=Judgment.ORPHANED)
        waiting.update(**{end: Subquery(own.values("pk")[:1])})
    owner = Observation.objects.filter(pk=OuterRef("source")).values("project")[:1]
    Relation.objects.filter(project=None, source__isnull=False).update(project=Subquery(owner))
    return before - unresolved().count()


@transaction.atomic(durable=True)
def replay() -> tuple[int, int]:
    """Try again to join the relations that wait for a memory; return how many there were, and how many are whole."""
    return unresolved().count(), attach()


@transaction.atomic(durable=True)
def _propose(observation: Observation, found: list[Alike], *, at: datetime) -> list[Candidate]:
    locks.project(observation.project_id)
    known = pairs.known([observation, *(one.observation for one in found)])
    proposed: list[Candidate] = []
    fresh: list[Relation] = []
    for one in found:
        row = known.get(pairs.key(observation, one.observation))
        if row is None:
            row = pairs.new(observation, one.observation, at=at)
            fresh.append(row)
        if row.judgment_status == Judgment.PENDING:
            proposed.append(Candidate(one.observation, one.score, row.sync_id))
        if len(proposed) == MOST_CANDIDATES:
            break
    Relation.objects.bulk_create(fresh)
    return proposed


def _save(row: Relation, relation: str, confidence: float | None, *, at: datetime) -> None:
    assert row.source and row.target  # noqa: S101 - both were checked
    row.relation, row.confidence = relation, confidence
    row.judgment_status, row.updated_at = Judgment.JUDGED, at
    row.project = row.source.project
    row.save()
    title = f"{relation}: {row.source.title} / {row.target.title}"
    changes.append([Note("relation.judged", f"observation:{row.source.pk}", title)], project=row.project, at=at)


def _observation(pk: int) -> Observation:
    row = Observation.objects.live().select_related("project").filter(pk=pk).first()
    if row is None:
        raise NotFound(f"observation id={pk} not found")
    return row


def _check(**required: str) -> None:
    for name, value in required.items():
        if not value:
            raise Invalid(f"{name} is required")


def _check_verdict(relation: str, confidence: float | None) -> None:
    if relation not in _VERBS:
        raise Invalid(f"relation must be one of: {', '.join(_VERBS)}")
    if confidence is not None and not 0 <= confidence <= 1:
        raise Invalid("confidence must be between 0 and 1")


def _check_pair(source: Observation | None, target: Observation | None) -> None:
    if source is None or target is None:
        raise Invalid("one of the two observations is not here")
    if source.project_id != target.project_id:
        raise Invalid("cross-project relations are not allowed")


def _clean(text: str) -> str:
    return cut(redact(text)).text


def _of_project(project: Project | None) -> QuerySet[Relation]:
    return Relation.objects.filter(project=project) if project else Relation.objects.all()


def _counted(rows: QuerySet[Relation], field: str) -> dict[str, int]:
    return dict(rows.values_list(field).annotate(n=Count("pk")).order_by(field))
