"""Sessions, messages and parts in OpenCode's tables: those of 1.x, and those of 2.x beside them."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Protocol

from memory.transcripts import databases, lines
from memory.transcripts.conversation import Json, JsonObject
from memory.transcripts.lines import Tally


@dataclass(frozen=True, slots=True)
class Session:
    """What a session says of itself; `created` in milliseconds, `reverted` is the first message that was undone."""

    title: str = ""
    created: int = 0
    reverted: str = ""


class Source(Protocol):
    """Where 1.x keeps a session: tables or files."""

    def session(self) -> Session: ...

    def messages(self) -> Iterator[str]:
        """Yield the ids of all messages, in order."""

    def message(self, ident: str) -> JsonObject:
        """Read one message; `time.updated` says when it last changed."""

    def parts(self, message: str) -> Iterator[JsonObject]: ...


def is_newer(connection: sqlite3.Connection, session: str) -> bool:
    """Tell whether the tables of 2.x have this session; a 1.x database may have some of them, all but empty."""
    if not {"session_v2", "session_message"} <= databases.tables(connection):
        return False
    query = (
        "select 1 from session_message where session_id = :id and type in ('user', 'assistant')"
        " and exists (select 1 from session_v2 where id = :id) limit 1"
    )
    return connection.execute(query, {"id": session}).fetchone() is not None


def is_older(connection: sqlite3.Connection, session: str) -> bool:
    if not {"session", "message", "part"} <= databases.tables(connection):
        return False
    return connection.execute("select 1 from session where id = ?", (session,)).fetchone() is not None


def newer(connection: sqlite3.Connection, session: str, tally: Tally) -> Iterator[JsonObject]:
    """Yield the rows of a 2.x session in their order, as objects with `id`, `type`, `updated` and what `data` holds."""
    query = "select id, type, time_updated, data from session_message where session_id = ? order by seq"
    for row in connection.execute(query, (session,)):
        data = _data(row["data"], tally)
        yield {**data, "id": row["id"], "type": row["type"], "updated": _plain(row["time_updated"])}


class Rows:
    """A session in the tables of 1.x."""

    def __init__(self, connection: sqlite3.Connection, session: str, tally: Tally) -> None:
        self._connection = connection
        self._id = session
        self._tally = tally

    def session(self) -> Session:
        has_revert = "revert" in databases.columns(self._connection, "session")
        revert = "revert" if has_revert else "null as revert"
        query = f"select title, time_created, {revert} from session where id = ?"  # noqa: S608 - one of two words
        row = self._connection.execute(query, (self._id,)).fetchone()
        undone = _data(row["revert"], self._tally).get("messageID") if row["revert"] else ""
        created = row["time_created"] if isinstance(row["time_created"], int) else 0
        return Session(str(row["title"] or ""), created, undone if isinstance(undone, str) else "")

    def messages(self) -> Iterator[str]:
        query = "select id from message where session_id = ? order by time_created, id"
        return (str(row["id"]) for row in self._connection.execute(query, (self._id,)).fetchall())

    def message(self, ident: str) -> JsonObject:
        row = self._connection.execute("select time_updated, data from message where id = ?", (ident,)).fetchone()
        if row is None:  # its id was no text
            return {}
        return {**_data(row["data"], self._tally), "updated": _plain(row["time_updated"])}

    def parts(self, message: str) -> Iterator[JsonObject]:
        query = "select data from part where message_id = ? order by id"
        return (_data(row["data"], self._tally) for row in self._connection.execute(query, (message,)))


def _data(value: object, tally: Tally) -> JsonObject:
    words = value.encode() if isinstance(value, str) else value
    return (lines.parsed(words, tally) if isinstance(words, bytes) else None) or {}


def _plain(value: object) -> Json:
    return value if isinstance(value, int | float | str) else None
