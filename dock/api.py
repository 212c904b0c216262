"""`/projects/{name}/files` of the API: what the read-only browser of `.memsearch` shows, as JSON."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, Self

from django.http import HttpRequest
from django.utils.html import format_html
from ninja import Query, Router, Schema
from pydantic import Field

from dock import files, highlight, markdown
from memory.api.errors import ApiError, documented
from memory.api.v1 import lookup
from memory.api.v1.schemas.common import Moment
from memory.disk import Missing, Refused

router = Router(tags=["files"])


class FileItem(Schema):
    """One name in a folder."""

    name: str
    kind: Literal["dir", "file", "link"]
    size: int = Field(description="Bytes.")
    modified: Moment
    previewable: bool
    note: str = Field(description="Why there is no preview; empty where there is nothing to say.")

    @classmethod
    def of(cls, row: files.Row) -> Self:
        return cls(
            name=row.name,
            kind=row.kind,
            size=row.size,
            modified=row.modified,
            previewable=row.previewable,
            note=row.note,
        )


class Folder(Schema):
    """One folder: folders first, then files, by name."""

    path: str
    entries: list[FileItem]


class Preview(Schema):
    """The start or the end of one file."""

    path: str
    type: files.Type
    size: int = Field(description="Bytes of the whole file.")
    truncated: bool
    content: str = Field(description="At most 262,144 bytes of UTF-8; empty for a binary file.")
    html: str = Field(description="The same, safe to show: Markdown rendered, code coloured.")

    @classmethod
    def of(cls, found: files.Preview) -> Self:
        return cls(
            path=found.path,
            type=found.type,
            size=found.size,
            truncated=found.truncated,
            content=found.content,
            html=_html(found),
        )


class Place(Schema):
    """Where to look."""

    path: str = Field("", description="Relative to the project's .memsearch, with `/`; empty for the root.")


class Piece(Schema):
    """Which part of which file."""

    path: str = Field(description="Relative to the project's .memsearch, with `/`.")
    part: Literal["head", "tail"] = "head"


@router.get(
    "/projects/{anything:name}/files",
    operation_id="list_files",
    summary="List a folder of a project's .memsearch",
    response=documented({200: Folder}, 400, 404, 422),
)
def index(request: HttpRequest, name: str, place: Query[Place]) -> Folder:
    root = _root(name)
    with _told():
        found = files.listing(root, place.path)
    return Folder(path=found.path, entries=[FileItem.of(row) for row in found.items])


@router.get(
    "/projects/{anything:name}/files/preview",
    operation_id="preview_file",
    summary="Read the start or the end of a file",
    description="Nothing is opened through a link, outside of .memsearch, or that is not a plain file.",
    response=documented({200: Preview}, 400, 404, 422),
)
def preview(request: HttpRequest, name: str, piece: Query[Piece]) -> Preview:
    root = _root(name)
    with _told():
        found = files.preview(root, piece.path, part=piece.part)
    return Preview.of(found)


def _root(name: str) -> Path:
    project = lookup.project(name)
    if not project.memory_dir:  # an empty path would be the server's own working directory
        raise ApiError(404, "This project has no memory folder.")
    return Path(project.memory_dir)


@contextmanager
def _told() -> Iterator[None]:
    try:
        yield
    except Missing as exc:
        raise ApiError(404, str(exc), field="path") from exc
    except Refused as exc:
        raise ApiError(403, str(exc), field="path") from exc


def _html(found: files.Preview) -> str:
    if not found.content:
        return ""
    if found.type == "markdown":
        return markdown.render(found.content)
    return format_html("<pre><code>{}</code></pre>", highlight.code(found.content, found.language))
