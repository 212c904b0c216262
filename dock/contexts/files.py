"""What the file browser prints: a tree at the left, a file or a folder at the right."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from typing import Literal

from django.utils.safestring import SafeString

from dock import files, markdown
from dock.contexts import branches, links
from dock.contexts.branches import Branch
from dock.contexts.choices import Tab
from dock.contexts.source import Source, source
from dock.files import Part, Preview
from memory.descriptors import FILE
from memory.disk import DiskError, Missing, Refused
from memory.documents.reader import NAMES
from memory.models import Project
from memory.projects import queries

PAGE = 200
"""Names of a folder on one page."""

RENDERED = 32 * 1024
"""Bytes; longer Markdown is shown as text unless it is asked for: it takes a second to render."""

_PARTS: dict[Part, str] = {"head": "Start", "tail": "End"}
_VIEWS = {"rendered": "Rendered", "text": "Text"}


type Half = Literal["both", "tree", "pane"]


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a query asks for; `part` is head or tail, `view` rendered or text; anything else asks for what suits the file."""

    path: str = ""
    part: str = ""
    view: str = ""
    start: int = 0


@dataclass(frozen=True, slots=True)
class ProjectRow:
    """One project to browse."""

    name: str
    url: str
    memory_dir: str
    problems: int


@dataclass(frozen=True, slots=True)
class FolderRow:
    """One name in a folder; without `url` where it is only listed."""

    name: str
    url: str
    icon: str
    size: str
    modified: datetime
    note: str


@dataclass(frozen=True, slots=True)
class FolderPane:
    """A folder; `hidden` names of tools are left out, and more than `limit` names are not listed."""

    rows: list[FolderRow]
    count: int
    hidden: int
    limit: int
    is_cut: bool
    earlier_url: str
    later_url: str


@dataclass(frozen=True, slots=True)
class FilePane:
    """A file: either `html` or `source` is shown, or there is only a `note` to say why not."""

    caption: str
    words: str
    modified: datetime
    parts: list[Tab]
    views: list[Tab]
    html: SafeString | str
    source: Source | None
    note: str
    is_empty: bool
    page_url: str
    page_label: str
    download_url: str


@dataclass(frozen=True, slots=True)
class Pane:
    """The right side: a file, a folder, or a sentence on why there is nothing."""

    name: str
    crumbs: list[tuple[str, str]]
    file: FilePane | None = None
    folder: FolderPane | None = None
    error: str = ""
    status: int = 200


@dataclass(frozen=True, slots=True)
class Browser:
    """The page, or the half of it that is asked for. The tree is None as well where the folder cannot be read."""

    project: str
    memory_dir: str
    url: str
    tree: Branch | None
    pane: Pane | None


def chooser() -> list[ProjectRow]:
    """Return the projects that have a memory folder. One query."""
    rows = queries.brief().exclude(memory_dir="")
    return [ProjectRow(row.name, links.to("file-browser", row.name), row.memory_dir, len(row.problems)) for row in rows]


def browser(project: Project, wanted: Wanted, *, selected: str, half: Half) -> Browser:
    """Build the page: at the right what is wanted, at the left the tree opened for `selected`. One query at most."""
    return Browser(
        project=project.name,
        memory_dir=project.memory_dir,
        url=links.to("file-browser", project.name, path=wanted.path),
        tree=None if half == "pane" else _tree(project, selected),
        pane=None if half == "tree" else _pane(project, wanted),
    )


def _tree(project: Project, selected: str) -> Branch | None:
    try:
        return branches.branch(project, "", selected=selected)
    except DiskError:
        return None


def _pane(project: Project, wanted: Wanted) -> Pane:
    path = wanted.path
    try:
        found = _found(project, wanted)
    except DiskError as exc:
        return Pane(
            "Not shown",
            [(".memsearch", links.to("file-browser", project.name))],
            error=str(exc),
            status=404 if isinstance(exc, Missing) else 403,
        )
    name = posixpath.basename(path) or ".memsearch"
    if isinstance(found, FilePane):
        return Pane(name, _crumbs(project, path), file=found)
    return Pane(name, _crumbs(project, path), folder=found)


