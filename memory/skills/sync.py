"""Follows the skill candidates of a tree, and keeps every content of SKILL.md that was seen."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from memory import changes, refs
from memory.changes import Note
from memory.disk import Tree
from memory.models import Project, SkillCandidate, SkillRevision
from memory.models.skill import SkillReview
from memory.problems import Problem
from memory.skills import copies, rejections, store
from memory.skills.store import Candidate


def sync(project: Project, tree: Tree, *, at: datetime) -> list[Problem]:
    """Bring the rows of a project's candidates to what is on disk; return what is wrong with them.

    A decision lapses when the content that it was made on changes; a content that was rejected before is rejected at
    once. The installed copies are looked at as well.
    """
    candidates, problems = store.read_all(tree)
    known = {row.slug: row for row in project.skills.all()}
    for candidate in candidates:
        row = known.pop(candidate.slug[:255], None)
        if row is None:
            _propose(project, candidate, at=at)
        elif row.fingerprint != candidate.fingerprint:
            _update(project, row, candidate, at=at)
        path = f"{store.FOLDER}/{candidate.slug}"
        problems += [Problem(path, text.removeprefix(f"{path}/")) for text in candidate.problems]
    unread = {problem.path for problem in problems}
    for row in known.values():  # what cannot be read is not gone
        if not unread & {store.FOLDER, f"{store.FOLDER}/{row.slug}"}:
            _remove(project, row, at=at)
    copies.check(project, at=at)
    return problems


def _propose(project: Project, candidate: Candidate, *, at: datetime) -> None:
    review = _rejected(project, candidate)
    try:
        with transaction.atomic():
            row = SkillCandidate.objects.create(
                project=project, slug=candidate.slug, created_at=at, **_facts(candidate, at), **review
            )
            _revise(row, at=at)
            kind = "skill.updated" if review else "skill.proposed"
            changes.append([_note(kind, project, row)], project=project, at=at)
    except IntegrityError:
        if not project.skills.filter(slug=candidate.slug).exists():  # else another process was first
            raise


@transaction.atomic
def _update(project: Project, row: SkillCandidate, candidate: Candidate, *, at: datetime) -> None:
    facts = _facts(candidate, at) | _lapsed(project, row, candidate)
    if not SkillCandidate.objects.filter(pk=row.pk, fingerprint=row.fingerprint).update(**facts):
        return
    is_revised = row.content_hash != candidate.content_hash
    row.refresh_from_db()
    if is_revised:
        _revise(row, at=at)
    changes.append([_note("skill.updated", project, row)], project=project, at=at)


def _lapsed(project: Project, row: SkillCandidate, candidate: Candidate) -> dict[str, object]:
    """Return the review of a content that is another one; a file that cannot be read for once changes none.

    Whoever decides at this moment is not seen in `row`: a review of the old content must not become one of the new.
    """
    if candidate.content_hash in {"", row.content_hash}:
        return {}
    is_reviewed = row.reviewed_hash == candidate.content_hash
    lapsed: dict[str, object] = {} if is_reviewed else {"review": SkillReview.PENDING, "snoozed_until": None}
    return lapsed | _rejected(project, candidate)


def _rejected(project: Project, candidate: Candidate) -> dict[str, object]:
    moment = rejections.rejected_at(project, candidate.slug, candidate.content_hash)
    if moment is None:
        return {}
    rejected = {"review": SkillReview.REJECTED, "reviewed_hash": candidate.content_hash, "reviewed_at": moment}
    return rejected | {"snoozed_until": None}


@transaction.atomic
def _remove(project: Project, row: SkillCandidate, *, at: datetime) -> None:
    note = _note("skill.removed", project, row)
    row.delete()
    changes.append([note], project=project, at=at)


def _revise(row: SkillCandidate, *, at: datetime) -> None:
    if row.content_hash:
        SkillRevision.objects.create(
            skill=row, number=row.revisions.count() + 1, content_hash=row.content_hash, text=row.text, seen_at=at
        )


def _note(kind: str, project: Project, row: SkillCandidate) -> Note:
    return Note(kind, refs.skill(row, project), row.title or row.slug)


def _facts(candidate: Candidate, at: datetime) -> dict[str, object]:
    return {
        "name": candidate.name[:300],
        "title": candidate.title[:300],
        "description": candidate.description,
        "status": candidate.status,
        "pending": candidate.pending or "",
        "content_hash": candidate.content_hash,
        "installed_hash": candidate.installed_hash[:200],
        "occurrences": candidate.occurrences,
        "sources": list(candidate.sources),
        "reason": candidate.reason,
        "installed_paths": list(candidate.installed_paths),
        "extra": candidate.extra,
        "body": candidate.body,
        "text": candidate.text,
        "problems": list(candidate.problems),
        "fingerprint": candidate.fingerprint,
        "proposed_at": candidate.created_at,
        "revised_at": candidate.updated_at,
        "installed_at": candidate.installed_at,
        "updated_at": at,
    }
