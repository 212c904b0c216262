"""What the pages of PROJECT.md and USER.md print."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from functools import partial

from django.db.models.functions import Left

from dock.contexts import links
from dock.contexts.reading import Reading, reading
from dock.contexts.revisions import short
from memory import refs
from memory.documents import queries
from memory.journal import titles
from memory.models import Document, Project

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
class DocumentList:
    """The list page; `project` is empty for all projects."""

    project: str
    is_of_many: bool
    url: str
    rows: list[DocumentRow]


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


def listing(project: Project | None) -> DocumentList:
    """Build the list page: two documents a project at most. One query."""
    rows = queries.documents(project).defer("text").annotate(start=Left("text", _START))
    owner = project.name if project else ""
    return DocumentList(owner, project is None, links.to("document-list", project=owner), [_row(row) for row in rows])


def document(project: Project, row: Document, *, view: str, revision: str) -> DocumentPage:
    """Build the page of one document. One query, in its history three."""
    link = partial(links.to, "document-detail", project.name, row.name)
    text = reading(row.text, row.revisions.all(), view=view, revision=revision, link=link)
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
    )


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