def _found(project: Project, wanted: Wanted) -> FilePane | FolderPane:
    try:
        return _folder(project, wanted.path, wanted.start)
    except Refused as exc:
        if str(exc) != FILE:
            raise
    part: Part = "tail" if wanted.part == "tail" else "head"
    return _file(project, files.preview(branches.root_of(project), wanted.path, part=part), part=part, view=wanted.view)


def _crumbs(project: Project, path: str) -> list[tuple[str, str]]:
    """Name the folders above, from the memory folder down."""
    above = path.split("/")[:-1] if path else []
    folders = [("/".join(above[:depth]), above[depth - 1]) for depth in range(1, len(above) + 1)]
    root = [(".memsearch", links.to("file-browser", project.name))] if path else []
    return root + [(name, links.to("file-browser", project.name, path=folder)) for folder, name in folders]


def _folder(project: Project, path: str, start: int) -> FolderPane:
    listing = files.listing(branches.root_of(project), path)
    rows = branches.in_order(listing.items, path)
    link = partial(links.to, "file-browser", project.name, path=path)
    stop = start + PAGE
    return FolderPane(
        rows=[
            FolderRow(
                name=row.name,
                url=branches.url(project, row),
                icon=branches.icon(row),
                size=files.size_words(row.size) if row.kind == "file" else "",
                modified=row.modified,
                note=row.note,
            )
            for row in rows[start:stop]
        ],
        count=len(rows),
        hidden=listing.hidden,
        limit=files.LISTING_LIMIT,
        is_cut=listing.truncated,
        earlier_url=link(start=max(0, start - PAGE) or "") if start else "",
        later_url=link(start=stop) if stop < len(rows) else "",
    )


def _file(project: Project, preview: Preview, *, part: Part, view: str) -> FilePane:
    link = partial(links.to, "file-browser", project.name, path=preview.path)
    download_url = links.to("file-download", project.name, path=preview.path)
    return pane(preview, link, download_url, part=part, view=view, page=_page(project, preview.path))


def pane(
    preview: Preview,
    link: partial[str],
    download_url: str,
    *,
    part: Part,
    view: str,
    page: tuple[str, str] = ("", ""),
) -> FilePane:
    """Show a preview; `link` leads to its page in another part or view, `page` names the one that shows it as what it is."""
    is_short = preview.shown <= RENDERED
    is_rendered = preview.type == "markdown" and (view == "rendered" or (is_short and view != "text"))
    shown = "rendered" if is_rendered else "text"
    page_label, page_url = page
    return FilePane(
        caption=preview.path,
        words=_words(preview),
        modified=preview.modified,
        parts=_parts(preview, part, partial(link, view=shown)),
        views=_views(preview, shown, partial(link, part=part if preview.truncated else "")),
        html=markdown.render(preview.content) if is_rendered and not preview.note else "",
        source=None
        if is_rendered or preview.note
        else source(preview.content, preview.language, first=preview.first_line),
        note=preview.note,
        is_empty=preview.type == "empty",
        page_url=page_url,
        page_label=page_label,
        download_url=download_url,
    )


def _words(preview: Preview) -> str:
    if preview.truncated and not preview.note:
        return f"{preview.shown:,} of {preview.size:,} bytes"
    return "1 byte" if preview.size == 1 else f"{preview.size:,} bytes"


def _parts(preview: Preview, current: Part, link: partial[str]) -> list[Tab]:
    if not preview.truncated or preview.note:
        return []
    return [Tab(label, link(part=part), part == current) for part, label in _PARTS.items()]


def _views(preview: Preview, current: str, link: partial[str]) -> list[Tab]:
    if preview.type != "markdown":
        return []
    return [Tab(label, link(view=view), view == current) for view, label in _VIEWS.items()]


def _page(project: Project, path: str) -> tuple[str, str]:
    """Name the page that shows a file as what it is: a day of the journal, or a document."""
    if path in NAMES:
        return "As document", links.to("document-detail", project.name, path)
    day = project.journals.filter(path=path).values_list("date", flat=True).first()
    return ("As journal", links.to("journal-day", day, project=project.name)) if day else ("", "")
