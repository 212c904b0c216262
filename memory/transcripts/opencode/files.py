"""OpenCode's files: a database a channel, and before 1.2 a folder of small JSON files."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager

from memory import descriptors, disk
from memory.disk import Tree
from memory.transcripts import databases, places
from memory.transcripts.drafts import Draft
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.lines import Tally
from memory.transcripts.opencode import rows, stored
from memory.transcripts.opencode.newer import NewerTurns
from memory.transcripts.opencode.turns import Turns
from memory.transcripts.places import Location, Unavailable, is_file
from memory.transcripts.readers import Pages, Pass, Reader

DATABASE = re.compile(r"opencode(?:-[A-Za-z0-9._-]+)?\.db")


def _at(tree: Tree, path: str, session: str) -> Pages:
    """Give the database that an anchor names, if it holds the session; the session's own file otherwise."""
    if DATABASE.fullmatch(path) and is_file(tree, path):
        return (path,) if _holds(tree, path, session) else ()
    is_own = stored.SESSION.fullmatch(path) and path.endswith(f"/{session}.json")
    return (path,) if is_own and is_file(tree, path) else ()


def _find(tree: Tree, session: str, hint: str) -> Pages:
    """Look into every channel's database, then for a session that no database took over."""
    names = [item.name for item in places.files(tree) if DATABASE.fullmatch(item.name)]
    trouble: Unavailable | disk.Refused | None = None
    for name in names:
        try:
            if _holds(tree, name, session):
                return (name,)
        except (Unavailable, disk.Refused) as error:
            trouble = error
    if descriptors.is_plain(session) and (path := stored.find(tree, session)):
        return (path,)
    if trouble:
        raise trouble
    return ()


def _holds(tree: Tree, path: str, session: str) -> bool:
    with databases.opened(tree, path, LIMITS) as connection:
        return rows.is_newer(connection, session) or rows.is_older(connection, session)


@contextmanager
def _opened(tree: Tree, location: Location, limits: Limits) -> Iterator[Pass]:
    if not DATABASE.fullmatch(location.path):
        yield lambda tally: Turns(stored.Files(tree, location.path, location.session, tally), limits, tally).drafts()
        return
    with databases.opened(tree, location.path, limits) as connection:

        def drafts(tally: Tally) -> Iterator[Draft]:
            return _read(connection, location.session, limits, tally)

        yield drafts


def _read(connection: sqlite3.Connection, session: str, limits: Limits, tally: Tally) -> Iterator[Draft]:
    """Read the newer tables where they have the session: the older ones are frozen then."""
    if rows.is_newer(connection, session):
        return NewerTurns(limits, tally).drafts(rows.newer(connection, session, tally))
    return Turns(rows.Rows(connection, session, tally), limits, tally).drafts()


OPENCODE = Reader(mark="opencode/", at=_at, find=_find, opened=_opened)
