from __future__ import annotations

from pathlib import Path

from memory.mcp.caller import Caller
from memory.models import Entry
from tests.makers import make_entry_text, make_project, make_tree
from tests.mcp.callers import make_caller, read, refused
from tests.memory.engram.makers import make_observation, make_prompt, make_session


def test_finds_journals_and_memories_and_shows_them_whole(agent: Caller, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-02-03": make_entry_text(body="- Moved the leases to Redis")}))
    memory, prompt = make_observation(), make_prompt("Where are the leases?")

    told = read(agent, "memory_retrieve", query="leases")

    refs = {one["ref"] for one in told["results"]}
    entry = f"entry:{Entry.objects.get().pk}"
    assert {entry, f"observation:{memory.pk}", f"prompt:{prompt.pk}"} <= refs
    assert told["result"].startswith(f"Found {len(refs)} of {len(refs)}:\n\n[1] ")
    assert f"{entry} — " in told["result"]
    assert "Moved the leases to Redis" in read(agent, "memory_expand", ref=entry)["section"]
    assert memory.content in read(agent, "memory_expand", ref=f"observation:{memory.pk}")["section"]
    assert "Where are the leases?" in read(agent, "memory_expand", ref=f"prompt:{prompt.pk}")["section"]


def test_looks_where_it_is_told_to(agent: Caller) -> None:
    make_observation()
    make_prompt("Which leases?")
    make_session("t1", project="tide")
    make_observation("Leases of tides", session_id="t1")

    def found(**given: object) -> int:
        return len(read(agent, "memory_retrieve", query="leases", **given).get("results", []))

    assert (found(), found(kind="prompt"), found(project="tide"), found(all_projects=True), found(limit=1)) == (
        2, 1, 1, 3, 1,
    )  # fmt: skip
    assert read(make_caller(project="new"), "memory_retrieve", query="leases")["result"].startswith(
        'Nothing found for: "leases"'
    )


def test_says_what_cannot_be_shown(agent: Caller) -> None:
    assert refused(agent, "memory_expand", ref="entry:99") == "There is no such entry."
    assert refused(agent, "memory_expand", ref="observation:99").startswith("A ref of this kind cannot be expanded")
    assert (
        refused(agent, "memory_transcript", ref="observation:1")
        == "Only entries and sessions come from a conversation."
    )
    assert refused(agent, "memory_retrieve", query="") == "query is required"
    make_session("s1")
    assert refused(agent, "memory_transcript", ref="session:s1")
