"""Engram's own database is read without a trace beside it, whoever holds it."""

from __future__ import annotations

import os
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.engram.exchange.errors import CannotImport
from memory.models import Observation, Relation
from tests import untouched
from tests.memory.engram.exchange.sources import bring, counts, expected, make_engram
from tests.places import FIXTURES

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not FIXTURES.is_dir(), reason="the generators are not here")]


@pytest.mark.parametrize("name", ["engram.db", "."], ids=["file", "directory"])
def test_the_folder_is_the_same_afterwards_and_the_log_is_read(tmp_path: Path, name: str) -> None:
    truth = make_engram(tmp_path, "--quirks", "wal", "--formats", "db")
    before = untouched.below(tmp_path)

    bring(tmp_path / name)

    assert untouched.below(tmp_path) == before
    assert counts() == expected(truth, "after_db_import")


def test_without_its_log_the_rest_is_read(tmp_path: Path) -> None:
    truth = make_engram(tmp_path, "--quirks", "wal", "--formats", "db")
    (tmp_path / "engram.db-wal").unlink()
    before = untouched.below(tmp_path)

    bring(tmp_path / "engram.db")

    assert untouched.below(tmp_path) == before
    wanted = truth["after_db_import"]
    assert Observation.objects.live().count() == wanted["observations_live"] - wanted["rows_only_in_wal"]


@pytest.fixture
def read_only(tmp_path: Path) -> Iterator[Path]:
    """A folder in which nothing can be made."""
    folder = tmp_path / "mount"
    folder.mkdir()
    yield folder
    folder.chmod(0o700)


def test_a_folder_that_cannot_be_written_is_read(tmp_path: Path, read_only: Path) -> None:
    truth = make_engram(tmp_path / "made", "--quirks", "wal", "--formats", "db")
    for name in ("engram.db", "engram.db-wal"):
        shutil.copy(tmp_path / "made" / name, read_only)
        (read_only / name).chmod(0o400)
    read_only.chmod(0o500)
    before = os.stat(read_only).st_mtime_ns

    bring(read_only / "engram.db")

    assert counts() == expected(truth, "after_db_import")
    assert os.stat(read_only).st_mtime_ns == before


def test_a_server_that_is_writing_is_not_disturbed(tmp_path: Path) -> None:
    truth = make_engram(tmp_path, "--formats", "db")
    with closing(sqlite3.connect(tmp_path / "engram.db", isolation_level=None)) as server:
        server.execute("BEGIN EXCLUSIVE")
        server.execute("UPDATE observations SET title = 'half written'")

        bring(tmp_path / "engram.db")

        server.execute("COMMIT")
    assert counts() == expected(truth, "after_db_import")
    assert not Observation.objects.filter(title="half written").exists()


def test_a_database_of_something_else_is_refused(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "notes.db")) as other:
        other.execute("CREATE TABLE notes (id INTEGER)")
        other.commit()
    with pytest.raises(CannotImport, match="not Engram's"):
        bring(tmp_path / "notes.db")


def test_an_old_database_with_fewer_columns_is_read(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "engram.db")) as old:
        old.executescript(
            """
            CREATE TABLE sessions (id TEXT, project TEXT, started_at TEXT);
            CREATE TABLE observations (id INTEGER PRIMARY KEY, session_id TEXT, type TEXT, title TEXT, content TEXT,
              created_at TEXT);
            INSERT INTO sessions VALUES ('s1', 'harbor', '2026-02-03 08:00:00');
            INSERT INTO observations VALUES (7, 's1', 'bugfix', 'Old', x'ff00', '2026-02-03 09:00:00');
            """
        )
    for _ in range(2):
        bring(tmp_path)

    assert [(row.title, row.type) for row in Observation.objects.all()] == [("Old", "bugfix")]


def test_what_superseded_a_relation_is_known_by_its_sync_id(tmp_path: Path) -> None:
    make_engram(tmp_path, "--quirks", "relations", "--formats", "db")
    with closing(sqlite3.connect(tmp_path / "engram.db")) as engram:
        (newer,) = engram.execute("SELECT sync_id FROM memory_relations WHERE id = 2").fetchone()
        engram.execute("UPDATE memory_relations SET superseded_by_relation_id = 2 WHERE id = 1")
        engram.commit()

    bring(tmp_path / "engram.db")

    assert list(Relation.objects.exclude(superseded_by="").values_list("superseded_by", flat=True)) == [newer]
