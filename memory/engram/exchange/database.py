"""Engram's own database, `engram.db`: a copy of it is read, with its log, so that nothing changes beside it."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from memory.descriptors import DiskError
from memory.disk import Tree
from memory.engram.exchange.documents import Survey
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.jsonstream import Member
from memory.transcripts import databases
from memory.transcripts.conversation import Json, JsonObject
from memory.transcripts.limits import LIMITS
from memory.transcripts.places import Unavailable

MAGIC = b"SQLite format 3\0"

_TABLES = {
    "sessions": "sessions",
    "observations": "observations",
    "observation_versions": "observation_versions",
    "user_prompts": "prompts",
    "memory_relations": "relations",
    "prompt_tombstones": "prompt_tombstones",
    "sync_delete_tombstones": "tombstones",
}
"""Engram's tables, in the order in which they are read, and what an export calls them."""

_REQUIRED = {"sessions", "observations"}
_SUPERSEDED = (
    "SELECT r.*, s.sync_id AS superseded_by_relation_sync_id FROM memory_relations r"
    " LEFT JOIN memory_relations s ON s.id = r.superseded_by_relation_id ORDER BY r.id"
)
_VERSIONS = (
    "SELECT v.*, o.sync_id AS observation_sync_id FROM observation_versions v"
    " JOIN observations o ON o.id = v.observation_id ORDER BY v.id"
)


@dataclass(frozen=True, slots=True)
class DatabaseDocument:
    """A database below a tree; within `databases.copied_once` it is copied once."""

    tree: Tree
    name: str

    def survey(self) -> Survey:
        """Count its rows. Raises CannotImport for a database that is not Engram's."""
        with self._opened() as connection:
            tables = databases.tables(connection)
            if not tables >= _REQUIRED:
                raise CannotImport("It is a database, but not Engram's: it has no sessions and observations.")
            return Survey("engram-database", sum(_count(connection, table) for table in _TABLES if table in tables))

    def members(self) -> Iterator[Member]:
        with self._opened() as connection:
            there = databases.tables(connection)
            for table, section in _TABLES.items():
                if table in there:
                    yield from ((section, _row(found)) for found in connection.execute(_query(connection, table)))

    @contextmanager
    def _opened(self) -> Iterator[sqlite3.Connection]:
        try:
            with databases.opened(self.tree, self.name, LIMITS) as connection:
                yield connection
        except (Unavailable, DiskError) as exc:
            raise CannotImport(str(exc)) from exc


def _count(connection: sqlite3.Connection, table: str) -> int:
    (number,) = connection.execute(f"SELECT count(*) FROM {table}").fetchone()  # noqa: S608 - a name of ours
    return int(number)


def _query(connection: sqlite3.Connection, table: str) -> str:
    if table == "observation_versions":
        return _VERSIONS
    if table == "memory_relations" and "superseded_by_relation_id" in databases.columns(connection, table):
        return _SUPERSEDED
    return f"SELECT * FROM {table} ORDER BY rowid"  # noqa: S608 - a name of ours


def _row(found: sqlite3.Row) -> JsonObject:
    return {name: _value(found[name]) for name in found.keys()}  # noqa: SIM118 - a row's values are what it iterates


def _value(value: object) -> Json:
    return value if isinstance(value, str | int | float) else None
