"""MemSearch's own command and MemDock at work on one directory: they agree before and after each step."""

from __future__ import annotations

import io
import json
from collections.abc import Callable
from typing import Any

import pytest

from memory.skills import store
from tests.memory.skills.desks import AGENTS, BODY, CLAUDE, Desk, outcomes

theirs = pytest.importorskip("memsearch.cli", reason="the group milvus is not installed")
click = pytest.importorskip("click.testing")

pytestmark = pytest.mark.django_db

type Memsearch = Callable[..., str]


@pytest.fixture
def memsearch(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Memsearch:
    """Run `memsearch skills …` in the project's directory; returns what it printed."""
    monkeypatch.chdir(desk.root)

    def run(*arguments: str, told: str = "") -> str:
        done = click.CliRunner().invoke(theirs.cli, ["skills", *arguments], input=io.BytesIO(told.encode()))
        assert done.exit_code == 0, done.output
        desk.sync()
        return str(done.output)

    return run


def agree(desk: Desk, memsearch: Memsearch) -> list[dict[str, Any]]:
    """Compare what both say of every candidate; return what MemSearch says."""
    listed: list[dict[str, Any]] = json.loads(memsearch("list", "--json-output"))
    rows = {row.slug: row for row in desk.project.skills.all()}
    assert sorted(rows) == [one["name"] for one in listed]
    for one in listed:
        row = rows[one["name"]]
        assert (row.status, row.content_hash) == (one["status"], one["content_hash"])
        assert (row.pending or None) == one.get("pending_reason")
        assert (row.installed_hash, row.installed_paths) == (one.get("installed_hash", ""), one["installed_paths"])
        assert (row.description, row.occurrences, row.sources) == (
            one["description"],
            one["occurrences"],
            one["sources"],
        )
        assert row.problems == []
    status = json.loads(memsearch("status", "--json-output"))
    assert status["pending_count"] == sum(bool(row.pending) for row in rows.values())
    assert status["candidate_count"] == len(rows)
    return listed


def test_both_work_on_one_directory(desk: Desk, memsearch: Memsearch) -> None:
    agree(desk, memsearch)
    memsearch("add", "--name", "Trace it", "--description", "Trace", "--body-file", "-", told="# Trace\n\n1. Look.\n")
    agree(desk, memsearch)
    desk.propose("Trace it", "# Trace\n\n1. Look twice.", description="Trace")
    agree(desk, memsearch)

    memsearch("install", "tide", "--path", CLAUDE, "--path", "~/.agents/skills")
    agree(desk, memsearch)
    assert set(desk.skill().copies.values_list("target", "state")) == {
        (CLAUDE, "current"),
        ("~/.agents/skills", "current"),
    }
    desk.propose(body="# Evolved")
    listed = agree(desk, memsearch)
    assert [one["pending_reason"] for one in listed if one["name"] == "tide"] == ["updated"]

    assert outcomes(desk.install(CLAUDE, AGENTS)) == ["installed", "installed"]
    listed = agree(desk, memsearch)
    assert len(next(one for one in listed if one["name"] == "tide")["installed_paths"]) == 3

    memsearch("add", "--name", "tide", "--description", "Import tide tables", "--body-file", "-", told=BODY)
    agree(desk, memsearch)
    memsearch("install", "tide", "--path", AGENTS)
    agree(desk, memsearch)
    desk.act("restore", CLAUDE)
    agree(desk, memsearch)
    desk.act("uninstall")
    agree(desk, memsearch)
    assert desk.skill().pending == "new"
    memsearch("install", "tide", "--path", CLAUDE)
    agree(desk, memsearch)
    assert outcomes(desk.act("uninstall")) == ["uninstalled"]
    agree(desk, memsearch)


def test_what_memdock_writes_memsearch_finds_written_already(desk: Desk, memsearch: Memsearch) -> None:
    before = desk.text(), {key: value for key, value in desk.meta().items() if key != "updated_at"}
    memsearch("add", "--name", "tide", "--description", "Import tide tables", "--body-file", "-", told=BODY)
    assert (desk.text(), {key: value for key, value in desk.meta().items() if key != "updated_at"}) == before


def test_both_write_one_history(desk: Desk, memsearch: Memsearch) -> None:
    memsearch("add", "--name", "other", "--description", "d", "--body-file", "-", told="b")
    assert desk.propose(body="# Evolved").problems == ()
    memsearch("install", "tide", "--path", CLAUDE)
    assert desk.install(AGENTS).error == ""
    log = (desk.store / ".git" / "logs" / "HEAD").read_text()
    assert [line.partition("\t")[2].removeprefix("commit: ") for line in log.splitlines()][1:] == [
        "add: created candidate skill other (manual)",
        "add: updated candidate skill tide (manual)",
        "install: tide -> 1 path(s)",
        "install: tide -> 1 path(s)",
    ]


def test_names_without_latin_letters_do_not_meet_as_in_memsearch(desk: Desk, memsearch: Memsearch) -> None:
    memsearch("add", "--name", "日志排查步骤", "--description", "d", "--body-file", "-", told="一")
    slugs = {desk.propose(name, "# 二").slug for name in ("部署回滚", "日本語")}
    assert len(slugs | {"skill"}) == 3
    assert desk.text("skill").endswith("一\n".encode())
    agree(desk, memsearch)


def test_a_copy_that_memsearch_overwrote_blindly_is_told_by_its_text(desk: Desk, memsearch: Memsearch) -> None:
    desk.install()
    desk.copy().write_text("# Mine\n")
    desk.sync()
    desk.propose(body="# Evolved")
    memsearch("install", "tide", "--path", CLAUDE)
    copy = desk.skill().copies.get()
    assert (copy.state, copy.installed_hash) == ("current", store.blob_hash(desk.text()))
