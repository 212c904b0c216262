"""Databases of agents that may be running: copied, and only the copy is opened, so that nothing changes beside them."""

from __future__ import annotations

import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from contextlib import closing, contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from pathlib import Path
from urllib.parse import quote

from memory import disk
from memory.disk import Tree
from memory.transcripts.limits import Limits
from memory.transcripts.places import Unavailable

_TRIES = 3
_WAL_HEADER = 32
_INSTRUCTIONS = 100_000
_SLICES = 1_000
"""A query may take this many slices of so many instructions: far more than a long conversation needs."""


@dataclass(slots=True)
class _Copies:
    """A folder with the copy that was made last, and what it is one of; one only, as it may be large."""

    folder: Path
    of: tuple[Path, str, Limits] | None = None

    def take(self, tree: Tree, path: str, limits: Limits) -> Path:
        """Return the copy of a database, which is made unless it was the last one."""
        copy = self.folder / "copy.db"
        if self.of != (tree.root, path, limits):
            self.of = None
            for left in self.folder.iterdir():
                left.unlink()
            _copy(tree, path, copy, limits)
            self.of = (tree.root, path, limits)
        return copy


_copies: ContextVar[_Copies | None] = ContextVar("copies", default=None)


@contextmanager
def copied_once() -> Iterator[_Copies]:
    """Use one copy of a database for all that opens it in the block: to look a conversation up, and then to read it."""
    if outer := _copies.get():
        yield outer
        return
    with tempfile.TemporaryDirectory(prefix="memdock-") as folder:
        copies = _Copies(Path(folder))
        token = _copies.set(copies)
        try:
            yield copies
        finally:
            _copies.reset(token)


@contextmanager
def opened(tree: Tree, path: str, limits: Limits) -> Iterator[sqlite3.Connection]:
    """Open a copy of a database as it is now, with what its write-ahead log holds.

    Rows come as `sqlite3.Row`. Raises `Unavailable` for what is no database or is too large, and `disk.DiskError`.
    Any `sqlite3.Error` while it is open becomes `Unavailable` as well: tables and their content are foreign.
    """
    with copied_once() as copies:
        copy = copies.take(tree, path, limits)
        try:
            with closing(sqlite3.connect(f"file:{quote(str(copy))}?mode=ro", uri=True)) as connection:
                _guard(connection, limits)
                yield connection
        except sqlite3.Error as error:
            raise Unavailable("unknown", "The database is in an unknown format and cannot be read.") from error


def tables(connection: sqlite3.Connection) -> set[str]:
    return {name for (name,) in connection.execute("select name from sqlite_master where type = 'table'")}


def columns(connection: sqlite3.Connection, table: str) -> set[str]:
    return {name for (name,) in connection.execute("select name from pragma_table_info(?)", (table,))}


def _guard(connection: sqlite3.Connection, limits: Limits) -> None:
    """Keep a hostile database from running code of its own, from holding us, and from filling the memory."""
    slices = iter(range(_SLICES))
    connection.row_factory = sqlite3.Row
    connection.text_factory = lambda data: data.decode("utf-8", "replace")
    connection.setlimit(sqlite3.SQLITE_LIMIT_LENGTH, limits.line)
    connection.execute("pragma trusted_schema = off")
    connection.execute("pragma query_only = on")
    connection.set_progress_handler(lambda: next(slices, None) is None, _INSTRUCTIONS)


def _copy(tree: Tree, path: str, copy: Path, limits: Limits) -> None:
    """Copy until a copy is of one moment: first the database, then its log, with no checkpoint in between."""
    for _ in range(_TRIES):
        before = _state(tree, path)
        _copy_file(tree, path, copy, limits)
        log = copy.with_name(f"{copy.name}-wal")
        log.unlink(missing_ok=True)
        if before[1]:
            _copy_file(tree, f"{path}-wal", log, limits)
        if _state(tree, path) == before:
            return
    raise Unavailable("refused", "The database is being written just now; try again in a moment.")


def _state(tree: Tree, path: str) -> tuple[tuple[int, int], bytes]:
    """What changes when the agent moves its log into the database: the file itself, and the head of the log."""
    item = tree.stat(path)
    try:
        head = tree.read(f"{path}-wal", limit=_WAL_HEADER).data
    except disk.Missing:
        head = b""
    return (item.size, item.modified_ns), head


def _copy_file(tree: Tree, path: str, to: Path, limits: Limits) -> None:
    try:
        with tree.open(path) as source, to.open("wb") as target:
            if tree.stat(path).size > limits.database:
                raise Unavailable("refused", "The database is too large to be copied, so it is not opened.")
            shutil.copyfileobj(source, target, 1024 * 1024)
    except OSError as error:
        raise Unavailable("refused", "The database cannot be copied to be read.") from error
