"""`memdock search` and `memdock expand`."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command

from memory import refs
from memory.models import Entry, Project
from tests.commands.conftest import Memdock
from tests.commands.test_reports import report, run
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db

DAY = "2026-02-03"


def make_memory(tree: Path, body: str = "- Berth leases take the row lock") -> Project:
    return make_project(make_tree(tree, {DAY: make_entry_text(body=body)}))


def test_search_prints_title_ref_time_relevance_and_snippet(tree: Path) -> None:
    make_memory(tree, "- Berth leases take the row lock\n- Then the <b>outbox</b> is written")
    out, err = run("search", "outbox", "written")
    ref = refs.entry(Entry.objects.get())
    first, second, third = out.splitlines()
    assert first == "1. Berth leases take the row lock"
    assert second.startswith(f"   {ref} · harbor · {DAY} 09:12 · ")
    assert second.rpartition(" · ")[2] in {"strong", "likely", "fair", "weak"}
    assert "the <b>outbox</b> is written" in third
    assert "<mark>" not in out
    assert err == ""


def test_search_reports_hits_as_json(tree: Path) -> None:
    make_memory(tree)
    [hit] = report("search", "lock", "--kind", "entry")
    assert (hit["ref"], hit["kind"], hit["project"]) == (refs.entry(Entry.objects.get()), "entry", "harbor")
    assert "<mark>" in hit["snippet"] or hit["snippet"] == ""
    assert hit["when"].endswith("Z")


def test_search_narrows_and_limits(sample: Project, tree: Path) -> None:
    make_memory(tree)
    assert {hit["project"] for hit in report("search", "lock", "--project", "HARBOR")} == {"harbor"}
    assert {hit["kind"] for hit in report("search", "lease", "--kind", "skill")} == {"skill"}
    assert len(report("search", "lease", "-k", "2")) == 2


def test_search_understands_the_query_language(tree: Path) -> None:
    make_memory(tree)
    assert report("search", '"row lock"')
    assert report("search", "lock -berth") == []
    assert report("search", "--json", "--", "-rf") == []


def test_search_of_an_empty_database_says_what_to_do() -> None:
    assert run("search", "lease", "--json") == (
        "[]\n",
        "There is nothing to search yet: add a project with memdock add PATH.\n",
    )


def test_search_says_that_nothing_was_found(tree: Path) -> None:
    make_memory(tree)
    out, err = run("search", "zzzzqqq")
    assert out == ""
    assert err.startswith("Nothing was found.")


def test_search_says_what_would_help(tree: Path) -> None:
    make_memory(tree)
    _, err = run("search", "lock", "--kind", "skill")
    assert "Without the filter kind:skill" in err


def test_search_refuses_an_unknown_project(tree: Path) -> None:
    make_memory(tree)
    with pytest.raises(CommandError, match="There is no project nothing"):
        run("search", "lock", "--project", "nothing")


@pytest.mark.parametrize("limit", ["0", "201", "-1", "many"])
def test_search_refuses_a_limit_out_of_bounds(limit: str) -> None:
    with pytest.raises(CommandError, match="-k"):
        call_command("search", "lock", f"-k={limit}")


def test_what_a_terminal_would_obey_is_not_printed(tree: Path) -> None:
    make_memory(tree, "- Lock \x1b[31mred\x1b[0m\x07 \x1b]0;owned\x07")
    assert "\x1b" not in run("search", "lock")[0]
    assert "\x1b" not in run("expand", refs.entry(Entry.objects.get()))[0]


def test_expand_prints_the_section_and_its_place(tree: Path) -> None:
    make_project(make_tree(tree, {DAY: make_entry_text() + make_entry_text("10:00", turn="2", body="- Next")}))
    first, second = Entry.objects.order_by("ordinal")
    lines = run("expand", refs.entry(first))[0].splitlines()
    assert lines[0] == f"memory/{DAY}.md, lines 1 to 3"
    assert "- Did a thing" in lines
    assert "conversation: /h/s.jsonl" in lines
    assert lines[-1] == f"after: {refs.entry(second)} · {DAY} 10:00 · Next"


def test_expand_reports_json(tree: Path) -> None:
    make_memory(tree)
    found = report("expand", refs.entry(Entry.objects.get()))
    assert set(found) == {"ref", "section", "source", "anchor", "before", "after"}
    assert found["source"] == {"path": f"memory/{DAY}.md", "start_line": 1, "end_line": 3}


def test_expand_refuses_what_is_not_there_and_what_it_cannot() -> None:
    with pytest.raises(CommandError, match="no such entry"):
        run("expand", "entry:1")
    with pytest.raises(CommandError, match="cannot be expanded"):
        run("expand", "project:harbor")


def test_the_script_answers_with_exit_codes(memdock: Memdock, tree: Path) -> None:
    empty = memdock("search", "lease", "--json")
    assert (empty.returncode, json.loads(empty.stdout)) == (0, [])
    assert "memdock add PATH" in empty.stderr
    make_tree(tree, {DAY: make_entry_text(body="- Row lock")})
    memdock("add", str(tree))
    found = memdock("search", "row", "lock", "--kind", "entry", "--json")
    [hit] = json.loads(found.stdout)
    assert found.returncode == 0
    assert memdock("expand", hit["ref"]).returncode == 0
    missing = memdock("expand", "entry:99999")
    assert (missing.returncode, missing.stdout, len(missing.stderr.splitlines())) == (1, "", 1)
    assert memdock("search").returncode == 2
    assert memdock("search", "-k", "0", "x").returncode == 2
