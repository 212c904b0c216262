"""`/search` and `/recall/expand` of the API."""

from __future__ import annotations

import html
import re
from pathlib import Path

import pytest
from django.test import Client
from hypothesis import given, settings
from hypothesis import strategies as st

from memory import refs
from memory.models import Entry, Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused, walk

pytestmark = pytest.mark.django_db

DAY = "2026-02-03"
HIT = {
    "ref", "kind", "project", "title", "snippet", "when", "session", "type", "platform", "score", "relevance", "why",
}  # fmt: skip
HOSTILE = [
    "",
    "   ",
    "tier1-test AND unicode",
    "2026-03-14",
    "auth-bug",
    'a" OR 1=1 --',
    "NEAR(a b)",
    "title:x*",
    "a\0b",
    "\0",
    '"',
    "-",
    "--",
    "since:yesterday until:never",
    "kind:",
    "😀",
    "\u202eevil",
    "x" * 10_000,
    "lease " * 1700,
]


@pytest.fixture
def program(db: None) -> Client:
    return make_program()


def test_finds_an_entry_and_describes_it(tree: Path) -> None:
    make_project(make_tree(tree, {DAY: make_entry_text(body="- Berth leases take the row lock <b>first</b>")}))
    found = read(make_program(), "/search", q="row lock", kind="entry")
    assert set(found) == {"query", "total", "took_ms", "facets", "items", "next"}
    assert (found["query"], found["total"], found["next"]) == ("row lock", 1, None)
    assert found["facets"] == {"project": {"harbor": 1}, "kind": {"entry": 1}, "type": {}, "platform": {"dsh": 1}}
    [hit] = found["items"]
    assert set(hit) == HIT
    assert set(hit["why"]) == {"lexical", "semantic"}
    assert (hit["kind"], hit["project"], hit["session"], hit["platform"]) == ("entry", "harbor", "s1", "dsh")
    assert hit["ref"] == refs.entry(Entry.objects.get())
    assert 0 <= hit["relevance"] <= 1
    assert hit["when"].endswith("Z")


def test_a_snippet_holds_no_tag_but_its_marks(tree: Path) -> None:
    body = "- Renamed\n- The lease <img src=x onerror=alert(1)> and <script>lease</script>"
    make_project(make_tree(tree, {DAY: make_entry_text(body=body)}))
    [hit] = read(make_program(), "/search", q="lease", kind="entry")["items"]
    assert "<mark>lease</mark>" in hit["snippet"]
    assert re.sub("</?mark>", "", hit["snippet"]).count("<") == 0
    assert "<script>" in html.unescape(hit["snippet"])


def test_says_what_would_help_only_where_nothing_was_found(sample: Project) -> None:
    program = make_program()
    assert "hint" not in read(program, "/search", q="lease")
    found = read(program, "/search", q="lease", kind="nothing")
    assert (found["items"], found["total"]) == ([], 0)
    assert found["hint"]


def test_restricts_by_every_parameter(sample: Project, tree: Path) -> None:
    make_project(make_tree(tree, {DAY: make_entry_text(body="- The lease again", session="mine")}))
    program = make_program()
    assert {hit["project"] for hit in read(program, "/search", q="lease", project="HARBOR")["items"]} == {"harbor"}
    assert {hit["kind"] for hit in read(program, "/search", q="lease", kind="skill")["items"]} == {"skill"}
    assert {hit["type"] for hit in read(program, "/search", q="lease", type="installed")["items"]} == {"installed"}
    assert {hit["platform"] for hit in read(program, "/search", q="lease", platform="codex")["items"]} == {"codex"}
    assert {hit["session"] for hit in read(program, "/search", q="lease", session="mine")["items"]} == {"mine"}
    days = {
        hit["when"][:10] for hit in read(program, "/search", q="lease", since=DAY, until=DAY, kind="entry")["items"]
    }
    assert days == {DAY}


def test_pages_give_every_hit_once(sample: Project) -> None:
    program = make_program()
    whole = [hit["ref"] for hit in read(program, "/search", q="lease", limit=100, kind="entry")["items"]]
    assert len(whole) > 4
    assert [hit["ref"] for hit in walk(program, "/search", limit=2, q="lease", kind="entry")] == whole


