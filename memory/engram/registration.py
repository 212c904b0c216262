"""The steps by which a session starts, goes on and is continued, inside the caller's transaction."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime

from memory import changes, locks, refs
from memory.changes import Note
from memory.engram import naming, ownership
from memory.engram.errors import Invalid, IsolationConflict, SessionConflict
from memory.models import Session
from memory.models.project import NO_PROJECT
from memory.models.session import Ownership

_RESUMED = re.compile(r":resume:(\d{1,9})$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """What a client asks for; `mode` is "" where it asks for none."""

    project: str
    directory: str = ""
    mode: str = ""
    is_isolated: bool = False
    platform: str = ""
    at: datetime


def check(*, id: str, project: str, directory: str, mode: str, is_isolated: bool = False) -> None:  # noqa: A002
    """Raise Invalid for what no session can be."""
    if not id.strip() or not project.strip():
        raise Invalid("id and project are required")
    if mode and mode not in Ownership.values:
        raise Invalid("ownership_mode must be shared or project_owned")
    if is_isolated and (mode != Ownership.PROJECT_OWNED or directory.strip()):
        raise Invalid("isolated registration requires project_owned ownership and an empty directory")


def start(key: str, wanted: Wanted, *, continues: Session | None = None) -> Session:
    """Make a session, or take over the one that only journals knew; one that another process just made is as good."""
    owner = naming.project_of(wanted.project)
    locks.project(owner.pk)
    if known := owner.sessions.select_related("project").filter(external_id=key).first():
        return _adopt(known, wanted)
    is_taken = Session.objects.filter(key=key, is_derived=True).exists()  # by a journal of another project
    row, is_new = Session.objects.select_related("project").get_or_create(
        key=f"{key}~{owner.pk}" if is_taken else key,
        defaults={
            "project": owner,
            "external_id": key,
            "started_at": wanted.at,
            "last_activity_at": wanted.at,
            "ownership_mode": wanted.mode or Ownership.SHARED,
            "continues": continues,
        },
    )
    if is_new:
        changes.append([Note("session.started", refs.session(row))], project=owner, at=wanted.at)
    return row


def renew(row: Session, wanted: Wanted) -> Session:
    """Renew the lease and complete what is not known yet. Raises SessionConflict, IsolationConflict."""
    check_owner(row, wanted)
    if wanted.is_isolated and (row.directory or row.ownership_mode != Ownership.PROJECT_OWNED):
        raise IsolationConflict(session_id=row.external_id)
    row.directory = row.directory or wanted.directory
    row.platform = row.platform or wanted.platform
    row.last_seen_at, row.is_stub = wanted.at, False
    if row.project.name == NO_PROJECT:
        _give_owner(row, wanted)
    row.save(update_fields=["directory", "platform", "last_seen_at", "is_stub", "project"])
    return row


def check_owner(row: Session, wanted: Wanted) -> None:
    """Let any project use a shared session, and only its own one that is owned. Raises SessionConflict."""
    is_owned = Ownership.PROJECT_OWNED in {row.ownership_mode, wanted.mode}
    if is_owned and row.project.name != NO_PROJECT and not ownership.is_named(row.project, wanted.project):
        raise conflict(row, wanted.project)


def conflict(row: Session, requested: str) -> SessionConflict:
    owner = naming.wire_name(row.project)
    return SessionConflict(
        f'session ownership does not match write project: session "{row.external_id}" belongs to "{owner}", not "{requested}"',
        session_id=row.external_id,
        owner_project=owner,
        requested_project=requested,
    )


def continuation(ended: Session, wanted: Wanted) -> Session:
    """Return the first open continuation of a session that has ended, or a new one, `<id>:resume:2` first."""
    check_owner(ended, wanted)
    if goes_on := open_continuation(ended.external_id):
        return goes_on
    last = max((number for number, _ in _continuations(ended.external_id)), default=1)
    return start(f"{_root(ended.external_id)}:resume:{last + 1}", wanted, continues=ended)


def open_continuation(key: str) -> Session | None:
    """Return the first continuation of a session that has not ended."""
    return next((row for _, row in _continuations(key) if not row.ended_at and not row.is_derived), None)


def _adopt(row: Session, wanted: Wanted) -> Session:
    if row.is_derived:
        row.is_derived, row.ownership_mode = False, wanted.mode or Ownership.SHARED
        row.save(update_fields=["is_derived", "ownership_mode"])
        changes.append([Note("session.started", refs.session(row), row.title)], project=row.project, at=wanted.at)
    return row


def _give_owner(row: Session, wanted: Wanted) -> None:
    """Give a session of "no project" the one that is named now, unless that one has such a session already."""
    owner = naming.project_of(wanted.project)
    if not owner.sessions.filter(external_id=row.external_id).exists():
        row.project = owner


def _root(key: str) -> str:
    return _RESUMED.sub("", key)


def _continuations(key: str) -> list[tuple[int, Session]]:
    """Return the continuations of a session by number. SQLite compares without regard to case, ids do not."""
    start = f"{_root(key)}:resume:"
    rows = Session.objects.select_related("project").filter(key__startswith=start)
    own = [row for row in rows if row.key.startswith(start)]
    return sorted(
        ((int(found[1]), row) for row in own if (found := _RESUMED.search(row.key))), key=lambda pair: pair[0]
    )
