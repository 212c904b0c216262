"""Claude Code: `projects/<dashed folder>/<session>.jsonl`, and below that the runs of sub-agents."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from memory.capture.backfill.stores.base import Facts, head, is_within, overlaps
from memory.disk import Tree
from memory.transcripts import fields, places
from memory.transcripts.places import Location

_ENDING = ".jsonl"
_SUBAGENT = "agent-"
_COMPACTION = "agent-acompact-"


def roots(path: Path) -> Iterator[tuple[Path, str]]:
    """A home, a configuration folder, the folder of all projects, or that of one."""
    yield path / ".claude" / "projects", ""
    yield path / "projects", ""
    yield path, ""
    yield path.parent, path.name


def files(tree: Tree, within: str) -> Iterator[str]:
    return (path for folder in _folders(tree, within) for _, path in _files(tree, folder) if is_within(path, within))


def conversations(tree: Tree, within: str) -> Iterator[Location]:
    """Oldest first: where a turn stands in several files, the oldest one is the original."""
    found = [one for folder in _folders(tree, within) for one in _files(tree, folder)]
    for _, path in sorted(found):
        if is_within(path, within):
            yield Location("claude-code", _name(path), tree.root, (path,), by_path=True)


def facts(tree: Tree, location: Location) -> Facts:
    cwd, parent, when = "", "", None
    for line in head(tree, location.path):
        cwd = cwd or fields.text(line.get("cwd"))
        parent = parent or fields.text(line.get("sessionId"))
        when = when or fields.moment(line.get("timestamp"))
        if cwd and when:
            break
    name = _name(location.path)
    is_of_subagent = name.startswith(_SUBAGENT)
    return Facts(
        session=name,
        cwd=cwd,
        started=when,
        parent=parent if is_of_subagent else "",
        is_of_subagent=is_of_subagent,
    )


def _folders(tree: Tree, within: str) -> list[str]:
    return [folder for folder in places.folders(tree) if overlaps(folder, within)]


def _files(tree: Tree, folder: str) -> Iterator[tuple[int, str]]:
    inner = (f"{one}/subagents" for one in places.folders(tree, folder))
    for place in (folder, *inner):
        for item in places.files(tree, place):
            if item.name.endswith(_ENDING) and not item.name.startswith(_COMPACTION):
                yield item.modified_ns, f"{place}/{item.name}"


def _name(path: str) -> str:
    """Return the session as MemSearch and Claude Code name it: by the file."""
    return path.rpartition("/")[2].removesuffix(_ENDING)
