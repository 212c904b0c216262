"""What wakes the worker's threads."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory.jobs.commits import Commits
from tests.waiting import DEADLINE


@pytest.fixture
def database(tmp_path: Path) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(tmp_path / "memdock.sqlite3")) as database:
        database.execute("CREATE TABLE entry (title)")
        yield database


@pytest.fixture
def commits(database: sqlite3.Connection, tmp_path: Path) -> Iterator[Commits]:
    commits = Commits(tmp_path / "memdock.sqlite3")
    yield commits
    commits.close()


def test_each_commit_ends_a_wait(database: sqlite3.Connection, commits: Commits) -> None:
    seen = commits.wait(0, DEADLINE)  # what was committed before is looked at once
    assert seen == 1
    for number in range(3):
        with database:
            database.execute("INSERT INTO entry VALUES (?)", [number])
        now = commits.wait(seen, DEADLINE)
        assert now > seen
        seen = now


def test_a_wait_without_a_commit_ends_too(database: sqlite3.Connection, commits: Commits) -> None:
    seen = commits.wait(0, DEADLINE)
    database.execute("INSERT INTO entry VALUES ('not committed')")
    assert commits.wait(seen, 0.1) == seen
