"""Recognises agents' stores: those of this machine, and what a person names by its path."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path

from memory.capture.backfill.stores import registry
from memory.capture.backfill.stores.base import head
from memory.disk import DiskError, Tree
from memory.transcripts import roots
from memory.transcripts.conversation import JsonObject
from memory.transcripts.places import Location

AGENTS = "agents"
"""The source that stands for the stores of all agents of this machine."""

_LINES = re.compile(r"\.jsonl(?:\.(?:reset|bak)\.[0-9TZ:.\-]+|\.full\.bak)?(?:\.zstd?)?$")
_DEEPEST = 4
"""Folders between a store's root and a conversation."""
_LOOKED_AT = 5
"""Files of a folder whose content is looked at to know whose they are."""

_CLAUDE = {"user", "assistant", "system", "summary", "attachment", "file-history-snapshot", "queue-operation"}
_IDS = {"sessionId", "uuid", "leafUuid", "messageId"}
_BARE = {"id", "timestamp", "instructions"}
_CODEX = {"session_meta", "turn_context", "response_item", "event_msg", "compacted"}


@dataclass(frozen=True, slots=True)
class Source:
    """The store of one agent, or a part of it; `loose` is a conversation that lies in no store."""

    platform: str
    root: Path
    within: str = ""
    loose: Location | None = None

    def conversations(self, tree: Tree) -> Iterator[Location]:
        """Yield what is meant. Raises `disk.DiskError` and `places.Unavailable`."""
        return iter([self.loose]) if self.loose else registry.of(self.platform).conversations(tree, self.within)

    def files(self, tree: Tree) -> Iterator[str]:
        """Yield the files of what is meant, by their names alone."""
        return iter([self.loose.path]) if self.loose else registry.of(self.platform).files(tree, self.within)

    def size(self) -> int:
        """Count these files: at least so many conversations there are, as a database may hold more."""
        try:
            with Tree(self.root) as tree:
                return sum(1 for _ in self.files(tree))
        except DiskError:
            return 0


def known() -> list[Source]:
    """Return the stores of all agents that this machine has."""
    places = ((platform, root) for platform in registry.PLATFORMS for root in roots.known(platform))
    return [Source(platform, root) for platform, root in places if root.is_dir()]


def recognised(path: Path) -> list[Source]:
    """Return whose conversations a real path holds: one of an agent, or one each where it is a home; none of others."""
    if path.is_dir() or not _LINES.search(path.name):
        return list(filter(None, (_folder(platform, path) for platform in registry.PLATFORMS)))
    return list(_file(path))


def kind(sources: Sequence[Source]) -> str:
    """Name what was found, for a report."""
    platforms = {source.platform for source in sources}
    return f"{platforms.pop()}-sessions" if len(platforms) == 1 else "agent-sessions"


def _folder(platform: str, path: Path) -> Source | None:
    candidates = (Source(platform, root, within) for root, within in registry.of(platform).roots(path))
    return next(filter(_holds, candidates), None)


def _holds(source: Source) -> bool:
    """Tell by names, and where these are common ones by content; no database is opened, which may take long."""
    try:
        with Tree(source.root) as tree:
            first = islice(source.files(tree), _LOOKED_AT)
            return any(not _LINES.search(path) or _writer(tree, path) == source.platform for path in first)
    except DiskError:
        return False


def _file(path: Path) -> Iterator[Source]:
    """Yield the one conversation, at its place in a store where it lies in one: then more is known of it."""
    try:
        with Tree(path.parent) as tree:
            platform = _writer(tree, path.name)
            loose = Location(platform, path.name.partition(".jsonl")[0], tree.root, (path.name,), by_path=True)
    except DiskError:
        return
    if platform:
        yield _placed(platform, path) or Source(platform, path.parent, loose=loose)


def _placed(platform: str, path: Path) -> Source | None:
    for root in reversed(path.parents[1 : _DEEPEST + 1]):
        source = Source(platform, root, str(path.relative_to(root)))
        try:
            with Tree(root) as tree:
                if source.within in source.files(tree):
                    return source
        except DiskError:
            continue
    return None


def _writer(tree: Tree, path: str) -> str:
    """Name the agent that wrote a file of lines, as its first lines tell; "" for none that is known."""
    return next(filter(None, map(_agent, head(tree, path))), "")


def _agent(line: JsonObject) -> str:
    kind = line.get("type")
    if kind == "session":
        return "dsh" if "createdAt" in line else "openclaw"
    if (kind in _CODEX and "payload" in line) or line.keys() >= _BARE:
        return "codex"
    return "claude-code" if kind in _CLAUDE and _IDS & line.keys() else ""
