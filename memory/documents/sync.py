"""Follows PROJECT.md and USER.md, and keeps every content that was seen."""

from __future__ import annotations

from datetime import datetime

from django.db import IntegrityError, transaction

from memory import changes, refs
from memory.changes import Note
from memory.disk import Tree
from memory.documents import reader
from memory.documents.reader import DocumentText
from memory.models import Document, DocumentRevision, Project
from memory.problems import Problem


def sync(project: Project, tree: Tree, *, at: datetime) -> list[Problem]:
    """Bring the rows of a project's documents to what is on disk; return what is wrong with them."""
    found, problems = reader.read(tree)
    known = {row.name: row for row in project.documents.all()}
    for document in found:
        row = known.pop(document.name, None)
        if row is None:
            _create(project, document, at=at)
        elif row.content_hash != document.content_hash:
            _update(project, row, document, at=at)
        problems += [Problem(document.name, text.replace(document.name, "This file", 1)) for text in document.problems]
    unread = {problem.path for problem in problems}
    for row in known.values():
        if row.name not in unread:
            _remove(project, row, at=at)
    return problems


def _create(project: Project, document: DocumentText, *, at: datetime) -> None:
    try:
        with transaction.atomic():
            row = Document.objects.create(project=project, name=document.name, created_at=at, **_facts(document, at))
            _revise(project, row, at=at)
    except IntegrityError:
        if not project.documents.filter(name=document.name).exists():  # else another process was first
            raise


@transaction.atomic
def _update(project: Project, row: Document, document: DocumentText, *, at: datetime) -> None:
    if Document.objects.filter(pk=row.pk, content_hash=row.content_hash).update(**_facts(document, at)):
        row.refresh_from_db()
        _revise(project, row, at=at)


@transaction.atomic
def _remove(project: Project, row: Document, *, at: datetime) -> None:
    note = Note("document.changed", refs.document(row, project), f"{row.name} removed")
    row.delete()
    changes.append([note], project=project, at=at)


def _revise(project: Project, row: Document, *, at: datetime) -> None:
    DocumentRevision.objects.create(
        document=row, number=row.revisions.count() + 1, content_hash=row.content_hash, text=row.text, seen_at=at
    )
    changes.append([Note("document.changed", refs.document(row, project), row.name)], project=project, at=at)


def _facts(document: DocumentText, at: datetime) -> dict[str, object]:
    return {
        "text": document.text,
        "content_hash": document.content_hash,
        "size": document.size,
        "modified_at": document.modified,
        "problems": list(document.problems),
        "updated_at": at,
    }
