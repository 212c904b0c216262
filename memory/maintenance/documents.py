"""PROJECT.md and USER.md, replaced with their history: what was there before stays a revision and can come back."""

from __future__ import annotations

from datetime import datetime
from pathlib import Path

from memory import audit, refs
from memory.audit import Actor
from memory.documents.reader import LIMIT
from memory.engram.redaction import redact
from memory.maintenance import files
from memory.maintenance.files import CannotUse, Changed, Seen
from memory.maintenance.places import Place
from memory.models import Document, DocumentRevision, Project, UpkeepRun
from memory.projects import sync


def readable(place: Place) -> Seen:
    """Return a document that a model may be shown and may replace. Raises CannotUse.

    Not so one that cannot be given back as it was, nor one with a private block: the block must not leave this machine,
    and the new text would have lost it.
    """
    seen = files.look(place)
    if seen.flaws:
        raise CannotUse(f"{place.name} {seen.flaws[0]} It is left alone.")
    if redact(seen.text) != seen.text.strip():
        raise CannotUse(f"{place.name} holds a private block, so no model is shown it, and it is left alone.")
    return seen


def write(run: UpkeepRun, place: Place, *, at: datetime) -> None:
    """Replace a document by what the run's model wrote, if it still is what that model saw; twice is harmless.

    Raises Changed and CannotUse, after which the file is as it was.
    """
    files.tidy(place)  # a killed run leaves its half, and this one may end without writing
    seen = files.look(place)
    if seen.text == run.after:  # a killed run came so far
        sync.sync(run.project, at=at)
        return
    if seen.text != run.before:
        raise Changed(f"{place.name} changed on disk while the model worked on it. Nothing was written.")
    replace(run.project, place, run.after, base=seen.digest, at=at)


def replace(project: Project, place: Place, text: str, *, base: str, at: datetime) -> None:
    """Put a text in the place of what has the digest `base`, and have both kept as revisions.

    Raises Changed and CannotUse, after which the file is as it was.
    """
    sync.sync(project, at=at)  # nobody may have read yet what is about to go
    files.replace(place, text, base=base)
    sync.sync(project, at=at)


def restore(*, revision_pk: int, actor: Actor, at: datetime) -> Document:
    """Put an earlier content of a document back; what is there now becomes a revision as any other.

    Raises DocumentRevision.DoesNotExist, CannotUse, and Changed where the file is not what MemDock last read.
    """
    revision = DocumentRevision.objects.select_related("document__project").get(pk=revision_pk)
    document, project = revision.document, revision.document.project
    if len(revision.text.encode()) >= LIMIT:
        raise CannotUse("This revision was kept only in part: the file was larger than 1 MB.")
    place = Place(Path(project.memory_dir), document.name)
    seen = files.look(place)
    if seen.digest != document.content_hash:
        sync.sync(project, at=at)
        raise Changed(f"{document.name} changed on disk since this page was made. Nothing was written.")
    if seen.text != revision.text:
        replace(project, place, revision.text, base=seen.digest, at=at)
        audit.record(actor, "document.restored", refs.document(document, project), at=at, revision=revision.number)
    document.refresh_from_db()
    return document
