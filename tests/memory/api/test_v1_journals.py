"""Day files and entries of the API."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from memory.models import Entry, Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused, walk
from tests.places import FIXTURES

pytestmark = pytest.mark.django_db

KEYS = {
    "ref",
    "project",
    "date",
    "time",
    "ordinal",
    "session",
    "turn",
    "platform",
    "state",
    "body",
    "anchor",
    "start_line",
    "end_line",
    "supersedes",
    "superseded_by",
}


def test_lists_the_days_of_the_sample_newest_first(sample: Project) -> None:
    truth = json.loads((FIXTURES / "sample" / "harbor-api" / "ground-truth.json").read_text())["per_day"]
    found = walk(make_program(), "/projects/harbor-api/journals", limit=3)
    assert [(day["date"], day["entries"], day["empty_sessions"]) for day in found] == [
        (day["date"], day["entries"], day["empty_session_headings"]) for day in reversed(truth)
    ]
    assert set(found[0]) == {"date", "path", "entries", "empty_sessions", "problems"}
    assert found[-1]["path"] == "memory/2026-01-05.md"


def test_reads_a_day_with_its_entries_in_the_order_of_the_file(sample: Project) -> None:
    program = make_program()
    day = read(program, "/projects/harbor-api/journals/2026-01-05")
    assert set(day) == {"date", "path", "entries", "empty_sessions", "problems"}
    assert [entry["ordinal"] for entry in day["entries"]] == list(range(1, 10))
    assert (day["empty_sessions"], day["problems"]) == (5, [])
    lines = (FIXTURES / "sample/harbor-api/.memsearch/memory/2026-01-05.md").read_text().split("\n")
    for entry in day["entries"]:
        assert set(entry) == KEYS
        assert lines[entry["start_line"] - 1] == f"### {entry['time']}"
        assert entry["body"] in "\n".join(lines[entry["start_line"] : entry["end_line"]])
        assert read(program, f"/entries/{entry['ref'].removeprefix('entry:')}") == entry


def test_tells_what_an_anchor_says(sample: Project) -> None:
    first = read(make_program(), "/projects/harbor-api/journals/2026-01-05")["entries"][0]
    assert first["session"] == "fe74aefe-baf3-4bde-a8ee-dc765d8f433b"
    assert first["anchor"]["kind"] == "rollout"
    assert first["anchor"]["path"].endswith("fe74aefe-baf3-4bde-a8ee-dc765d8f433b.jsonl")
    assert (first["platform"], first["turn"], first["state"]) == ("codex", "", "summary")


def test_an_entry_that_a_person_wrote_has_neither_session_nor_anchor(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": "### 09:12\nJust a note\n"}))
    (entry,) = read(make_program(), "/projects/harbor/journals/2026-01-05")["entries"]
    assert (entry["session"], entry["anchor"], entry["turn"], entry["platform"]) == (None, None, "", "")
    assert (entry["supersedes"], entry["superseded_by"], entry["state"]) == (None, None, "note")


def test_links_the_versions_of_one_turn_across_repeats_and_days(tree: Path) -> None:
    first = make_entry_text("09:12", body="one") * 2 + make_entry_text("09:15", turn="2", body="other")
    second = make_entry_text("10:00", body="two") + make_entry_text("10:01", body="three")
    make_project(make_tree(tree, {"2026-01-05": first, "2026-01-06": second}))
    program = make_program()
    a, again, other = read(program, "/projects/harbor/journals/2026-01-05")["entries"]
    b, c = read(program, "/projects/harbor/journals/2026-01-06")["entries"]
    assert (a["supersedes"], again["supersedes"], b["supersedes"], c["supersedes"]) == (
        None,
        None,
        again["ref"],
        b["ref"],
    )
    assert [one["superseded_by"] for one in (a, again, b, c)] == [b["ref"], b["ref"], c["ref"], None]
    assert (other["supersedes"], other["superseded_by"]) == (None, None)


def test_tells_a_body_as_it_is(tree: Path) -> None:
    body = "<script>alert('x')</script> & \"quotes\" \u202e 项目 `code`\n\n" + "long " * 100_000
    make_project(make_tree(tree, {"2026-01-05": make_entry_text(body=body)}))
    (entry,) = read(make_program(), "/projects/harbor/journals/2026-01-05")["entries"]
    assert entry["body"] == Entry.objects.get().body
    assert entry["body"].startswith("<script>alert('x')</script> & \"quotes\" \u202e 项目")
    assert len(entry["body"]) > 500_000


@pytest.mark.parametrize("day", ["2026-13-01", "1767571200", "20260105", "2026-1-5", "today", "2026-W02-1"])
def test_refuses_what_is_no_day(sample: Project, day: str) -> None:
    refused(make_program().get(f"{ROOT}/projects/harbor-api/journals/{day}"), 422, "invalid", field="date")


@pytest.mark.parametrize("path", ["projects/harbor-api/journals/2020-01-05", "projects/none/journals/2026-01-05"])
def test_says_that_a_day_does_not_exist(sample: Project, path: str) -> None:
    refused(make_program().get(f"{ROOT}/{path}"), 404, "not_found")


@pytest.mark.parametrize("number", ["0", "-1", "999999", str(2**63), str(10**40)])
def test_says_that_an_entry_does_not_exist(sample: Project, number: str) -> None:
    refused(make_program().get(f"{ROOT}/entries/{number}"), 404, "not_found")


@pytest.mark.parametrize("number", ["x", "1.5", "entry:1", "9" * 5000])
def test_refuses_what_is_no_number_of_an_entry(sample: Project, number: str) -> None:
    refused(make_program().get(f"{ROOT}/entries/{number}"), 422, "invalid", field="entry_id")
