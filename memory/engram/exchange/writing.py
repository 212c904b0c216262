"""Writes a plan: every kind of row in bulk, inside the caller's transaction."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from memory.engram.exchange import erasing, observation_writing, statements, versions
from memory.engram.exchange.feed import Feed
from memory.engram.exchange.known import Known, SessionFacts
from memory.engram.exchange.owners import Owners
from memory.engram.exchange.plans import Plan
from memory.engram.exchange.records import PromptRecord
from memory.engram.exchange.statements import Row
from memory.journal.titles import title
from memory.models import Project, Prompt, Session
from memory.models.session import Ownership


def write(plan: Plan, known: Known, owners: Owners, *, at: datetime) -> None:
    """Write all of a plan, and tell the feed of each row."""
    feed = Feed()
    projects = owners.rows(facts.owner for facts in plan.sessions.values())
    _write_sessions(plan, known, projects, feed)
    observation_writing.write(plan, known, owners, feed, at=at)
    versions.write(plan.versions)
    _write_prompts(plan, known, owners, feed)
    observation_writing.relate(plan, known, feed)
    feed.append(at=at)
    erasing.erase(plan, at=at)


def _write_sessions(plan: Plan, known: Known, projects: dict[str, Project], feed: Feed) -> None:
    all_ = plan.sessions.values()
    new = [[*(facts.key, facts.id), *_session(facts, projects)] for facts in all_ if not facts.pk]
    statements.insert(Session, ("key", "external_id", *_SESSION), new)
    statements.update(Session, _SESSION, {facts.pk: _session(facts, projects) for facts in all_ if facts.pk})
    active = (known.sessions[id_] for id_ in plan.touched - plan.sessions.keys())
    statements.touch({facts.pk: facts.last_activity_at for facts in active})
    pks = Session.objects.filter(key__in=[facts.key for facts in all_ if not facts.pk]).values_list("key", "pk")
    by_key = dict(pks)
    for facts in all_:
        facts.pk = facts.pk or by_key[facts.key]
    for kind, ids in (("session.started", plan.started), ("session.ended", plan.ended)):
        for facts in (plan.sessions[id_] for id_ in dict.fromkeys(ids)):
            feed.tell(projects[facts.owner], kind, f"session:{facts.key}", _title(facts))


_SESSION = (
    *("project_id", "started_at", "last_activity_at", "directory", "title", "summary"),
    *("ownership_mode", "ended_at", "is_derived", "is_stub"),
)


def _session(facts: SessionFacts, projects: dict[str, Project]) -> Row:
    return (
        *(projects[facts.owner].pk, facts.started_at, facts.last_activity_at),
        *(facts.directory, _title(facts), facts.summary),
        *(facts.mode or Ownership.SHARED.value, facts.ended_at, facts.is_derived, facts.is_stub),
    )


def _title(facts: SessionFacts) -> str:
    return facts.title or title(facts.summary)


_PROMPT = (
    *("sync_id", "session_id", "project_id", "project_label", "content", "full_size", "source_inbox_id", "created_at"),
)


def _write_prompts(plan: Plan, known: Known, owners: Owners, feed: Feed) -> None:
    records = plan.prompts.values()
    projects = owners.rows(owners.of(record.project).name for record in records)
    statements.insert(Prompt, _PROMPT, (_prompt(record, known, owners) for record in records))
    known.prompts.update(Prompt.objects.filter(sync_id__in=plan.prompts).values_list("sync_id", "pk"))
    for sync_id, record in plan.prompts.items():
        project = projects[owners.of(record.project).name]
        feed.tell(project, "prompt.saved", f"prompt:{known.prompts[sync_id]}", title(record.content.text))


def _prompt(record: PromptRecord, known: Known, owners: Owners) -> Row:
    owner = owners.of(record.project)
    return (
        *(record.sync_id, known.sessions[record.session_id].pk, owner.pk, owner.label(record.project)),
        *(record.content.text, record.content.full_size, record.source_inbox_id, record.created_at),
    )


def touched(plan: Plan, owners: Owners) -> Iterable[int]:
    """Yield the projects that a plan writes to, as far as they exist."""
    yield from owners.pks()
    yield from (write.facts.project for write in plan.observations.values() if write.facts.project)
    yield from (facts.project for facts in (*plan.pinned, *plan.deleted))
