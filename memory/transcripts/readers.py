"""What a platform has to bring so that its conversations can be found and read."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from dataclasses import dataclass

from memory.disk import Tree
from memory.transcripts.drafts import Draft
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location

type Pages = tuple[str, ...]
"""Paths below the root, in the order in which they are read; empty when nothing is there."""

type Pass = Callable[[Tally], Iterator[Draft]]
"""Reads a whole conversation once more, turn by turn. A sketch is final when the last turn is out."""


@dataclass(frozen=True, slots=True)
class Reader:
    """One agent's files.

    `mark` is how the root ends in any home. `at` answers what lies at a path below the root, if its name is one that
    the agent gives to conversations; `find` looks a session id up, with the path that was asked for as a hint. Both
    raise `disk.DiskError`. `opened` holds a conversation open while it is read.
    """

    mark: str
    at: Callable[[Tree, str, str], Pages]
    find: Callable[[Tree, str, str], Pages]
    opened: Callable[[Tree, Location, Limits], AbstractContextManager[Pass]]
    farewell: str = ""
