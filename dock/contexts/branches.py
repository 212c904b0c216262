"""The file browser's tree: folders that are open, and where the others come from."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from django.utils import dateformat, timezone

from dock import files
from dock.contexts import links
from dock.files import Row
from memory.disk import DiskError, Missing
from memory.journal.sync import DIRECTORY
from memory.models import Project

ROWS = 200
"""Names of one folder in the tree; the folder's own page has the others."""

_DAY = re.compile(r"\d{4}-\d\d-\d\d\.md")
_ICONS = {".md": "document-text", ".json": "code-bracket", ".jsonl": "code-bracket", ".toml": "code-bracket"}


@dataclass(frozen=True, slots=True)
class Node:
    """One name of the tree; without `url` where it cannot be opened. A closed folder has its `group` at `src`."""

    name: str
    url: str
    icon: str
    size: str
    hint: str
    is_folder: bool
    is_selected: bool
    src: str
    group: Branch | None


@dataclass(frozen=True, slots=True)
class Branch:
    """The inside of a folder; `more` names are only on its own page, at `url`."""

    id: str
    src: str
    url: str
    nodes: list[Node]
    more: int


def root_of(project: Project) -> Path:
    """Return the memory folder of a project; raise Missing for one that only agents have named."""
    if not project.memory_dir:
        raise Missing("This project has no memory folder.")
    return Path(project.memory_dir)


def branch(project: Project, path: str, *, selected: str) -> Branch:
    """Read one folder, and inside of it those that lead to `selected`; raise Missing or Refused."""
    rows = in_order(files.listing(root_of(project), path).items, path)
    shown = rows[:ROWS] + [row for row in rows[ROWS:] if _leads_to(row, selected)]
    return Branch(
        id=f"branch-{sha256(path.encode()).hexdigest()[:12]}",
        src=links.to("file-branch", project.name, path=path),
        url=links.to("file-browser", project.name, path=path),
        nodes=[_node(project, row, selected) for row in shown],
        more=len(rows) - len(shown),
    )


def in_order(rows: Sequence[Row], path: str) -> list[Row]:
    """Put the newest day first among the journals; leave other folders as they are."""
    folders = [row for row in rows if row.kind == "dir"]
    others = [row for row in rows if row.kind != "dir"]
    if path == DIRECTORY:
        days = [row for row in others if _DAY.fullmatch(row.name)]
        return folders + days[::-1] + [row for row in others if not _DAY.fullmatch(row.name)]
    return folders + others


def icon(row: Row) -> str:
    if row.kind != "file":
        return "folder" if row.kind == "dir" else "link"
    return _ICONS.get(posixpath.splitext(row.name)[1].lower(), "document")


def url(project: Project, row: Row) -> str:
    """Return where a name is shown; "" for links, special files and odd names, which are only listed."""
    is_shut = row.kind == "link" or row.note in {files.SPECIAL, files.ODD_NAME}
    return "" if is_shut else links.to("file-browser", project.name, path=row.path)


def _node(project: Project, row: Row, selected: str) -> Node:
    where = url(project, row)
    is_folder = row.kind == "dir" and bool(where)
    return Node(
        name=row.name,
        url=where,
        icon=icon(row),
        size=_size(row, is_open=bool(where)),
        hint=row.note or dateformat.format(timezone.localtime(row.modified), "j M Y, H:i"),
        is_folder=is_folder,
        is_selected=row.path == selected,
        src=links.to("file-branch", project.name, path=row.path) if is_folder else "",
        group=_opened(project, row.path, selected) if is_folder and _leads_to(row, selected) else None,
    )


def _size(row: Row, *, is_open: bool) -> str:
    if row.kind == "link":
        return files.LINK_INSIDE
    if not is_open:
        return row.note
    return files.size_words(row.size) if row.kind == "file" else ""


def _opened(project: Project, path: str, selected: str) -> Branch | None:
    try:
        return branch(project, path, selected=selected)
    except DiskError:  # gone, or not ours to read: it stays closed
        return None


def _leads_to(row: Row, selected: str) -> bool:
    return selected == row.path or selected.startswith(f"{row.path}/")
