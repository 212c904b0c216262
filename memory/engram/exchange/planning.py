"""Decides what a part changes, from what is here; the same decisions whatever comes first, and none the second time."""

from __future__ import annotations

from datetime import datetime

from memory.engram.exchange import session_planning
from memory.engram.exchange.known import Grave, Known, ObservationFacts, RelationFacts
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.parts import Part
from memory.engram.exchange.plans import ObservationWrite, Plan
from memory.engram.exchange.records import Deletion, ObservationRecord, PromptRecord, RelationRecord
from memory.engram.exchange.report import Note
from memory.engram.exchange.versions import VersionRecord
from memory.engram.text import LIMIT
from memory.models.observation import Judgment
from memory.models.prompt import TombstoneKind

_BURIED = "It was deleted for good, and this copy is no newer than that."
_NOBODYS = "The observation is not here."
_STAYS = "A session that is here is deleted by hand only."


def plan(part: Part, known: Known, owners: Owners) -> Plan:
    """Return what is to be written, and bring `known` to what will be here then. No query."""
    found = Plan()
    for one in part.unusable:
        found.tally.skipped.append(Note(one.what, f"{one}"))
    news = [deletion for deletion in part.deletions if _bury(deletion, known)]
    for session in part.sessions:
        session_planning.take(session, known, owners, found)
    for observation in part.observations:
        _observation(observation, known, owners, found)
    for version in part.versions:
        _version(version, known, found)
    for prompt in part.prompts:
        _prompt(prompt, known, owners, found)
    for deletion in part.deletions:
        _delete(deletion, known, found)
    found.graves = [one for one in news if _is_to_be_kept(one, known)]
    for relation in part.relations:
        _relation(relation, known, found)
    return found


def _bury(deletion: Deletion, known: Known) -> bool:
    """Let the rows of the part know of a deletion; of several the last one for good counts. Tell whether it is news."""
    place = (deletion.kind, deletion.key)
    grave = known.graves.get(place)
    is_news = grave is None or (deletion.is_final, deletion.deleted_at) > (grave.is_final, grave.deleted_at)
    if is_news:
        known.graves[place] = Grave(deletion.deleted_at, deletion.is_final)
    return is_news


def _is_to_be_kept(deletion: Deletion, known: Known) -> bool:
    """Tell whether a deletion has to be known later: what it deleted here says so itself."""
    match deletion.kind:
        case TombstoneKind.OBSERVATION:
            return deletion.key not in known.observations
        case TombstoneKind.SESSION:
            return deletion.key not in known.sessions
        case _:
            return True


def _observation(record: ObservationRecord, known: Known, owners: Owners, plan: Plan) -> None:
    facts = known.observations.get(record.sync_id)
    grave = known.graves.get((TombstoneKind.OBSERVATION, record.sync_id))
    covering = grave if grave and grave.deleted_at >= record.updated_at else None
    if facts is None and covering and covering.is_final:
        plan.tally.skipped.append(Note(f"observation {record.sync_id}", _BURIED))
        return
    if facts is None or record.rank > facts.rank:
        _write(record, facts, covering, known, plan)
        moments = (record.created_at, record.updated_at)
        session_planning.need(record.session_id, record.project, moments, known, owners, plan)
        return
    outcome = _mark(record, facts, known, plan)
    plan.tally.count("observations", outcome)


def _write(
    record: ObservationRecord, facts: ObservationFacts | None, grave: Grave | None, known: Known, plan: Plan
) -> None:
    """Let a record be what an observation says from now on."""
    after = ObservationFacts(record.updated_at, max(record.revision_count, 1), is_pinned=record.is_pinned)
    ends = [moment for moment in (record.deleted_at, grave.deleted_at if grave else None) if moment]
    if facts:
        after.pk, after.project, after.duplicate_count = facts.pk, facts.project, facts.duplicate_count
        after.revision_count = record.revision_count or facts.revision_count
        after.is_pinned = facts.is_pinned or (record.is_pinned and record.sync_id not in known.unpinned)
        if facts.deleted_at and facts.deleted_at >= record.updated_at:
            ends.append(facts.deleted_at)
    after.deleted_at = max(ends, default=None)
    if grave and not facts:
        plan.filled.append(record.sync_id)
    known.observations[record.sync_id] = after
    known.gone.discard((TombstoneKind.OBSERVATION, record.sync_id))
    plan.observations[record.sync_id] = _overwriting(record, after, plan, facts)
    plan.tally.count("observations", "updated" if facts else "new")


def _overwriting(
    record: ObservationRecord, after: ObservationFacts, plan: Plan, facts: ObservationFacts | None
) -> ObservationWrite:
    """Return the write; of several in one part the first tells what was here before."""
    if earlier := plan.observations.get(record.sync_id):
        return ObservationWrite(record, after, earlier.is_known, earlier.was_deleted)
    return ObservationWrite(record, after, bool(facts), bool(facts and facts.deleted_at))


