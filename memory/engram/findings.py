"""What each of Engram's checks finds in this memory; nothing is changed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from django.db import connection
from django.db.models import Count, Q

from memory.engram.errors import EngramError
from memory.models import Project, Session
from memory.models.project import NO_PROJECT
from memory.models.session import SessionQuerySet
from memory.projects import detection, directories, names

type Result = Literal["ok", "warning", "blocked", "error"]

HEALTHY = "No action required."
SHOWN = 20
"""Rows that a finding names; it counts all of them."""

_MANUAL = "manual-save-"
_DIRECTORIES = 20


@dataclass(frozen=True, slots=True)
class Check:
    """What one check found: `message` says what, `why` why that matters, `safe_next_step` what helps."""

    check_id: str
    result: Result
    reason_code: str
    message: str = ""
    safe_next_step: str = HEALTHY
    why: str = ""
    evidence: Mapping[str, object] = field(default_factory=dict)
    requires_confirmation: bool = False


def invalid_session_identity(project: Project | None) -> Check:
    """Find sessions that have no id. One query."""
    name = "invalid_session_identity"
    blank = _sessions(project).filter(Q(external_id="") | Q(key="")).count()
    if not blank:
        return Check(name, "ok", "session_identities_valid")
    return Check(
        name,
        "blocked",
        "blank_session_id",
        f"{blank} sessions have no id.",
        "Delete them, or give their memories to another session.",
        why="No client can name them.",
        evidence={"count": blank},
        requires_confirmation=True,
    )


def manual_session_name_project_mismatch(project: Project | None) -> Check:
    """Find sessions named after one known project that belong to another. Two queries."""
    name = "manual_session_name_project_mismatch"
    rows = _sessions(project).filter(external_id__startswith=_MANUAL).select_related("project").order_by("pk")
    known = set(Project.objects.values_list("name", flat=True))
    found = []
    for row in rows:
        meant = names.canonical(row.external_id.removeprefix(_MANUAL))
        if meant in known and meant != row.project.name:
            found.append({"session_id": row.external_id, "named": meant, "project": row.project.name})
    return _warning(
        name,
        found,
        "manual_session_project_mismatch",
        "{count} manual sessions carry the name of another project.",
        "Look at their memories and merge the projects if they are one.",
        "What was saved there may be of the other project.",
    )


def orphaned_observation_session(project: Project | None) -> Check:
    """Find memories whose session was never recorded: the session is a stub that an import made. One query."""
    live = Count("observations", filter=Q(observations__deleted_at=None))
    rows = _sessions(project).filter(is_stub=True).annotate(live=live).filter(live__gt=0).order_by("pk")
    return _warning(
        "orphaned_observation_session",
        [{"session_id": key, "observations": count} for key, count in rows.values_list("external_id", "live")],
        "session_record_missing",
        "{count} sessions are known from their memories only.",
        "Import the source that holds their records; nothing is lost meanwhile.",
        "When they began and where they ran is not known.",
    )


def session_project_directory_mismatch(project: Project | None) -> Check:
    """Find sessions of another project than their directory's repository names.

    Looks at the 20 directories that were worked in last, and only at those that this machine can see.
    """
    found: list[dict[str, object]] = []
    for directory, owner in _places(project):
        told = _repository_project(directory)
        if told and told != owner:
            found.append({"directory": directory, "project": owner, "detected_project": told})
    return _warning(
        "session_project_directory_mismatch",
        found,
        "session_project_directory_mismatch",
        "In {count} directories sessions belong to another project than the repository.",
        "Merge the projects, or name the right one in .engram/config.json.",
        "A search in one project does not find what is in the other.",
    )


def sqlite_lock_contention(project: Project | None) -> Check:
    """Tell whether writers of the database wait for one another. Two statements on SQLite, none elsewhere."""
    name = "sqlite_lock_contention"
    if connection.vendor != "sqlite" or connection.in_atomic_block:
        return Check(name, "ok", "no_lock_contention")
    with connection.cursor() as cursor:
        wait_ms = cursor.execute("PRAGMA busy_timeout").fetchone()[0]
        is_busy = cursor.execute("PRAGMA wal_checkpoint(PASSIVE)").fetchone()[0]
    evidence: dict[str, object] = {"busy_timeout_ms": wait_ms, "checkpoint_busy": bool(is_busy)}
    if wait_ms and not is_busy:
        return Check(name, "ok", "no_lock_contention", evidence=evidence)
    return Check(
        name,
        "warning",
        "wal_checkpoint_busy" if is_busy else "no_busy_timeout",
        "The database is busy." if is_busy else "Writers do not wait for one another.",
        "Wait until other processes have done their work, then check again.",
        why="Saves may have to wait, or fail.",
        evidence=evidence,
    )


def sync_mutation_required_fields(project: Project | None) -> Check:
    """Nothing waits to be sent anywhere: MemDock has no cloud."""
    return Check("sync_mutation_required_fields", "ok", "no_pending_mutations")


def unowned_session_project(project: Project | None) -> Check:
    """Find sessions that belong to no project; asked of all projects only. One query."""
    name = "unowned_session_project"
    if project:
        return Check(name, "ok", "not_scoped_to_a_project")
    rows = _sessions(None).filter(project__name=NO_PROJECT).order_by("pk")
    return _warning(
        name,
        [{"session_id": key} for key in rows.values_list("external_id", flat=True)],
        "session_without_project",
        "{count} sessions belong to no project.",
        "Give them to a project with POST /projects/rescue-ownership.",
        "A search in a project does not find what was saved there.",
    )


def _sessions(project: Project | None) -> SessionQuerySet:
    rows = Session.objects.registered()
    return rows.filter(project=project) if project else rows


def _places(project: Project | None) -> list[tuple[str, str]]:
    """Return directories with the projects of their sessions, those that were worked in last first. One query."""
    rows = _sessions(project).exclude(directory="").exclude(project__name=NO_PROJECT).newest_first()
    return list(dict.fromkeys(rows.values_list("directory", "project__name")[:500]))[:_DIRECTORIES]


def _repository_project(directory: str) -> str:
    if not directories.seen(directory):
        return ""
    try:
        found = detection.current(directory)
    except EngramError:
        return ""
    return found.project if found.source in {"git_remote", "git_root"} else ""


def _warning(
    name: str, rows: Iterable[Mapping[str, object]], reason_code: str, message: str, safe_next_step: str, why: str
) -> Check:
    found = list(rows)
    if not found:
        return Check(name, "ok", f"no_{reason_code}")
    evidence: dict[str, object] = {"count": len(found), "rows": found[:SHOWN]}
    return Check(
        name,
        "warning",
        reason_code,
        message.format(count=len(found)),
        safe_next_step,
        why=why,
        evidence=evidence,
        requires_confirmation=True,
    )
