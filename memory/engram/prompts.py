"""What people asked their agents: saved, deleted, listed and found."""

from __future__ import annotations

from datetime import datetime
from functools import reduce
from operator import and_, or_

from django.db import IntegrityError, transaction
from django.db.models import Q, QuerySet

from memory import audit, changes, refs
from memory.audit import Actor
from memory.changes import Note
from memory.engram import holding, naming, ownership, queries, tombstones
from memory.engram.errors import Invalid, OperationConflict
from memory.engram.redaction import redact
from memory.engram.text import Cut, cut
from memory.journal.titles import title
from memory.models import Project, Prompt
from memory.search import language, query
from memory.search.tokens import fold
from memory.search.types import Filters

_LONGEST_INBOX_ID = 300
_MOST_TERMS = 20


def save(*, session_id: str, content: str, project: str = "", source_inbox_id: str = "", at: datetime) -> Prompt:
    """Save a request; the client's own id of it again returns what was saved first.

    Raises Invalid, SessionNotFound, ProjectMismatch, OwnershipRequired, and OperationConflict for the id of a request
    that was deleted. Four queries, two more with a client's own id, two more on PostgreSQL.
    """
    if not session_id.strip() or not content:
        raise Invalid("session_id and content are required")
    if len(source_inbox_id) > _LONGEST_INBOX_ID:
        raise Invalid(f"source_inbox_id is longer than {_LONGEST_INBOX_ID} characters")
    kept = cut(redact(content))
    if not kept.text:
        raise Invalid("session_id and content are required")
    try:
        return _save(session_id, kept, project, redact(source_inbox_id), at)
    except IntegrityError:  # its project was just merged away
        return _save(session_id, kept, project, redact(source_inbox_id), at)


@transaction.atomic(durable=True)
def delete(*, pk: int, actor: Actor | None = None, at: datetime) -> None:
    """Delete a request for good; its id stays known. Raises NotFound."""
    row = holding.prompt(pk)
    tombstones.put([tombstones.of_prompt(row, row.session, at=at)])
    changes.append([Note("prompt.deleted", refs.prompt(row))], project=row.project, at=at)
    tombstones.untitle([refs.prompt(row)])
    if actor:
        audit.record(actor, "prompt.deleted", refs.prompt(row), at=at)
    row.delete()


def recent(project: Project | None, limit: int) -> list[Prompt]:
    """Return requests with their session and project, newest first. One query."""
    return list(_rows(project)[:limit])


def search(q: str, project: Project | None, limit: int) -> list[Prompt]:
    """Return the requests that hold every word as a part of any of theirs: the best by the index, then the newest."""
    terms = [term for word in q.split()[:_MOST_TERMS] if (term := word.strip('"').replace("\0", ""))]
    if not terms:
        return []
    found = _ranked(q, terms, project)[:limit]
    rest = _rows(project).filter(reduce(and_, map(_holds, terms))).exclude(pk__in=[row.pk for row in found])
    return found + list(rest[: max(0, limit - len(found))])


@transaction.atomic(durable=True)
def _save(session_id: str, kept: Cut, project: str, inbox_id: str, at: datetime) -> Prompt:
    session = ownership.session_for(session_id=session_id, project=project)
    if inbox_id:
        if known := _rows(None).filter(session=session, source_inbox_id=inbox_id).first():
            return known
        if tombstones.has_inbox_id(session, inbox_id):
            raise OperationConflict("the prompt of this source_inbox_id was deleted")
    row = Prompt(
        sync_id=naming.new_sync_id("prompt"),
        session=session,
        project=session.project,
        project_label=ownership.label(session.project, project),
        content=kept.text,
        full_size=kept.full_size,
        source_inbox_id=inbox_id,
        created_at=at,
    )
    row.save(force_insert=True)
    ownership.touch(session, at=at)
    changes.append([Note("prompt.saved", refs.prompt(row), title(row.content))], project=row.project, at=at)
    return row


def _rows(project: Project | None) -> QuerySet[Prompt]:
    return queries.prompts(project=project).order_by("-created_at", "-pk")


def _ranked(q: str, terms: list[str], project: Project | None) -> list[Prompt]:
    """Ask the index, which finds words in any spelling; the rows decide whether they hold the terms."""
    filters = Filters(kind="prompt", project=project.name if project else "")
    hits = query.search(language.literal(q), filters=filters, limit=query.LARGEST_PAGE).items
    known = {refs.prompt(row): row for row in _rows(project).filter(pk__in=[_number(hit.ref) for hit in hits])}
    rows = [known[hit.ref] for hit in hits if hit.ref in known]
    return [row for row in rows if all(fold(term) in fold(f"{row.content}\n{row.project.name}") for term in terms)]


def _number(ref: str) -> int:
    return int(ref.removeprefix("prompt:"))


def _holds(term: str) -> Q:
    spellings = {term, term.lower()}  # SQLite compares letters outside ASCII as they are written
    return reduce(or_, (Q(content__icontains=text) | Q(project__name__icontains=text) for text in spellings))
