"""New documents that wait until a person lets them in."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from django.db import transaction

from memory import audit, changes, locks, refs
from memory.audit import Actor
from memory.changes import Note
from memory.maintenance import documents, files
from memory.maintenance.files import Changed
from memory.maintenance.places import Place
from memory.models import DocumentProposal, Project, UpkeepRun
from memory.models.maintenance import ProposalState
from memory.projects import sync


class AlreadyDecided(Exception):
    """The proposal is no longer waiting; the message is one sentence."""


@transaction.atomic(durable=True)
def make(run: UpkeepRun, *, name: str, place: Place, at: datetime) -> DocumentProposal:
    """Let the run's text wait for a person, in the place of an earlier one that still waits. Twice is harmless.

    Raises Changed where the file is not what the model saw.
    """
    seen = files.look(place)
    if seen.text != run.before:
        raise Changed(f"{place.name} changed on disk while the model worked on it. Nothing is proposed.")
    waiting = DocumentProposal.objects.filter(project=run.project, name=name, state=ProposalState.WAITING)
    waiting.exclude(run=run).update(
        state=ProposalState.STALE, note="A newer text was proposed.", decided_at=at
    )  # fmt: skip
    made, _ = DocumentProposal.objects.get_or_create(
        run=run,
        defaults={
            "project": run.project,
            "name": name,
            "path": place.shown,
            "base_hash": seen.digest,
            "text": run.after,
            "created_at": at,
        },
    )
    return made


def apply(*, pk: int, actor: Actor, at: datetime) -> DocumentProposal:
    """Write a proposal into its document, if the file still is what it was made on; else it is stale for good.

    Raises DocumentProposal.DoesNotExist, AlreadyDecided, Changed and CannotUse.
    """
    row = DocumentProposal.objects.select_related("project", "run").get(pk=pk)
    with locks.held(_lock(row.project)):
        _check(row)
        place = _place(row)
        seen = files.look(place)
        if seen.text != row.text:  # else it was written, and the process ended before it could say so
            try:
                documents.replace(row.project, place, row.text, base=row.base_hash, at=at)
            except Changed as exc:
                _decide(row, ProposalState.STALE, actor, note=str(exc), at=at)
                raise
        _decide(row, ProposalState.APPLIED, actor, at=at)
    return row


def refuse(*, pk: int, note: str, actor: Actor, at: datetime) -> DocumentProposal:
    """Keep a proposal out for good. Raises DocumentProposal.DoesNotExist and AlreadyDecided."""
    row = DocumentProposal.objects.select_related("project", "run").get(pk=pk)
    with locks.held(_lock(row.project)):
        _check(row)
        _decide(row, ProposalState.REFUSED, actor, note=note, at=at)
    return row


def _check(row: DocumentProposal) -> None:
    row.refresh_from_db(fields=["state"])
    if row.state != ProposalState.WAITING:
        raise AlreadyDecided(f"This proposal is {row.get_state_display().lower()}; there is nothing to decide.")


@transaction.atomic(durable=True)
def _decide(row: DocumentProposal, state: ProposalState, actor: Actor, *, note: str = "", at: datetime) -> None:
    row.state, row.note, row.decided_by, row.decided_at = state, note.strip(), actor.user, at
    row.save(update_fields=["state", "note", "decided_by", "decided_at"])
    ref = f"file:{row.project.name}/{row.name}"
    audit.record(actor, f"document.{state}", ref, at=at, proposal=row.pk, note=row.note)
    changes.append([Note("maintenance.ran", refs.upkeep(row.run), f"{row.name} {state}")], project=row.project, at=at)


def _place(row: DocumentProposal) -> Place:
    """Return the place anew from its absolute path, as the run found it."""
    path, memory_dir = Path(row.path), Path(row.project.memory_dir)
    for root in (memory_dir, Path.home(), Path(row.project.root or "/")):
        if path.is_relative_to(root):
            return Place(root, path.relative_to(root).as_posix())
    return Place(Path("/"), path.relative_to("/").as_posix())


def _lock(project: Project) -> Path:
    """Two people at one proposal follow one another."""
    folder = sync.lock(project).parent
    return folder / f"proposals-{project.pk}"
