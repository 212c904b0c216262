"""Looks after the copies of skills that agents read: whether they are still what was put there."""

from __future__ import annotations

import hashlib
import os
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.db import transaction

from memory import changes, refs
from memory.changes import Note
from memory.documents import decoding
from memory.models import Project, SkillCandidate, SkillCopy
from memory.models.skill_desk import CopyState
from memory.skills import found, targets
from memory.skills.found import Found, State
from memory.skills.targets import Target

MOST = 50
"""Copies of one skill that are looked at."""

_STATES: dict[State, CopyState] = {
    "equal": CopyState.CURRENT,
    "current": CopyState.CURRENT,
    "edited": CopyState.EDITED,
    "missing": CopyState.MISSING,
    "unreadable": CopyState.UNREADABLE,
}
_NO_COPY = "This is not the path of a copy of this skill, so it is not opened."


@dataclass(frozen=True, slots=True)
class Place:
    """Where a path of meta.json leads: to a target, or to some other folder of skills."""

    target: str
    base: str
    names: tuple[str, ...]


def check(project: Project, *, at: datetime) -> int:
    """Look at all installed copies of a project's skills; return how many are not as they were left.

    A row is written only when something is different; its `checked_at` says since when it is so.
    """
    rows: dict[int, dict[str, SkillCopy]] = defaultdict(dict)
    for row in SkillCopy.objects.filter(skill__project=project):
        rows[row.skill_id][row.path] = row
    every = project.skills.select_related("project").defer("text", "body")
    skills = [skill for skill in every if skill.installed_paths or skill.pk in rows]
    if not skills:
        return 0
    known, offered = found.known(skills), targets.offered(project)
    return sum(_check(project, skill, rows[skill.pk], known[skill.pk], offered, at=at) for skill in skills)


def text(copy: SkillCopy) -> str | None:
    """Read what a copy says now; None where it cannot be read. Looks at the disk. One query for its skill's project."""
    offered = targets.offered(copy.skill.project)
    seen = _look(place(copy.skill, copy.path, offered))
    return None if seen.data is None else decoding.decode(seen.data)[0]


def place(skill: SkillCandidate, path: str, offered: Iterable[Target]) -> Place | None:
    """Tell where an installed path leads; None for one that is no `…/<slug>/SKILL.md`.

    meta.json may name any file of this machine: only what is called as a copy of this skill is ever opened.
    """
    target = next((one for one in offered if one.copy_path(skill.slug) == path), None)
    if target:
        return Place(target.name, target.base, (*target.names(), skill.slug))
    tail = f"/{skill.slug}/{found.SKILL}"
    folder = path.removesuffix(tail)
    is_plain = folder != path and os.path.normpath(path) == path and "\0" not in path
    is_absolute = folder.startswith("/") and not path.startswith("//")
    return Place(folder[:700], folder, (skill.slug,)) if is_plain and is_absolute else None


def path_hash(path: str) -> str:
    return hashlib.sha256(path.encode("utf-8", "surrogatepass")).hexdigest()


def _check(
    project: Project,
    skill: SkillCandidate,
    rows: dict[str, SkillCopy],
    known: frozenset[str],
    offered: list[Target],
    *,
    at: datetime,
) -> int:
    paths = list(dict.fromkeys(skill.installed_paths))[:MOST]
    seen = [_copy(skill, path, rows.get(path), known, offered, at=at) for path in paths]
    changed = [row for row in seen if _is_news(row, rows.get(row.path))]
    gone = [row for path, row in rows.items() if path not in paths]
    if changed or gone:
        _record(project, skill, changed, gone, at=at)
    return sum(row.state != CopyState.CURRENT for row in seen)


def _copy(
    skill: SkillCandidate,
    path: str,
    row: SkillCopy | None,
    known: frozenset[str],
    offered: list[Target],
    *,
    at: datetime,
) -> SkillCopy:
    """Return the row of a copy as it is now, not saved."""
    where = place(skill, path, offered)
    seen = _look(where)
    state = _STATES[found.state(seen, skill, known, row, is_listed=True)]
    was = row.installed_hash if row else skill.installed_hash[:60]
    installed_hash = seen.content_hash if state == CopyState.CURRENT else was
    return SkillCopy(
        pk=row.pk if row else None,
        skill=skill,
        target=where.target if where else path[:700],
        path=path,
        path_hash=path_hash(path),
        state=state,
        content_hash=seen.content_hash,
        installed_hash=installed_hash,
        installed_text=_installed_text(skill, installed_hash, row),
        problem=seen.problem,
        installed_at=row.installed_at if row and row.installed_hash == installed_hash else skill.installed_at,
        checked_at=at,
    )


def _look(where: Place | None) -> Found:
    return found.look(Path(where.base), where.names) if where else Found(problem=_NO_COPY)


def _installed_text(skill: SkillCandidate, content_hash: str, row: SkillCopy | None) -> str:
    if row and row.installed_hash == content_hash and row.installed_text:
        return row.installed_text
    kept = skill.revisions.filter(content_hash=content_hash).values_list("text", flat=True).first()
    if kept is not None:
        return kept
    data = found.original(skill, content_hash)
    return "" if data is None else decoding.decode(data)[0]


_SAID = ("target", "state", "content_hash", "installed_hash", "installed_text", "problem", "installed_at")


def _is_news(row: SkillCopy, before: SkillCopy | None) -> bool:
    return before is None or any(getattr(row, name) != getattr(before, name) for name in _SAID)


@transaction.atomic
def _record(
    project: Project, skill: SkillCandidate, changed: list[SkillCopy], gone: list[SkillCopy], *, at: datetime
) -> None:
    """Save rows; two processes that look at once say the same."""
    SkillCopy.objects.filter(pk__in=[row.pk for row in gone]).delete()
    SkillCopy.objects.bulk_create(
        [
            SkillCopy(**{name: getattr(row, name) for name in (*_SAID, "skill", "path", "path_hash", "checked_at")})
            for row in changed
        ],
        update_conflicts=True,
        unique_fields=["skill", "path_hash"],
        update_fields=[*_SAID, "checked_at"],
    )
    note = Note("skill.updated", refs.skill(skill, project), skill.title or skill.slug)
    changes.append([note], project=project, at=at)
