"""What was found, in full."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from memory import refs
from memory.models import Entry, Project, Session
from memory.projects import sync
from memory.recall import expand as layer
from memory.recall.expand import Anchor, CannotExpand, NotFound, Source, expand
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db

DAY = "2026-02-03"


def make_day(tree: Path, text: str) -> Project:
    return make_project(make_tree(tree, {DAY: text}))


def journal(tree: Path) -> Path:
    return tree / ".memsearch" / "memory" / f"{DAY}.md"


def the_entry(**wanted: object) -> Entry:
    return Entry.objects.get(**wanted)


def test_an_entry_comes_with_its_heading_its_lines_and_its_anchor(tree: Path) -> None:
    make_day(tree, "# 2026-02-03\n\n" + make_entry_text(body="- Took the row lock\n- Tests pass"))
    found = expand(refs.entry(the_entry()))
    assert found.section == "### 09:12\n<!-- session:s1 turn:1 db:/h/s.jsonl -->\n- Took the row lock\n- Tests pass"
    assert found.source == Source(f"memory/{DAY}.md", 3, 6)
    assert found.anchor == Anchor("db", "/h/s.jsonl")
    assert (found.before, found.after, found.note) == ((), (), "")


def test_a_note_has_no_anchor_and_no_neighbours(tree: Path) -> None:
    make_day(tree, "### 09:12\nBy hand\n\n### 10:00\nAlso by hand\n")
    found = expand(refs.entry(the_entry(time="09:12")))
    assert (found.section, found.anchor, found.before, found.after) == ("### 09:12\nBy hand", None, (), ())


def test_neighbours_are_two_on_each_side_of_the_same_session(tree: Path) -> None:
    times = ["09:00", "10:00", "11:00", "12:00", "13:00", "14:00", "15:00"]
    text = "".join(make_entry_text(time, turn=time, body=f"- At {time}") for time in times)
    make_day(tree, text + make_entry_text("12:30", session="other"))
    found = expand(refs.entry(the_entry(time="12:00")))
    assert [one.time for one in found.before] == ["10:00", "11:00"]
    assert [one.time for one in found.after] == ["13:00", "14:00"]
    assert found.before[0].title == "At 10:00"
    assert found.before[0].date.isoformat() == DAY
    assert found.before[0].ref == refs.entry(the_entry(time="10:00"))


def test_an_entry_that_moved_in_its_file_is_found_where_it_is_now(tree: Path) -> None:
    make_day(tree, make_entry_text())
    ref = refs.entry(the_entry())
    journal(tree).write_text("### 08:00\nBefore it\n\n" + make_entry_text())
    found = expand(ref)
    assert found.source == Source(f"memory/{DAY}.md", 4, 6)
    assert found.note == ""


def test_of_equal_entries_each_finds_itself(tree: Path) -> None:
    make_day(tree, make_entry_text() * 3)
    lines = [
        source.start_line for row in Entry.objects.order_by("ordinal") if (source := expand(refs.entry(row)).source)
    ]
    assert lines == [1, 5, 9]


def test_an_entry_whose_text_changed_is_told_as_it_was_read(tree: Path) -> None:
    make_day(tree, make_entry_text(body="- As it was"))
    journal(tree).write_text(make_entry_text(body="- As it is"))
    found = expand(refs.entry(the_entry()))
    assert found.section == "- As it was"
    assert "has changed since" in found.note


def test_an_entry_whose_file_is_gone_is_told_as_it_was_read(tree: Path) -> None:
    make_day(tree, make_entry_text(body="- As it was"))
    journal(tree).unlink()
    found = expand(refs.entry(the_entry()))
    assert (found.section, "is gone" in found.note) == ("- As it was", True)
    shutil.rmtree(tree)
    assert expand(refs.entry(the_entry())).section == "- As it was"


def test_a_file_that_became_a_link_is_not_followed(tree: Path, tmp_path: Path) -> None:
    make_day(tree, make_entry_text(body="- As it was"))
    elsewhere = tmp_path / "elsewhere.md"
    elsewhere.write_text(make_entry_text(body="- As it was"))
    journal(tree).unlink()
    journal(tree).symlink_to(elsewhere)
    found = expand(refs.entry(the_entry()))
    assert (found.section, found.note != "") == ("- As it was", True)


def test_what_is_private_is_not_sent(tree: Path) -> None:
    make_day(tree, make_entry_text(body="- Key <private>hunter2</private> rotated"))
    found = expand(refs.entry(the_entry()))
    assert "hunter2" not in found.section
    assert "rotated" in found.section


def test_a_document_is_told_as_it_is_on_disk_now(tree: Path) -> None:
    make_project(make_tree(tree, {}, **{"PROJECT.md": "# Harbor\n\nOld.\n"}))
    (tree / ".memsearch" / "PROJECT.md").write_text("# Harbor\n\nNew.\nMore.\n")
    found = expand("file:harbor/PROJECT.md")
    assert (found.section, found.source, found.note) == (
        "# Harbor\n\nNew.\nMore.\n",
        Source("PROJECT.md", 1, 4),
        "",
    )
    (tree / ".memsearch" / "PROJECT.md").unlink()
    found = expand("file:harbor/PROJECT.md")
    assert (found.section, "is gone" in found.note) == ("# Harbor\n\nOld.\n", True)


def test_a_skill_is_told_without_its_front_matter(sample: Project) -> None:
    found = expand("skill:harbor-api/import-tide-tables")
    lines = (Path(sample.memory_dir) / "skill-candidates/import-tide-tables/SKILL.md").read_text().splitlines()
    assert found.section.startswith("# Import tide tables")
    assert found.source
    assert found.source.path == "skill-candidates/import-tide-tables/SKILL.md"
    assert lines[found.source.start_line - 1] == "# Import tide tables"
    assert found.source.end_line == len(lines)


def test_a_session_is_told_by_the_titles_of_its_entries(tree: Path) -> None:
    make_day(tree, make_entry_text("09:00", body="- One") + make_entry_text("10:00", turn="2", body="- Two"))
    found = expand("session:s1")
    assert found.section == f"- {DAY} 09:00 One\n- {DAY} 10:00 Two"
    assert (found.source, found.note) == (None, "")


def test_a_long_session_says_how_much_of_it_is_told(tree: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layer, "TITLES", 2)
    make_day(tree, "".join(make_entry_text(turn=str(turn)) for turn in range(3)))
    found = expand("session:s1")
    assert len(found.section.splitlines()) == 2
    assert found.note == "The first 2 of 3 entries."


@pytest.mark.parametrize(
    "ref",
    [
        "",
        "entry",
        "entry:",
        "entry:0",
        "entry:-1",
        "entry:x",
        "entry:\u0661",
        "entry:99999999999999999999",
        f"entry:{2**63}",
        f"entry:{'9' * 10_000}",
        "session:nobody",
        "session:a\0b",
        "skill:harbor-api/nothing",
        "skill:nothing/import-tide-tables",
        "skill:import-tide-tables",
        "file:harbor-api/../../etc/passwd",
        "file:harbor-api/memory/2026-01-05.md",
    ],
)
def test_what_is_not_there_is_not_found(sample: Project, ref: str) -> None:
    with pytest.raises(NotFound):
        expand(ref)


@pytest.mark.parametrize("ref", ["project:harbor-api", "relation:1", "__class__:x"])
def test_a_kind_without_a_text_is_refused(sample: Project, ref: str) -> None:
    with pytest.raises(CannotExpand, match="entry, file, session, skill"):
        expand(ref)


def test_an_odd_session_key_is_found(tree: Path) -> None:
    project = make_day(tree, make_entry_text())
    now = timezone.now()
    for key in ("a/b", "x:y", "<b>", "ñ %2F"):
        Session.objects.create(project=project, key=key, external_id=key, started_at=now, last_activity_at=now)
        assert expand(f"session:{key}").ref == f"session:{key}"


def test_costs_the_same_in_a_long_session(tree: Path) -> None:
    project = make_day(tree, make_entry_text(turn="1"))
    ref = refs.entry(the_entry())
    with CaptureQueriesContext(connection) as few:
        expand(ref)
    make_tree(tree, {DAY: "".join(make_entry_text(turn=str(turn)) for turn in range(1, 40))})
    sync.sync(project, at=timezone.now())
    ref = refs.entry(the_entry(ordinal=20))
    with CaptureQueriesContext(connection) as many:
        expand(ref)
    assert len(few) == len(many) == 3
