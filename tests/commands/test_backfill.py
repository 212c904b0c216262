"""`memdock import` of what agents kept of their conversations, as people and scripts meet it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import Memdock
from tests.makers import make_tree
from tests.memory.capture.backfill.stores import lines, write

ZERO = {"new": 0, "updated": 0, "same": 0}


@pytest.fixture(scope="module")
def home(memdock: Memdock, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home in which Claude Code was used in a project of MemDock, and in a directory that is gone."""
    folder = tmp_path_factory.mktemp("home")
    root = make_tree(folder / "quay")
    memdock("add", str(root))
    write(folder / ".claude/projects/a", lines(str(root), 1, 2), session="one")
    write(folder / ".claude/projects/b", lines("/gone/away", 3), session="two")
    return folder


def test_conversations_are_told_in_one_document_and_queued_once(memdock: Memdock, home: Path) -> None:
    source = str(home / ".claude")
    foreseen = memdock("import", source, "--dry-run", "--json", TZ="UTC")
    report = json.loads(foreseen.stdout)
    projects = report.pop("projects")
    assert (foreseen.stderr, foreseen.returncode) == ("", 0)
    assert report == {
        "source": source,
        "kind": "claude-code-sessions",
        "dry_run": True,
        "sessions": ZERO | {"new": 1},
        "observations": ZERO,
        "prompts": ZERO,
        "relations": ZERO | {"unresolved": 0},
        "skipped": [{"what": "claude-code two", "why": "Its directory is not on this machine."}],
        "problems": [],
        "captures": {"new": 2, "same": 0, "skipped": 1},
        "filters": {},
    }
    assert [(row["project"], row["directory"], row["sessions"], row["new"]) for row in projects] == [
        ("quay", str(home / "quay"), 1, 2),
        ("", "/gone/away", 1, 0),
    ]
    assert (projects[1]["unknown_directory"], projects[0]["first"]) == (1, "2026-03-02")

    done = json.loads(memdock("import", source, "--json", TZ="UTC").stdout)
    assert done == report | {"dry_run": False, "projects": projects}
    again = json.loads(memdock("import", "agents", "--json", HOME=str(home), CLAUDE_CONFIG_DIR="").stdout)
    assert (again["source"], again["captures"]) == ("agents", {"new": 0, "same": 2, "skipped": 1})
    assert again["sessions"] == ZERO | {"same": 1}


def test_conversations_are_told_to_people_and_may_be_chosen(memdock: Memdock, home: Path) -> None:
    chosen = ("--project", "quay", "--since", "2026-03-02", "--until", "2026-03-02", "--session", "two")
    told = memdock("import", str(home / ".claude"), "--dry-run", "--platform", "claude-code", *chosen, TZ="UTC")
    assert told.stdout.splitlines()[1:3] == [
        "  turns: 1 new, 0 known, 0 left out",
        "  quay: 1 session, 2026-03-02: 1 new (1 of them from directories without a project); about 430 tokens to summarise",
    ]


def test_wrong_choices_are_said(memdock: Memdock, home: Path, tmp_path: Path) -> None:
    for wrong in (("--since", "yesterday"), ("--platform", "vim")):
        done = memdock("import", str(home / ".claude"), *wrong)
        assert (done.returncode, done.stdout) == (2, "")
    done = memdock("import", str(home / "quay"), "--since", "2026-03-02")
    assert (done.returncode, done.stdout, done.stderr.count("\n")) == (1, "", 1)
    assert "only these can be imported in part" in done.stderr
