"""Claude Code's files: `<dashed folder>/<session>.jsonl`, and below that the runs of sub-agents."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from memory import descriptors, disk
from memory.disk import Tree
from memory.transcripts import lines
from memory.transcripts.claude_code.turns import ClaudeParser
from memory.transcripts.drafts import Draft
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location, folders, is_file
from memory.transcripts.readers import Pages, Pass, Reader

_NAME = re.compile(r"[^/]+/(?:[^/]+/subagents/agent-[^/]+|[^/]+)\.jsonl")
_SIDE_FILE = re.compile(r"tool-results/([^/]+)$")


def _at(tree: Tree, path: str, session: str) -> Pages:
    return (path,) if _NAME.fullmatch(path) and is_file(tree, path) else ()


def _find(tree: Tree, session: str, hint: str) -> Pages:
    """Look into each project's folder; of copies of one session the oldest is the original."""
    if not descriptors.is_plain(session):
        return ()
    named = [path for folder in folders(tree) for path in _names(tree, folder, session) if is_file(tree, path)]
    named.sort(key=lambda path: tree.stat(path).modified_ns)
    return tuple(named[:1])


def _names(tree: Tree, folder: str, session: str) -> Iterator[str]:
    yield f"{folder}/{session}.jsonl"
    if session.startswith("agent-"):
        yield from (f"{inner}/subagents/{session}.jsonl" for inner in folders(tree, folder))


@contextmanager
def _opened(tree: Tree, location: Location, limits: Limits) -> Iterator[Pass]:
    def side_file(said: str) -> str:
        return _side_output(tree, location.path, said, limits)

    def drafts(tally: Tally) -> Iterator[Draft]:
        is_side = location.path.rpartition("/")[2].startswith("agent-")
        parser = ClaudeParser(limits, tally, side_file=side_file, is_side_chain=is_side)
        return parser.drafts(lines.objects(tree, location.path, limits, tally))

    yield drafts


def _side_output(tree: Tree, path: str, said: str, limits: Limits) -> str:
    """Read a long output from this session's own folder, whatever folder the line names; empty where it is not."""
    name = _SIDE_FILE.search(said.replace("\\", "/"))
    folder = path.rpartition("/subagents/")[0] or path.removesuffix(".jsonl")
    try:
        content = tree.read(f"{folder}/tool-results/{name[1]}", limit=limits.side_file + 1) if name else None
    except disk.DiskError:
        return ""
    if content is None or len(content.data) > limits.side_file:
        return ""
    return content.data.decode("utf-8", "replace")


CLAUDE_CODE = Reader(
    mark=".claude/projects/",
    at=_at,
    find=_find,
    opened=_opened,
    farewell="Claude Code deletes its conversations after 30 days, unless told otherwise.",
)
