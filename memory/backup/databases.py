"""The database of a backup: SQLite's pages as they are, PostgreSQL by its own programs."""

from __future__ import annotations

import os
import sqlite3
import subprocess
from contextlib import closing
from pathlib import Path
from typing import Any

from django.db import connection, transaction

from memory.backup.errors import CannotBackUp, CannotRestore

_FUNCTIONS = """
SELECT oid::regprocedure::text FROM pg_proc WHERE pronamespace = current_schema()::regnamespace
AND NOT EXISTS (SELECT FROM pg_depend WHERE objid = pg_proc.oid AND deptype = 'e')
"""
_SIDES = ("-wal", "-shm", "-journal")


def dump(target: Path) -> None:
    """Write the database as it is in one moment, while others go on writing. Raises CannotBackUp."""
    if connection.vendor == "sqlite":
        connection.ensure_connection()
        with closing(sqlite3.connect(target)) as copy:
            connection.connection.backup(copy)
            [(answer,), *_] = copy.execute("PRAGMA integrity_check(1)").fetchall()
        if answer != "ok":
            raise CannotBackUp(f"The database is damaged: {answer}.")
        return
    try:
        _run("pg_dump", "--format=custom", "--no-owner", "--no-privileges", f"--file={target}")
    except _Failed as exc:
        raise CannotBackUp(str(exc)) from exc


def load(source: Path) -> None:
    """Put a dump in the place of the whole database; nobody else may use it. Raises CannotRestore."""
    if connection.vendor == "sqlite":
        path = Path(connection.settings_dict["NAME"])
        connection.close()
        for side in _SIDES:
            path.with_name(path.name + side).unlink(missing_ok=True)
        source.replace(path)
        return
    try:
        _empty()
        connection.close()
        _run("pg_restore", "--no-owner", "--no-privileges", "--single-transaction", "--exit-on-error", str(source))
    except _Failed as exc:
        raise CannotRestore(f"{exc} The database is empty now; restore the backup that was made before.") from exc


class _Failed(Exception):
    """A program of PostgreSQL is missing or has failed; the message is one sentence."""


def _run(program: str, *arguments: str) -> None:
    from psycopg import conninfo  # an optional extra

    known: dict[str, Any] = connection.get_connection_params()
    wanted = {name: known[name] for name in ("host", "port", "user", "dbname", "sslmode") if known.get(name)}
    secret = {"PGPASSWORD": known["password"]} if known.get("password") else {}  # a command line is seen by everybody
    command = [program, *arguments, f"--dbname={conninfo.make_conninfo(**wanted)}"]
    try:
        done = subprocess.run(command, env=os.environ | secret, capture_output=True, text=True, check=False)  # noqa: S603
    except FileNotFoundError as exc:
        raise _Failed(f"{program} is not installed; it comes with PostgreSQL's client.") from exc
    if done.returncode:
        said = (done.stderr.strip().splitlines() or ["no reason given"])[0]
        raise _Failed(f"{program} failed: {said.rstrip('.')}.")


def _empty() -> None:
    """Drop every table and function: what a newer MemDock added would be in the way of the migrations."""
    with transaction.atomic(), connection.cursor() as cursor:
        for name in connection.introspection.table_names(cursor):
            cursor.execute(f"DROP TABLE {connection.ops.quote_name(name)} CASCADE")
        cursor.execute(_FUNCTIONS)
        for (name,) in cursor.fetchall():
            cursor.execute(f"DROP ROUTINE {name} CASCADE")
