"""Databases of agents that are running: read as they are now, and left as they were."""

from __future__ import annotations

import json
import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from memory import disk
from memory.disk import Tree
from memory.transcripts import databases
from memory.transcripts.limits import LIMITS, Limits
from memory.transcripts.places import Unavailable
from memory.transcripts.reading import read
from tests import untouched
from tests.memory.transcripts.homes import Home


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "data").mkdir()
    return tmp_path / "data"


@pytest.fixture
def agent(folder: Path) -> Iterator[sqlite3.Connection]:
    """An agent that has its database open and has just written to its log."""
    with closing(sqlite3.connect(folder / "agent.db", isolation_level=None)) as connection:
        connection.execute("pragma journal_mode = wal")
        connection.execute("create table words (word text)")
        connection.execute("insert into words values ('first')")
        yield connection


def words(folder: Path, limits: Limits = LIMITS) -> list[str]:
    with Tree(folder) as tree, databases.opened(tree, "agent.db", limits) as copy:
        return [word for (word,) in copy.execute("select word from words order by rowid")]


def test_sees_what_is_only_in_the_log(folder: Path, agent: sqlite3.Connection) -> None:
    assert (folder / "agent.db-wal").stat().st_size > 0
    assert words(folder) == ["first"]


def test_changes_nothing_beside_a_running_agent(folder: Path, agent: sqlite3.Connection) -> None:
    before = untouched.below(folder)
    assert words(folder) == ["first"]
    assert untouched.below(folder) == before


def test_leaves_nothing_beside_a_database_at_rest(folder: Path, agent: sqlite3.Connection) -> None:
    agent.close()
    before = untouched.below(folder)
    assert list(before) == ["agent.db"]
    assert words(folder) == ["first"]
    assert untouched.below(folder) == before


def test_reads_a_log_that_a_crash_left_without_its_index(
    folder: Path, agent: sqlite3.Connection, tmp_path: Path
) -> None:
    crashed = tmp_path / "crashed"
    crashed.mkdir()
    for name in ("agent.db", "agent.db-wal"):
        shutil.copyfile(folder / name, crashed / name)
    before = untouched.below(crashed)
    assert words(crashed) == ["first"]
    assert untouched.below(crashed) == before


def test_does_not_disturb_a_writer(folder: Path, agent: sqlite3.Connection) -> None:
    with Tree(folder) as tree, databases.opened(tree, "agent.db", LIMITS) as copy:
        agent.execute("insert into words values ('second')")
        assert agent.execute("pragma wal_checkpoint(truncate)").fetchone()[0] == 0  # not busy
        assert copy.execute("select count(*) from words").fetchone()[0] == 1
    assert words(folder) == ["first", "second"]


def test_a_writer_in_the_middle_of_a_transaction_is_not_seen(folder: Path, agent: sqlite3.Connection) -> None:
    agent.execute("begin immediate")
    agent.execute("insert into words values ('not yet')")
    assert words(folder) == ["first"]
    agent.execute("rollback")


def test_a_copy_cannot_be_written(folder: Path, agent: sqlite3.Connection) -> None:
    with Tree(folder) as tree, pytest.raises(Unavailable), databases.opened(tree, "agent.db", LIMITS) as copy:
        copy.execute("insert into words values ('mine')")


def test_a_database_that_is_too_large_is_refused_with_the_reason(folder: Path, agent: sqlite3.Connection) -> None:
    with pytest.raises(Unavailable, match="too large"):
        words(folder, Limits(database=100))


def test_a_query_that_never_ends_is_given_up(folder: Path, agent: sqlite3.Connection) -> None:
    endless = "with recursive n(i) as (select 1 union all select i + 1 from n) select count(*) from n"
    with Tree(folder) as tree, pytest.raises(Unavailable), databases.opened(tree, "agent.db", LIMITS) as copy:
        copy.execute(endless).fetchone()


def test_a_link_in_the_place_of_a_log_is_refused(folder: Path, agent: sqlite3.Connection, tmp_path: Path) -> None:
    agent.close()
    (folder / "agent.db-wal").symlink_to(tmp_path / "elsewhere")
    with Tree(folder) as tree, pytest.raises(disk.Refused), databases.opened(tree, "agent.db", LIMITS):
        pass


def test_newest_rows_of_a_running_opencode_are_seen(own_home: Home) -> None:
    session = own_home.session("opencode", "running-tail", "reverted")
    path = own_home.path / session["path"]
    with closing(sqlite3.connect(path, isolation_level=None)) as agent:
        agent.execute("pragma journal_mode = wal")
        message = {"role": "user", "time": {"created": 1_790_000_000_000}}
        agent.execute("update session set revert = null where id = ?", (session["session"],))
        row = ("msg_ffffffffffff", session["session"], 1_790_000_000_000, 1_790_000_000_000, json.dumps(message))
        agent.execute("insert into message values (?, ?, ?, ?, ?)", row)
        part = json.dumps({"type": "text", "text": "Are you still there?"})
        agent.execute("insert into part values ('prt_f', ?, ?, 1, 1, ?)", (*row[:2], part))
        last = read(own_home.place(session), context=0).turns[-1]
    assert (last.user, last.status) == ("Are you still there?", "running")


def test_a_session_in_both_sets_of_tables_is_read_from_the_newer(home: Home) -> None:
    transcript = home.all_of(home.session("opencode", "frozen-v1-copy"))
    assert [turn.user for turn in transcript.turns] == ["Add an alarm for low tide.", "And test it."]


def test_newer_tables_that_are_all_but_empty_do_not_hide_the_older(own_home: Home) -> None:
    session = own_home.session("opencode", "v2-tables")
    with sqlite3.connect(own_home.path / session["path"]) as agent:
        agent.execute("delete from session_message where type in ('user', 'assistant')")
    agent.close()
    (turn,) = own_home.all_of(session).turns
    assert "FROZEN-V1-COPY" in turn.user


def test_what_is_opened_twice_in_a_block_is_copied_once(folder: Path, agent: sqlite3.Connection) -> None:
    with databases.copied_once():
        assert words(folder) == ["first"]
        agent.execute("insert into words values ('second')")
        assert words(folder) == ["first"]  # one moment for all that looks
    assert words(folder) == ["first", "second"]


def test_another_database_takes_the_place_of_the_first(folder: Path, agent: sqlite3.Connection, tmp_path: Path) -> None:
    other = tmp_path / "other"
    other.mkdir()
    with closing(sqlite3.connect(other / "agent.db", isolation_level=None)) as connection:
        connection.execute("create table words (word text)")
        connection.execute("insert into words values ('elsewhere')")
    with databases.copied_once():
        assert [words(folder), words(other), words(folder)] == [["first"], ["elsewhere"], ["first"]]
