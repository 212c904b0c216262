"""Sessions as agents register, continue and end them (Engram's life of a session)."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction

from memory import audit, changes, locks, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import checkouts, holding, naming, ownership, registration, tombstones
from memory.engram.errors import Invalid, SessionEnded, SessionNotFound, StillHasObservations
from memory.engram.redaction import redact
from memory.engram.registration import Wanted
from memory.engram.text import cut
from memory.journal.titles import title
from memory.models import Project, Session
from memory.models.session import Ownership

RECENT = timedelta(days=7)
"""How long a session that never had a lease is offered to writers that name none."""

_MANUAL = "manual-save-"


@dataclass(frozen=True, slots=True)
class Registration:
    """The session to write to; `resumed_from` is the id that was asked for, where another one continues it."""

    session: Session
    resumed_from: str = ""


@transaction.atomic(durable=True)
def register(
    *,
    id: str,  # noqa: A002 - the wire's word
    project: str,
    directory: str = "",
    ownership_mode: str = "",
    resume: bool = False,
    isolated: bool = False,
    platform: str = "",
    at: datetime,
) -> Registration:
    """Start a session or renew its lease; `resume` goes on with the continuation of one that has ended.

    What is known of a session is completed, never overwritten. Raises Invalid, SessionEnded, SessionConflict,
    IsolationConflict. A renewal costs two queries, four on PostgreSQL.
    """
    registration.check(id=id, project=project, directory=directory, mode=ownership_mode, is_isolated=isolated)
    wanted = Wanted(
        project=project,
        directory=checkouts.root(directory),
        mode=ownership_mode,
        is_isolated=isolated,
        platform=redact(platform)[:40],
        at=at,
    )
    found = holding.session(id) or registration.start(holding.key(id), wanted)
    if not found.ended_at:
        return Registration(registration.renew(found, wanted))
    if not resume:
        raise SessionEnded(session_id=id)
    return Registration(registration.renew(registration.continuation(found, wanted), wanted), resumed_from=id)


def find(id: str) -> Session | None:  # noqa: A002
    """Return the session that an agent registered under this id, with its project. One query."""
    return holding.registered(id)


@transaction.atomic(durable=True)
def end(*, id: str, summary: str = "", at: datetime) -> None:  # noqa: A002
    """End a session for good; nothing happens to one that is not known.

    A later end adds its summary to the first one's, so that neither is lost (Engram overwrites it).
    """
    if found := holding.session(id):
        _end(found, summary, at=at)


@transaction.atomic(durable=True)
def delete(*, id: str, actor: Actor | None = None, at: datetime) -> None:  # noqa: A002
    """Delete a session and its prompts for good; what journals tell of it, or are going to, stays.

    Raises SessionNotFound, and StillHasObservations while one names it, be it deleted.
    """
    found = holding.session(id)
    if found is None:
        raise SessionNotFound
    if count := found.observations.count():
        raise StillHasObservations(f'session still has observations: session "{id}" has {count} observation(s)')
    _forget(found, at=at)
    if actor:
        audit.record(actor, "session.deleted", refs.session(found), at=at)


def runtime_resolve(*, id: str, project: str, directory: str, ownership_mode: str = "") -> Registration:  # noqa: A002
    """Return the session that goes on under this id: itself, or the first of its continuations that has not ended.

    Never makes one. Raises Invalid, SessionNotFound, and SessionConflict where project, directory or mode differ.
    """
    if not directory.strip():
        raise Invalid("id, project and directory are required")
    registration.check(id=id, project=project, directory=directory, mode=ownership_mode)
    root = holding.registered(id)
    found = root if root and not root.ended_at else registration.open_continuation(holding.key(id))
    if found is None:
        raise SessionNotFound
    is_same = ownership.is_named(found.project, project) and found.directory == checkouts.root(directory)
    if not is_same or (ownership_mode and found.ownership_mode != ownership_mode):
        raise registration.conflict(found, project)
    return Registration(found, resumed_from="" if found == root else id)


@transaction.atomic(durable=True)
def runtime_end(
    *,
    id: str,  # noqa: A002
    project: str,
    directory: str,
    ownership_mode: str = "",
    summary: str = "",
    at: datetime,
) -> Registration:
    """End the session that goes on under this id, and return it. Raises what `runtime_resolve` raises."""
    found = runtime_resolve(id=id, project=project, directory=directory, ownership_mode=ownership_mode)
    row = holding.again(found.session)
    _end(row, summary, at=at)
    return Registration(row, found.resumed_from)


@transaction.atomic(durable=True)
def writer(*, project: str, directory: str = "", at: datetime) -> Session:
    """Return the session to which a write belongs that names none.

    That is the one that is alive in the directory, or `manual-save-<project>` where there is none. Raises Invalid
    where several are, since a guess would put the memory into a foreign conversation.
    """
    owner = naming.project_of(project)
    locks.project(owner.pk)
    alive = _alive(owner, checkouts.root(directory), at)
    if len(alive) > 1:
        ids = ", ".join(row.external_id for row in alive)
        raise Invalid(f"multiple active runtime sessions match; name one of them as session_id: {ids}")
    return alive[0] if alive else _manual(owner, Wanted(project=owner.name, at=at))


def _end(row: Session, summary: str, *, at: datetime) -> None:
    said = redact(summary)
    if row.ended_at and (not said or said in row.summary):
        return
    row.summary = cut("\n\n".join(filter(None, [row.summary, said]))).text
    row.title = row.title or title(said)
    row.ended_at = row.ended_at or at
    row.last_activity_at = max(row.last_activity_at, at)
    row.save(update_fields=["summary", "title", "ended_at", "last_activity_at"])
    changes.append([Note("session.ended", refs.session(row), row.title)], project=row.project, at=at)


def _forget(row: Session, *, at: datetime) -> None:
    prompts = list(row.prompts.all())
    tombstones.put([tombstones.of_session(row, at=at), *(tombstones.of_prompt(one, row, at=at) for one in prompts)])
    notes = [Note("prompt.deleted", refs.prompt(prompt)) for prompt in prompts]
    changes.append([*notes, Note("session.deleted", refs.session(row))], project=row.project, at=at)
    tombstones.untitle([note.ref for note in notes])
    if row.entries.exists() or row.captures.exists():
        row.prompts.all().delete()
        _derive(row)
    else:
        row.delete()


def _derive(row: Session) -> None:
    """Leave of a session what journals know of it."""
    row.is_derived, row.is_stub, row.ownership_mode = True, False, Ownership.SHARED
    row.summary, row.ended_at, row.last_seen_at = "", None, None
    row.save(update_fields=["is_derived", "is_stub", "ownership_mode", "summary", "ended_at", "last_seen_at"])


def _alive(owner: Project, directory: str, at: datetime) -> list[Session]:
    """Return the candidates of a write without a session: those with a lease, else recent ones that never had one."""
    rows = Session.objects.registered().filter(project=owner, directory=directory, ended_at=None)
    rows = rows.exclude(key__startswith=_MANUAL).select_related("project").order_by("pk")
    never_leased = rows.filter(last_seen_at=None, last_activity_at__gt=at - RECENT)
    return list(rows.live(at)[:10]) or list(never_leased[:10])


def _manual(owner: Project, wanted: Wanted) -> Session:
    """Return the session of writes that belong to none; an imported one of its name may be of another project."""
    key = f"{_MANUAL}{owner.name}"
    found = registration.start(key, wanted)
    return found if found.project_id == owner.pk else registration.start(f"{key}~{owner.pk}", wanted)
