"""OpenCode: a database a channel with the tables of 1.x and 2.x, and before 1.2 a folder of small JSON files."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Iterator
from pathlib import Path

from memory.capture.backfill.stores.base import Facts, is_within
from memory.disk import Tree
from memory.transcripts import databases, fields, lines, places
from memory.transcripts.conversation import JsonObject
from memory.transcripts.limits import LIMITS, MIB
from memory.transcripts.lines import Tally
from memory.transcripts.opencode import stored
from memory.transcripts.opencode.files import DATABASE
from memory.transcripts.places import Location, Unavailable

_TABLES = ("session_v2", "session")
"""The newer table counts where both have a session."""
_PART = re.compile(r"(.*)/(storage(?:/session(?:/[^/]+)?)?|opencode[^/]*\.db)")


def roots(path: Path) -> Iterator[tuple[Path, str]]:
    """A home, OpenCode's data folder, the old storage in it, or one database."""
    yield path / ".local" / "share" / "opencode", ""
    yield path / "opencode", ""
    yield path, ""
    if part := _PART.fullmatch(str(path)):
        yield Path(part[1] or "/"), part[2]


def files(tree: Tree, within: str) -> Iterator[str]:
    return (path for path in (*_databases(tree), *_stored(tree)) if is_within(path, within))


def conversations(tree: Tree, within: str) -> Iterator[Location]:
    """What a database took over is not read from files as well."""
    known: set[str] = set()
    trouble: Unavailable | None = None
    for name in _databases(tree):
        try:
            sessions = _sessions(tree, name) if is_within(name, within) else []
        except Unavailable as exc:
            trouble = exc
            continue
        for session in sessions:
            if session not in known:
                known.add(session)
                yield Location("opencode", session, tree.root, (name,), by_path=True)
    for path in _stored(tree):
        session = path.rpartition("/")[2].removesuffix(".json")
        if session not in known and is_within(path, within):
            yield Location("opencode", session, tree.root, (path,), by_path=True)
    if trouble:
        raise trouble


def facts(tree: Tree, location: Location) -> Facts:
    said = _row(tree, location) if DATABASE.fullmatch(location.path) else _file(tree, location)
    parent = fields.text(said.get("parent"))
    return Facts(
        session=location.session,
        cwd=fields.text(said.get("directory")),
        started=fields.moment(said.get("created")),
        parent=parent,
        is_of_subagent=bool(parent),
    )


def _databases(tree: Tree) -> list[str]:
    return [item.name for item in places.files(tree) if DATABASE.fullmatch(item.name)]


def _sessions(tree: Tree, name: str) -> list[str]:
    """Name the sessions of a database, oldest first."""
    found: dict[str, object] = {}
    with databases.opened(tree, name, LIMITS) as connection:
        for table in _present(connection):
            query = f"select id from {table} order by time_created, id"  # noqa: S608 - one of two words
            found |= {session: None for (session,) in connection.execute(query) if isinstance(session, str)}
    return list(found)


def _present(connection: sqlite3.Connection) -> list[str]:
    return [table for table in _TABLES if "id" in databases.columns(connection, table)]


def _row(tree: Tree, location: Location) -> JsonObject:
    with databases.opened(tree, location.path, LIMITS) as connection:
        for table in _present(connection):
            query = f"select directory, parent_id, time_created from {table} where id = ?"  # noqa: S608 - one of two words
            if row := connection.execute(query, (location.session,)).fetchone():
                return dict(zip(("directory", "parent", "created"), row, strict=True))
    return {}


def _stored(tree: Tree) -> Iterator[str]:
    for folder in places.folders(tree, "storage/session"):
        paths = (f"{folder}/{item.name}" for item in places.files(tree, folder))
        yield from (path for path in paths if stored.SESSION.fullmatch(path))


def _file(tree: Tree, location: Location) -> JsonObject:
    data = lines.parsed(tree.read(location.path, limit=64 * MIB).data, Tally()) or {}
    created = fields.record(data.get("time")).get("created")
    return {"directory": data.get("directory"), "parent": data.get("parentID"), "created": created}
