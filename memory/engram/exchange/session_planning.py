"""Decides about sessions: what two records of one say is joined, whichever came first."""

from __future__ import annotations

from datetime import datetime

from memory.engram.exchange.known import Known, SessionFacts
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.plans import Plan
from memory.engram.exchange.records import RECOVERED, SessionRecord
from memory.engram.exchange.report import Note
from memory.engram.exchange.values import UNKNOWN_TIME
from memory.models.prompt import TombstoneKind
from memory.models.session import Ownership


def take(record: SessionRecord, known: Known, owners: Owners, plan: Plan) -> None:
    """Plan what becomes of one record of a session."""
    found = known.sessions.get(record.id)
    grave = known.graves.get((TombstoneKind.SESSION, record.id))
    if found is None and grave and grave.deleted_at >= (record.ended_at or record.started_at or UNKNOWN_TIME):
        plan.tally.skipped.append(Note(f"session {record.id}", "It was deleted, and this copy is older than that."))
        return
    if found is None:
        owner = owners.of(record.project)
        facts = known.derived.pop((owner.name, record.id), None) or _new(record.id, owner.name, owner.pk, known)
        _adopt(facts, record)
        known.sessions[record.id] = plan.sessions[record.id] = facts
        plan.started.append(record.id)
        plan.tally.count("sessions", "new")
        return
    was_stub = found.is_stub
    news = _join(found, record, owners, known)
    if news:
        plan.sessions[record.id] = found
    if was_stub and not found.is_stub:
        plan.started.append(record.id)
        plan.tally.count("sessions", "new")
        return
    if news == "ended":
        plan.ended.append(record.id)
    plan.tally.count("sessions", "updated" if news else "same")


def need(id_: str, project: str, moments: tuple[datetime, ...], known: Known, owners: Owners, plan: Plan) -> None:
    """Plan for a row that is written into a session: a stub where there is none, and its last activity."""
    facts = known.sessions.get(id_)
    first, last = min(moments), max(moments)
    if facts is None:
        owner = owners.of(project)
        facts = known.derived.pop((owner.name, id_), None) or _new(id_, owner.name, owner.pk, known)
        if not facts.pk:
            facts.is_stub, facts.started_at, facts.last_activity_at = True, first, last
            plan.stubs.add(id_)
        facts.is_derived = False
        known.sessions[id_] = plan.sessions[id_] = facts
    if facts.is_stub and first < facts.started_at:
        facts.started_at = first
        plan.sessions[id_] = facts
    if last > facts.last_activity_at:
        facts.last_activity_at = last
        plan.touched.add(id_)


def _new(id_: str, owner: str, owner_pk: int, known: Known) -> SessionFacts:
    """Return a session that is not here; its key differs from its id where a journal of another project has that."""
    key = f"{id_}~{owner_pk}" if id_ in known.taken else id_
    known.taken.add(key)
    return SessionFacts(id_, key, owner, UNKNOWN_TIME, UNKNOWN_TIME)


def _adopt(facts: SessionFacts, record: SessionRecord) -> None:
    """Let a session be what a record says; what journals know of its times stays."""
    if not facts.is_derived:
        facts.started_at = record.started_at or record.ended_at or facts.started_at
    facts.last_activity_at = max(facts.last_activity_at, facts.started_at, record.ended_at or UNKNOWN_TIME)
    facts.directory = record.directory or facts.directory
    facts.mode = record.mode or facts.mode or Ownership.SHARED
    facts.ended_at, facts.summary = record.ended_at or facts.ended_at, _longer(facts.summary, record.summary)
    facts.is_derived, facts.is_stub = False, record.is_stub


def _join(facts: SessionFacts, record: SessionRecord, owners: Owners, known: Known) -> str:
    """Add to a session what a record says more; return "" for nothing, `ended` for its end, `changed` for the rest."""
    before = _state(facts)
    had_ended = bool(facts.ended_at)
    if record.is_invented:
        if not facts.is_stub or record.is_stub:
            return ""
        _adopt(facts, record)
    elif facts.is_stub or facts.directory == RECOVERED:
        _replace(facts, record, owners, known)
    else:
        _complete(facts, record)
    if _state(facts) == before:
        return ""
    return "ended" if facts.ended_at and not had_ended else "changed"


def _replace(facts: SessionFacts, record: SessionRecord, owners: Owners, known: Known) -> None:
    """Let the record that was missing stand where something was made up for it."""
    owner = owners.of(record.project).name
    if (owner, facts.id) not in known.derived:
        facts.owner = owner
    facts.directory = ""
    _adopt(facts, record)


def _complete(facts: SessionFacts, record: SessionRecord) -> None:
    facts.started_at = min(facts.started_at, record.started_at or facts.started_at)
    facts.directory = facts.directory or record.directory
    if record.mode == Ownership.PROJECT_OWNED:
        facts.mode = record.mode
    if record.ended_at:
        facts.ended_at = max(record.ended_at, facts.ended_at or record.ended_at)
        facts.last_activity_at = max(facts.last_activity_at, record.ended_at)
    facts.summary = _longer(facts.summary, record.summary)


def _longer(one: str, other: str) -> str:
    """Of two summaries keep the one that says more; a later end adds to what was said before."""
    return max(one, other, key=lambda text: (len(text), text))


def _state(facts: SessionFacts) -> tuple[object, ...]:
    return (
        *(facts.owner, facts.started_at, facts.directory, facts.mode),
        *(facts.ended_at, facts.summary, facts.is_stub, facts.is_derived),
    )
