"""What the pages of PROJECT.md and USER.md print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.contrib.auth.models import User
from django.db.models.functions import Left

from dock.contexts import links
from dock.contexts.reading import Reading, reading
from dock.contexts.revisions import History, short
from dock.contexts.upkeep_proposals import Proposal, proposal
from memory import refs
from memory.documents import queries
from memory.journal import titles
from memory.maintenance import queries as upkeep
from memory.models import Document, Project

RESTORE = "memory.change_document"

_START = 2000
_WHAT = {
    "PROJECT.md": "What the project is, where it goes and what was decided",
    "USER.md": "What its people like and how they work",
}


@dataclass(frozen=True, slots=True)
class DocumentRow:
    """One line of the list."""

    id: str
    url: str
    name: str
    project: str
    beginning: str
    size: int
    modified_at: datetime
    has_problems: bool


@dataclass(frozen=True, slots=True)
class Waiting:
    """A new text of a document that waits for approval."""

    name: str
    project: str
    url: str


@dataclass(frozen=True, slots=True)
class DocumentList:
    """The list page; `project` is empty for all projects."""

    project: str
    is_of_many: bool
    url: str
    rows: list[DocumentRow]
    waiting: list[Waiting]
    upkeep_url: str


@dataclass(frozen=True, slots=True)
class DocumentPage:
    """The page of one document."""

    name: str
    what: str
    project: str
    project_url: str
    ref: str
    path: str
    size: int
    modified_at: datetime
    short_hash: str
    content_hash: str
    problems: list[str]
    reading: Reading
    crumbs: list[tuple[str, str]]
    url: str
    file_url: str
    restore: tuple[int, str] | None
    """The number of the revision that is shown and can be put back, and where that is done."""
    proposal: Proposal | None


def listing(project: Project | None) -> DocumentList:
    """Build the list page: two documents a project at most. Two queries."""
    rows = queries.documents(project).defer("text").annotate(start=Left("text", _START))
    owner = project.name if project else ""
    return DocumentList(
        project=owner,
        is_of_many=project is None,
        url=links.to("document-list", project=owner),
        rows=[_row(row) for row in rows],
        waiting=[
            Waiting(one.name, one.project.name, links.to("upkeep-run", one.run_id))
            for one in upkeep.proposals(project).defer("text")
        ],
        upkeep_url=links.to("upkeep-list", project=owner),
    )


def document(project: Project, row: Document, person: User, *, view: str, revision: str) -> DocumentPage:
    """Build the page of one document. Two queries, in its history four."""
    link = partial(links.to, "document-detail", project.name, row.name)
    text = reading(row.text, row.revisions.all(), view=view, revision=revision, link=link)
    waits = upkeep.proposals(project, row.name).first()
    return DocumentPage(
        name=row.name,
        what=_WHAT.get(row.name, ""),
        project=project.name,
        project_url=links.to("live", project=project.name),
        ref=refs.document(row, project),
        path=f".memsearch/{row.name}",
        size=row.size,
        modified_at=row.modified_at,
        short_hash=short(row.content_hash),
        content_hash=row.content_hash,
        problems=row.problems,
        reading=text,
        crumbs=[("Documents", links.to("document-list", project=project.name))],
        url=link(view=text.view, revision=revision),
        file_url=links.to("file-browser", project.name, path=row.name),
        restore=_restore(project, row, text.history) if person.has_perm(RESTORE) else None,
        proposal=proposal(waits, row.text, person, present_hash=row.content_hash) if waits else None,
    )


def _restore(project: Project, row: Document, history: History | None) -> tuple[int, str] | None:
    """Offer the revision that is shown, unless it is the latest one."""
    if not (history and history.diff) or history.diff.number == history.items[0].number:
        return None
    number = history.diff.number
    return number, links.to("document-restore", project.name, row.name, number)


def _row(row: Document) -> DocumentRow:
    start: str = row.start  # type: ignore[attr-defined]
    return DocumentRow(
        id=f"document-{row.pk}",
        url=links.to("document-detail", row.project.name, row.name),
        name=row.name,
        project=row.project.name,
        beginning=titles.excerpt(start, 160) or titles.title(start),
        size=row.size,
        modified_at=row.modified_at,
        has_problems=bool(row.problems),
    )
