"""Writes observations, what they said before, and how they relate."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime

from django.db.models import Max

from memory import refs
from memory.engram import relations
from memory.engram.exchange import statements, values
from memory.engram.exchange.feed import Feed
from memory.engram.exchange.known import Known, ObservationFacts
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.plans import ObservationWrite, Plan
from memory.engram.exchange.records import RelationRecord, session_key
from memory.engram.exchange.statements import Row
from memory.engram.text import cut
from memory.engram.versions import differs
from memory.models import Observation, ObservationVersion, Relation, Tombstone
from memory.models.observation import Judgment
from memory.models.prompt import TombstoneKind

BATCH = 500

_SAID = ("type", "title", "content", "scope", "topic_key")
_VERDICT = (
    *("source", "target", "project", "relation", "judgment_status", "reason", "evidence", "confidence"),
    *("marked_by_actor", "marked_by_kind", "marked_by_model", "session_key", "superseded_at", "superseded_by"),
    *("source_sync_id", "target_sync_id", "created_at", "updated_at"),
)
_COLUMNS = (
    *("session_id", "project_id", "project_label", "type", "title", "content", "full_size", "scope", "topic_key"),
    *("normalized_hash", "tool_name", "revision_count", "duplicate_count", "is_pinned", "review_after"),
    *("last_seen_at", "created_at", "updated_at", "deleted_at"),
)


def write(plan: Plan, known: Known, owners: Owners, feed: Feed, *, at: datetime) -> None:
    """Insert new observations and put newer ones over what is here, which stays as a version."""
    writes = plan.observations.items()
    _keep_versions([one for _, one in writes if one.is_known], at=at)
    new = {sync_id: [sync_id, *_row(one, known, owners)] for sync_id, one in writes if not one.is_known}
    statements.insert(Observation, ("sync_id", *_COLUMNS), new.values())
    for sync_id, pk in Observation.objects.filter(sync_id__in=new).values_list("sync_id", "pk"):
        known.observations[sync_id].pk = pk
    old = {one.facts.pk: _row(one, known, owners) for _, one in writes if one.is_known}
    statements.update(Observation, _COLUMNS, old)
    _tell(plan, owners, feed)
    _mark(plan, feed)
    if plan.filled:
        soft = Tombstone.objects.filter(kind=TombstoneKind.OBSERVATION, session_key="")
        soft.filter(key__in=plan.filled).delete()


def _row(write: ObservationWrite, known: Known, owners: Owners) -> Row:
    """Return the values of an observation, in the order of the columns."""
    record, facts, draft = write.record, write.facts, write.record.draft
    owner = owners.of(record.project)
    return (
        *(known.sessions[record.session_id].pk, owner.pk, owner.label(record.project)),
        *(draft.type, draft.title, draft.content, draft.full_size),
        *(str(draft.scope), draft.topic_key, draft.normalized_hash, values.text(record.row, "tool_name")[:300]),
        *(facts.revision_count, values.count(record.row, "duplicate_count") or facts.duplicate_count, facts.is_pinned),
        *(values.moment(record.row, "review_after"), values.moment(record.row, "last_seen_at")),
        *(record.created_at, record.updated_at, facts.deleted_at),
    )


def _keep_versions(writes: Sequence[ObservationWrite], *, at: datetime) -> None:
    """Keep what is written over, where its words change. Two queries and the insert."""
    rows = Observation.objects.in_bulk([one.facts.pk for one in writes])
    changed = [rows[one.facts.pk] for one in writes if differs(rows[one.facts.pk], one.record.draft)]
    numbers = dict(
        ObservationVersion.objects.filter(observation__in=changed)
        .values_list("observation")
        .annotate(last=Max("number"))
        .order_by()
    )
    ObservationVersion.objects.bulk_create(
        [
            ObservationVersion(
                observation=row,
                number=numbers.get(row.pk, 0) + 1,
                created_at=row.updated_at,
                replaced_at=at,
                **{name: getattr(row, name) for name in _SAID},
            )
            for row in changed
        ],
        batch_size=BATCH,
    )


def _tell(plan: Plan, owners: Owners, feed: Feed) -> None:
    writes = plan.observations.values()
    projects = owners.rows(owners.of(one.record.project).name for one in writes)
    for one in writes:
        project = projects[owners.of(one.record.project).name]
        kind = f"observation.{_what_happened(one)}"
        feed.tell(project, kind, f"observation:{one.facts.pk}", one.record.draft.title)


def _what_happened(one: ObservationWrite) -> str:
    if bool(one.facts.deleted_at) != one.was_deleted:
        return "deleted" if one.facts.deleted_at else "restored"
    return "updated" if one.is_known else "saved"


def _mark(plan: Plan, feed: Feed) -> None:
    """Pin and delete what is here and says nothing new."""
    Observation.objects.filter(pk__in=[facts.pk for facts in plan.pinned]).update(is_pinned=True)
    ends = {facts.pk: facts.deleted_at for facts in plan.deleted}
    for kind, facts in (("pinned", plan.pinned), ("deleted", plan.deleted)):
        rows = Observation.objects.filter(pk__in=[one.pk for one in facts]).select_related("project").order_by("pk")
        for row in rows:
            if kind == "deleted":
                Observation.objects.filter(pk=row.pk).update(deleted_at=ends[row.pk])
            feed.tell(row.project, f"observation.{kind}", refs.observation(row), row.title)


def relate(plan: Plan, known: Known, feed: Feed) -> None:
    """Write relations, and join those that waited for an observation that is new."""
    rows = [_relation(record, plan, known) for record in plan.relations.values()]
    Relation.objects.bulk_create(
        rows, batch_size=BATCH, update_conflicts=True, unique_fields=["sync_id"], update_fields=_VERDICT
    )
    if rows or any(not one.is_known for one in plan.observations.values()):
        relations.attach()
    _tell_relations(rows, feed)


def _relation(record: RelationRecord, plan: Plan, known: Known) -> Relation:
    row = record.row
    return Relation(
        sync_id=record.sync_id,
        source_sync_id=record.source,
        target_sync_id=record.target,
        source_id=_pk(known.observations.get(record.source)),
        target_id=_pk(known.observations.get(record.target)),
        relation=record.verb,
        judgment_status=Judgment.ORPHANED if record.sync_id in plan.orphaned else record.judgment,
        reason=cut(values.text(row, "reason")).text,
        evidence=cut(values.text(row, "evidence")).text,
        confidence=values.share(row, "confidence"),
        marked_by_actor=values.text(row, "marked_by_actor")[:200],
        marked_by_kind=values.text(row, "marked_by_kind")[:40],
        marked_by_model=values.text(row, "marked_by_model")[:200],
        session_key=session_key(row, "session_id"),
        superseded_at=values.moment(row, "superseded_at"),
        superseded_by=values.identifier(row, "superseded_by_relation_sync_id"),
        created_at=record.created_at,
        updated_at=record.updated_at,
    )


def _pk(facts: ObservationFacts | None) -> int | None:
    return facts.pk if facts else None


def _tell_relations(rows: Sequence[Relation], feed: Feed) -> None:
    judged = [row.sync_id for row in rows if row.judgment_status == Judgment.JUDGED and row.source_id]
    whole = Relation.objects.filter(sync_id__in=judged).select_related("source", "target", "source__project")
    for row in whole.order_by("pk"):
        if row.source and row.target:
            name = f"{row.relation}: {row.source.title} / {row.target.title}"
            feed.tell(row.source.project, "relation.judged", refs.observation(row.source), name)