@pytest.mark.parametrize("text", HOSTILE)
def test_any_text_is_looked_for_literally(sample: Project, text: str) -> None:
    response = make_program().get(ROOT + "/search", query_params={"q": text})
    assert response.status_code == 200, response.content
    assert set(response.json()["facets"]) == {"project", "kind", "type", "platform"}


@given(text=st.text(st.characters(exclude_categories=["Cs"]), max_size=80))
@settings(max_examples=30)
def test_no_text_is_an_error(sample: Project, program: Client, text: str) -> None:
    assert len(read(program, "/search", q=text, limit=5)["items"]) <= 5


@pytest.mark.parametrize(
    ("name", "value", "status", "field"),
    [
        ("limit", "0", 422, "limit"),
        ("limit", "201", 422, "limit"),
        ("limit", "many", 422, "limit"),
        ("since", "yesterday", 422, "since"),
        ("until", "2026-13-01", 422, "until"),
        ("until", "1700000000", 422, "until"),
        ("project", "nothing", 404, "project"),
        ("project", "a\0b", 404, "project"),
        ("cursor", "nonsense", 400, "cursor"),
    ],
)
def test_names_the_parameter_that_is_wrong(sample: Project, name: str, value: str, status: int, field: str) -> None:
    response = make_program().get(ROOT + "/search", query_params={"q": "lease", name: value})
    refused(response, status, field=field)


@pytest.mark.parametrize("name", ["kind", "type", "platform", "session"])
@pytest.mark.parametrize("value", ["no such thing", "a\0b", "'; DROP TABLE x"])
def test_a_value_that_nothing_has_finds_nothing(sample: Project, name: str, value: str) -> None:
    response = make_program().get(ROOT + "/search", query_params={"q": "lease", name: value})
    assert response.status_code in {200, 422}
    if response.status_code == 200:
        assert response.json()["items"] == []
    else:
        refused(response, 422, field=name)


def test_expands_an_entry(sample: Project) -> None:
    row = Entry.objects.filter(session__isnull=False).exclude(anchor_path="").order_by("pk")[3]
    found = read(make_program(), "/recall/expand", ref=refs.entry(row))
    assert set(found) == {"ref", "section", "source", "anchor", "before", "after"}
    assert found["ref"] == refs.entry(row)
    assert row.body in found["section"]
    assert found["source"] == {
        "path": row.journal.path,
        "start_line": row.start_line,
        "end_line": row.end_line,
    }
    assert found["anchor"] == {"kind": row.anchor_kind, "path": row.anchor_path}
    for one in [*found["before"], *found["after"]]:
        assert set(one) == {"ref", "title", "date", "time"}


def test_says_when_a_section_is_no_longer_in_its_file(tree: Path) -> None:
    make_project(make_tree(tree, {DAY: make_entry_text(body="- Gone")}))
    (tree / ".memsearch" / "memory" / f"{DAY}.md").unlink()
    found = read(make_program(), "/recall/expand", ref=refs.entry(Entry.objects.get()))
    assert (found["section"], "gone" in found["note"]) == ("- Gone", True)


@pytest.mark.parametrize(
    ("ref", "status"),
    [("entry:0", 404), ("entry:x", 404), ("session:a\0b", 404), ("", 404), ("project:harbor-api", 422), ("x:y", 422)],
)
def test_a_ref_that_cannot_be_expanded_is_named(sample: Project, ref: str, status: int) -> None:
    response = make_program().get(ROOT + "/recall/expand", query_params={"ref": ref})
    refused(response, status, field="ref")


def test_expanding_asks_for_a_ref() -> None:
    refused(make_program().get(ROOT + "/recall/expand"), 422, field="ref")


def test_a_hit_of_every_kind_can_be_expanded(sample: Project) -> None:
    program = make_program()
    for kind in ("entry", "skill", "document", "session"):
        found = read(program, "/search", q=f"kind:{kind}")["items"]
        assert found, kind
        assert read(program, "/recall/expand", ref=found[0]["ref"])["section"]
