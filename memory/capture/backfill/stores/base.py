"""What is asked of an agent's store, and what all stores need to answer."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime
from itertools import islice
from pathlib import Path
from typing import Protocol

from memory.disk import Tree
from memory.transcripts import lines
from memory.transcripts.conversation import JsonObject
from memory.transcripts.limits import LIMITS
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location

HEAD = 200
"""Lines at the start of a conversation in which it says where it was held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """What a conversation says of itself; `cwd` may be empty or of another machine.

    `parent` is the session that started a sub-agent's. An unattended one was started by a clock, not by a person.
    """

    session: str
    cwd: str = ""
    started: datetime | None = None
    parent: str = ""
    is_of_subagent: bool = False
    is_unattended: bool = False


class Store(Protocol):
    """Knows one agent's files. `within` restricts to what lies at or below a path; "" restricts nothing."""

    def roots(self, path: Path) -> Iterator[tuple[Path, str]]:
        """Yield where a store's root may be when a person names `path`, and which part of it is meant then."""
        ...

    def files(self, tree: Tree, within: str) -> Iterator[str]:
        """Yield the files that hold conversations, by their names alone."""
        ...

    def conversations(self, tree: Tree, within: str) -> Iterator[Location]:
        """Yield the conversations of a store. Raises `places.Unavailable` for a database, after all others."""
        ...

    def facts(self, tree: Tree, location: Location) -> Facts:
        """Read what one conversation says of itself. Raises `disk.DiskError` and `places.Unavailable`."""
        ...


def is_within(path: str, within: str) -> bool:
    return not within or path == within or path.startswith(f"{within}/")


def overlaps(folder: str, within: str) -> bool:
    """Tell whether anything in a folder may be meant."""
    return is_within(folder, within) or within.startswith(f"{folder}/")


def head(tree: Tree, path: str) -> Iterator[JsonObject]:
    """Yield the first objects of a file of lines."""
    return islice(lines.objects(tree, path, LIMITS, Tally()), HEAD)
