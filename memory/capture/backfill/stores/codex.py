"""Codex: rollouts by date of their start, archived and compressed ones, and long ones in pages."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

from memory.capture.backfill.stores.base import Facts, head, is_within
from memory.disk import Tree
from memory.transcripts import fields
from memory.transcripts.codex.files import NAME, threads
from memory.transcripts.conversation import JsonObject
from memory.transcripts.places import Location

_PART = re.compile(r"(.*)/(sessions(?:/\d{4}(?:/\d\d(?:/\d\d)?)?)?|archived_sessions)")
_CWD = re.compile(r"<cwd>([^<\n]+)</cwd>|Current working directory: ([^\n]+)")


def roots(path: Path) -> Iterator[tuple[Path, str]]:
    """A home, Codex's own folder, or one of those in it that hold rollouts."""
    yield path / ".codex", ""
    yield path, ""
    if part := _PART.fullmatch(str(path)):
        yield Path(part[1] or "/"), part[2]


def files(tree: Tree, within: str) -> Iterator[str]:
    return (page for pages in threads(tree).values() for page in pages if is_within(page, within))


def conversations(tree: Tree, within: str) -> Iterator[Location]:
    for thread, pages in sorted(threads(tree).items(), key=lambda found: found[1]):
        if meant := tuple(page for page in pages if is_within(page, within)):
            yield Location("codex", thread, tree.root, meant, by_path=True)


def facts(tree: Tree, location: Location) -> Facts:
    named = NAME.fullmatch(location.path.rpartition("/")[2])
    found = Facts(session=named["thread"] if named else location.session)
    for line in head(tree, location.path):
        if line.get("type") == "session_meta":
            return _enveloped(fields.record(line.get("payload")), found.session)
        if "type" not in line and "id" in line:
            found = Facts(session=found.session, started=fields.moment(line.get("timestamp")))
        elif cwd := _told(line):
            return Facts(session=found.session, started=found.started, cwd=cwd)
    return found


def _enveloped(payload: JsonObject, session: str) -> Facts:
    source = fields.record(payload.get("source"))
    spawn = fields.record(fields.record(source.get("subagent")).get("thread_spawn"))
    parent = fields.text(payload.get("parent_thread_id")) or fields.text(spawn.get("parent_thread_id"))
    is_of_subagent = "subagent" in source or payload.get("thread_source") == "subagent"
    return Facts(
        session=session or fields.text(payload.get("id")),
        cwd=fields.text(payload.get("cwd")),
        started=fields.moment(payload.get("timestamp")),
        parent=parent if is_of_subagent else "",
        is_of_subagent=is_of_subagent,
    )


def _told(line: JsonObject) -> str:
    """Find the directory where only the model was told it, as before 2025-09."""
    texts = (fields.text(block.get("text")) for block in fields.records(line.get("content")))
    match = next(filter(None, map(_CWD.search, texts)), None)
    return (match[1] or match[2]).strip() if match else ""
