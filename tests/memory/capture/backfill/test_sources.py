"""What a person may name: the store of an agent, a part of it, one conversation, or all stores of the machine."""

from __future__ import annotations

import gzip
import shutil
from pathlib import Path
from typing import Any

import pytest

from memory.engram.exchange.errors import CannotImport
from memory.models import Project
from tests.makers import make_entry_text, make_tree
from tests.memory.capture.backfill.stores import lines, write
from tests.memory.capture.backfill.takings import expected, take
from tests.memory.transcripts.homes import Home

pytestmark = pytest.mark.django_db(transaction=True)

AGENT = {"claude-code": ".claude", "codex": ".codex", "openclaw": ".openclaw", "opencode": ".local/share/opencode"}
PARTS = {
    "claude-code": ["projects", "projects/-home-dev-src-harbor-api"],
    "codex": ["sessions", "sessions/2026", "sessions/2026/01/06", "archived_sessions"],
    "openclaw": ["agents", "agents/main", "agents/main/sessions", "agents/docks", "agents/docks/agent/openclaw-agent.sqlite"],
    "opencode": ["opencode.db", "opencode-next.db", "storage"],
}  # fmt: skip


@pytest.mark.parametrize("platform", AGENT)
def test_takes_a_store_or_a_part_of_it(home: Home, harbor: Project, platform: str) -> None:
    place = home.path / AGENT[platform]
    whole = take(place, dry_run=True)

    assert whole.kind == f"{platform}-sessions"
    assert whole.captures()["new"] == len(list(expected(home, platform)))
    for part in PARTS[platform]:
        found = take(place / part, dry_run=True)
        inside = [turn for session, turn in expected(home, platform) if _lies_in(session, f"{AGENT[platform]}/{part}")]
        assert (found.kind, found.captures()["new"]) == (whole.kind, len(inside)), part


def test_takes_dsh_stores_compressed_and_plain(home: Home, harbor: Project) -> None:
    for place, turns in ((".dsh", 13), (".dsh/sessions/--home-dev-src-harbor-api--", 13), (".dsh-plain", 0)):
        found = take(home.path / place, dry_run=True)
        assert (found.kind, found.captures()["new"]) == ("dsh-sessions", turns), place
    for folder in (home.path / ".dsh/sessions/--home-dev-src-harbor-api--").iterdir():
        assert take(folder, dry_run=True).kind == "dsh-sessions"


def test_takes_one_file_wherever_it_lies(home: Home, harbor: Project, tmp_path: Path) -> None:
    for session in home.truth["sessions"]:
        path = home.path / session["path"]
        if path.suffix in {".db", ".sqlite", ".json"}:
            continue
        apart = tmp_path / "apart" / path.name
        apart.parent.mkdir(exist_ok=True)
        shutil.copyfile(path, apart)
        placed, loose = (take(one, dry_run=True) for one in (path, apart))
        assert placed.kind == loose.kind == f"{session['platform']}-sessions", path
        if session["kind"] != "subagent" and session["quirks"] != ["fork", "replayed-prefix"]:
            assert placed.captures() == loose.captures(), path


def test_takes_all_stores_of_this_machine(home: Home, harbor: Project, settings: Any) -> None:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = home.roots

    found = take("agents", dry_run=True)

    assert (found.source, found.kind) == ("agents", "agent-sessions")
    assert found.captures() == take(home.path, dry_run=True).captures() | {"skipped": 14}


def test_says_when_no_agent_left_anything(settings: Any, tmp_path: Path) -> None:
    settings.MEMDOCK_TRANSCRIPT_ROOTS = {"claude-code": [tmp_path / "no"], "codex": [], "openclaw": [], "opencode": []}
    settings.MEMDOCK_TRANSCRIPT_ROOTS["dsh"] = []
    with pytest.raises(CannotImport, match="No agent"):
        take("agents")


def test_a_project_that_holds_a_conversation_file_stays_a_project(tmp_path: Path) -> None:
    root = make_tree(tmp_path / "quay", {"2026-02-03": make_entry_text()})
    write(root / "samples", lines("/elsewhere", 1))

    from memory.engram.exchange import sources

    with sources.opened(str(root)) as found:
        assert (found.kind, list(found.stores)) == ("memsearch", [])


@pytest.mark.parametrize("name", ["empty.jsonl", "words.jsonl", "numbers.jsonl", "other.jsonl", "packed.jsonl.zst"])
def test_refuses_lines_that_no_agent_wrote(tmp_path: Path, name: str) -> None:
    contents = {
        "words.jsonl": b"some words\n" * 3,
        "numbers.jsonl": b"[1]\n7\nnull\n",
        "other.jsonl": b'{"type": "user", "text": "of another tool"}\n',
        "packed.jsonl.zst": gzip.compress(b"{}"),
    }
    (tmp_path / name).write_bytes(contents.get(name, b""))
    with pytest.raises(CannotImport, match=name):
        take(tmp_path / name)


def _lies_in(session: dict[str, Any], place: str) -> bool:
    path: str = session["path"]
    return path == place or path.startswith(f"{place}/")
