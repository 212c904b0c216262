"""DSH: a folder a session, in that of its project; the newest generation of the format counts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memory.capture.backfill.stores.base import Facts, head, overlaps
from memory.disk import Tree
from memory.transcripts import fields, places
from memory.transcripts.dsh.files import newest
from memory.transcripts.places import Location


def roots(path: Path) -> Iterator[tuple[Path, str]]:
    """A home, DSH's own folder, that of all sessions, that of a project, or that of one session."""
    yield path / ".dsh" / "sessions", ""
    yield path / "sessions", ""
    yield path, ""
    yield path.parent, path.name
    yield path.parent.parent, f"{path.parent.name}/{path.name}"


def files(tree: Tree, within: str) -> Iterator[str]:
    return (location.path for location in conversations(tree, within))


def conversations(tree: Tree, within: str) -> Iterator[Location]:
    for project in places.folders(tree):
        for folder in places.folders(tree, project) if overlaps(project, within) else ():
            if overlaps(folder, within) and (pages := newest(tree, folder)):
                yield Location("dsh", folder.rpartition("/")[2], tree.root, pages, by_path=True)


def facts(tree: Tree, location: Location) -> Facts:
    header = next((line for line in head(tree, location.path) if line.get("type") == "session"), {})
    is_of_subagent = header.get("origin") == "subagent"
    return Facts(
        session=fields.text(header.get("id")) or location.session,
        cwd=fields.text(header.get("cwd")),
        started=fields.moment(header.get("createdAt")),
        parent=fields.text(header.get("parentSession")) if is_of_subagent else "",
        is_of_subagent=is_of_subagent,
    )