def _mark(record: ObservationRecord, facts: ObservationFacts, known: Known, plan: Plan) -> str:
    """Take from a row that says nothing new its pin, and of one as new as what is here its deletion."""
    outcome = "same"
    if record.is_pinned and not facts.is_pinned and record.sync_id not in known.unpinned:
        facts.is_pinned, outcome = True, "updated"
        if record.sync_id not in plan.observations:
            plan.pinned.append(facts)
    if record.deleted_at and not facts.deleted_at and record.rank == facts.rank:
        outcome = "updated"
        _end(record.sync_id, facts, record.deleted_at, plan)
    return outcome


def _end(sync_id: str, facts: ObservationFacts, at: datetime, plan: Plan) -> None:
    facts.deleted_at = at
    if sync_id not in plan.observations:
        plan.deleted.append(facts)


def _version(record: VersionRecord, known: Known, plan: Plan) -> None:
    if record.observation not in known.observations:
        plan.tally.skipped.append(Note(f"a version of observation {record.observation}", _NOBODYS))
    elif record.identity not in known.versions.get(record.observation, ()):
        plan.versions.append(record)


def _prompt(record: PromptRecord, known: Known, owners: Owners, plan: Plan) -> None:
    inbox = (record.session_id, record.source_inbox_id)
    if record.sync_id in known.prompts or (record.source_inbox_id and inbox in known.inboxes):
        plan.tally.count("prompts", "same")
    elif (TombstoneKind.PROMPT, record.sync_id) in known.graves:
        plan.tally.skipped.append(Note(f"prompt {record.sync_id}", _BURIED))
    else:
        known.prompts[record.sync_id] = 0
        known.inboxes.add(inbox)
        plan.prompts[record.sync_id] = record
        plan.tally.count("prompts", "new")
        session_planning.need(record.session_id, record.project, (record.created_at,), known, owners, plan)


def _delete(deletion: Deletion, known: Known, plan: Plan) -> None:
    match deletion.kind:
        case TombstoneKind.OBSERVATION:
            _delete_observation(deletion, known, plan)
        case TombstoneKind.PROMPT:
            if pk := known.prompts.pop(deletion.key, 0):
                known.gone.add((deletion.kind, deletion.key))
                plan.lost_prompts.append(pk)
        case _ if deletion.key in known.sessions:
            plan.tally.skipped.append(Note(f"deletion of session {deletion.key}", _STAYS))


def _delete_observation(deletion: Deletion, known: Known, plan: Plan) -> None:
    facts = known.observations.get(deletion.key)
    if facts is None or deletion.deleted_at < facts.updated_at:  # not here, or written again after that
        return
    if deletion.is_final and facts.pk:
        plan.observations.pop(deletion.key, None)
        plan.erased[deletion.key] = deletion.deleted_at
        del known.observations[deletion.key]
        known.gone.add((deletion.kind, deletion.key))
        plan.tally.count("observations", "updated")
    elif not facts.deleted_at:
        _end(deletion.key, facts, deletion.deleted_at, plan)
        plan.tally.count("observations", "updated")


def _relation(record: RelationRecord, known: Known, plan: Plan) -> None:
    facts = known.relations.get(record.sync_id)
    is_orphaned = record.judgment == Judgment.ORPHANED or any(
        _is_gone(end, known) for end in (record.source, record.target)
    )
    if facts is None or record.updated_at > facts.updated_at:
        known.relations[record.sync_id] = RelationFacts(record.updated_at, is_orphaned)
        plan.relations[record.sync_id] = record
        if is_orphaned:
            plan.orphaned.add(record.sync_id)
        plan.tally.count("relations", "updated" if facts else "new")
    else:
        is_orphaned = facts.is_orphaned
        plan.tally.count("relations", "same")
    if not is_orphaned and not {record.source, record.target} <= known.observations.keys():
        plan.waiting[record.sync_id] = (record.source, record.target)


def _is_gone(sync_id: str, known: Known) -> bool:
    grave = known.graves.get((TombstoneKind.OBSERVATION, sync_id))
    return bool(grave and grave.is_final) and sync_id not in known.observations


def note_cuts(plan: Plan) -> None:
    """Say which texts are longer than MemDock keeps; called when they are ready to be written."""
    for sync_id, write in plan.observations.items():
        draft = write.record.draft
        if draft.full_size and len(str(write.record.row.get("content", "")).encode(errors="replace")) > LIMIT:
            plan.tally.problems.append(Note(f"observation {sync_id}", _cut(draft.full_size)))
    for sync_id, prompt in plan.prompts.items():
        if prompt.content.full_size:
            plan.tally.problems.append(Note(f"prompt {sync_id}", _cut(prompt.content.full_size)))


def _cut(size: int) -> str:
    return f"Its text of {size:,} bytes was cut to the first {LIMIT:,}."
