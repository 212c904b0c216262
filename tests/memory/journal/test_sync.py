"""Day files become rows, and rows follow the files."""

from __future__ import annotations

import os
import threading
from datetime import date
from pathlib import Path

import pytest
from django.db import OperationalError, connection
from django.utils import timezone

from memory import locks
from memory.models import Change, Entry, Journal, Project, Session
from memory.projects import sync
from tests.databases import another_writer
from tests.makers import make_entry_text, make_project, make_tree

pytestmark = pytest.mark.django_db

DAY = "2026-01-05"


def journal_file(project: Project, day: str = DAY) -> Path:
    return Path(project.memory_dir) / "memory" / f"{day}.md"


def write_again(project: Project, text: str, day: str = DAY) -> sync.Report:
    journal_file(project, day).write_bytes(text.encode())
    return sync.sync(project, at=timezone.now())


def kinds_since(newest: int) -> list[str]:
    return list(Change.objects.filter(pk__gt=newest).order_by("pk").values_list("kind", flat=True))


def newest_change() -> int:
    return Change.objects.order_by("-pk").values_list("pk", flat=True).first() or 0


def test_reads_entries_with_their_sessions(tree: Path) -> None:
    text = f"# {DAY}\n\n## Session 09:10\n\n" + make_entry_text() + make_entry_text("09:40", turn="2", body="- More")
    project = make_project(make_tree(tree, {DAY: text}))

    first, second = Entry.objects.order_by("ordinal")

    assert (first.date, first.time, first.turn, first.platform) == (date(2026, 1, 5), "09:12", "1", "dsh")
    assert (first.title, second.title) == ("Did a thing", "More")
    assert (first.start_line, first.end_line) == (5, 7)
    session = Session.objects.get()
    assert (session.key, session.project, session.title) == ("s1", project, "Did a thing")
    assert timezone.localtime(session.started_at).strftime("%H:%M") == "09:12"
    assert timezone.localtime(session.last_activity_at).strftime("%H:%M") == "09:40"


def test_an_unchanged_tree_writes_nothing(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))
    newest, synced = newest_change(), project.synced_at

    sync.sync(project, at=timezone.now())

    project.refresh_from_db()
    assert kinds_since(newest) == []
    assert project.synced_at == synced


def test_a_touched_file_is_no_change(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))
    newest = newest_change()

    os.utime(journal_file(project), (1, 1))
    sync.sync(project, at=timezone.now())

    assert kinds_since(newest) == []


def test_an_edit_of_equal_size_within_the_same_instant_is_seen(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text(body="- Old")}))
    stat = journal_file(project).stat()

    journal_file(project).write_text(make_entry_text(body="- New"))
    os.utime(journal_file(project), ns=(stat.st_atime_ns, stat.st_mtime_ns))
    sync.sync(project, at=timezone.now())

    assert Entry.objects.get().title == "New"


def test_an_append_adds_one_entry_and_keeps_the_ids(tree: Path) -> None:
    text = make_entry_text()
    project = make_project(make_tree(tree, {DAY: text}))
    first, newest = Entry.objects.get(), newest_change()

    write_again(project, text + make_entry_text("10:00", turn="2"))

    assert kinds_since(newest) == ["entry.added"]
    assert Entry.objects.order_by("ordinal").values_list("pk", flat=True)[0] == first.pk


def test_a_line_above_moves_entries_silently(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))
    newest = newest_change()

    write_again(project, "\n\n" + make_entry_text())

    assert kinds_since(newest) == []
    assert Entry.objects.get().start_line == 3


def test_an_edited_body_changes_its_entry(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text(body="- Old")}))
    before, newest = Entry.objects.get(), newest_change()

    write_again(project, make_entry_text(body="- New"))

    after = Entry.objects.get()
    assert (after.pk, after.title) == (before.pk, "New")
    assert kinds_since(newest) == ["entry.changed"]


def test_a_removed_section_removes_its_entry_and_a_session_without_entries(tree: Path) -> None:
    kept = make_entry_text(session="kept")
    project = make_project(make_tree(tree, {DAY: kept + make_entry_text("10:00", session="gone")}))
    newest = newest_change()

    write_again(project, kept)

    assert kinds_since(newest) == ["entry.removed"]
    assert list(Session.objects.values_list("key", flat=True)) == ["kept"]


def test_a_deleted_day_removes_its_entries(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text(), "2026-01-06": make_entry_text(turn="2")}))
    newest = newest_change()

    journal_file(project).unlink()
    report = sync.sync(project, at=timezone.now())

    assert (report.journals, report.entries) == (1, 1)
    assert kinds_since(newest) == ["entry.removed"]


def test_rows_stay_while_the_tree_is_missing(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))
    entry = Entry.objects.get()

    (tree / ".memsearch").rename(tree / "away")
    gone = sync.sync(project, at=timezone.now())
    (tree / "away").rename(tree / ".memsearch")
    back = sync.sync(project, at=timezone.now())

    assert gone.entries == 1
    assert [problem["path"] for problem in gone.problems] == [""]
    assert back.problems == []
    assert Entry.objects.get().pk == entry.pk


def test_a_day_that_became_a_link_keeps_its_rows_and_says_so(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))
    outside = tree / "outside.md"
    journal_file(project).rename(outside)
    journal_file(project).symlink_to(outside)

    report = sync.sync(project, at=timezone.now())

    assert report.entries == 1
    assert [problem["path"] for problem in report.problems] == [f"memory/{DAY}.md"]


def test_one_unreadable_file_stops_no_other(tree: Path) -> None:
    make_tree(tree, {DAY: make_entry_text(), "2026-01-07": make_entry_text(turn="2")})
    (tree / ".memsearch" / "memory" / "2026-01-06.md").mkdir()
    (tree / ".memsearch" / "memory" / "2026-01-08.md").symlink_to("nowhere")

    project = make_project(tree)

    assert project.entries.count() == 2
    assert [problem["path"] for problem in project.problems] == ["memory/2026-01-06.md", "memory/2026-01-08.md"]


def test_a_second_body_of_a_turn_supersedes_the_first(tree: Path) -> None:
    text = make_entry_text(body="- A") + make_entry_text(body="- A") + make_entry_text(body="- B")
    make_project(make_tree(tree, {DAY: text}))

    first, repeat, second = Entry.objects.order_by("ordinal")

    assert (first.supersedes, repeat.supersedes) == (None, None)
    assert second.supersedes == repeat


def test_versions_are_linked_across_days(tree: Path) -> None:
    project = make_project(make_tree(tree, {"2026-01-06": make_entry_text(body="- Later")}))

    write_again(project, make_entry_text(body="- Earlier"), DAY)

    later = Entry.objects.get(title="Later")
    assert later.supersedes == Entry.objects.get(title="Earlier")
    journal_file(project).unlink()
    sync.sync(project, at=timezone.now())
    later.refresh_from_db()
    assert later.supersedes is None


def test_entries_without_a_turn_never_supersede_each_other(tree: Path) -> None:
    anchor = "<!-- session:s1 rollout:/r.jsonl -->\n"
    make_project(make_tree(tree, {DAY: f"### 09:00\n{anchor}- A\n\n### 09:00\n{anchor}- B\n"}))

    assert list(Entry.objects.values_list("supersedes", flat=True)) == [None, None]


def test_two_projects_may_name_the_same_session(tmp_path: Path) -> None:
    for name in ("one", "two"):
        make_project(make_tree(tmp_path / name, {DAY: make_entry_text()}))

    assert Session.objects.filter(external_id="s1").count() == 2
    assert Session.objects.values("key").distinct().count() == 2


def test_hostile_ids_are_kept_as_they_are(tree: Path) -> None:
    ids = ["a/b", "`x`", "c\\d", "with space", "ñ", "100%", "why?", "..", "x" * 5000]
    text = "".join(make_entry_text(session=one, turn=str(index)) for index, one in enumerate(ids))

    make_project(make_tree(tree, {DAY: text}))

    assert Session.objects.count() == len(ids)
    assert set(ids[:-1]) <= set(Session.objects.values_list("external_id", flat=True))


def test_an_entry_written_just_now_makes_its_session_live(tree: Path) -> None:
    now = timezone.localtime()
    make_project(make_tree(tree, {now.date().isoformat(): make_entry_text(now.strftime("%H:%M"))}))

    assert Session.objects.get().state(timezone.now()) == "live"


def test_an_old_session_without_an_end_is_not_live(tree: Path) -> None:
    make_project(make_tree(tree, {DAY: make_entry_text()}))

    assert Session.objects.get().state(timezone.now()) == "no recorded end"


def test_entries_after_midnight_stay_on_the_date_of_their_file(tree: Path) -> None:
    make_project(make_tree(tree, {"2026-05-24": make_entry_text("04:43")}))

    assert Entry.objects.get().date == date(2026, 5, 24)


def test_notes_outside_entries_are_kept(tree: Path) -> None:
    make_project(make_tree(tree, {DAY: "Remember the milk.\n\n" + make_entry_text()}))

    assert [note["text"] for note in Journal.objects.get().notes] == ["Remember the milk."]


@pytest.mark.django_db(transaction=True)
def test_a_busy_database_is_told_to_who_asked_and_is_no_problem_of_the_file(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))

    with another_writer("memory_journal"), pytest.raises(OperationalError):
        write_again(project, make_entry_text() + make_entry_text("09:40", turn="2"))

    assert sync.sync(project, at=timezone.now()).entries == 2
    assert Project.objects.get().problems == []


@pytest.mark.django_db(transaction=True)
def test_readings_of_one_project_follow_one_another(tree: Path) -> None:
    project = make_project(make_tree(tree, {DAY: make_entry_text()}))

    def read() -> None:
        sync.sync(project, at=timezone.now())
        connection.close()

    reader = threading.Thread(target=read)
    with locks.held(sync.lock(project)):  # another process is at it, and has read what stood there before
        reader.start()
        reader.join(0.5)
        assert reader.is_alive()
        journal_file(project).write_text(make_entry_text() + make_entry_text("09:40", turn="2"))
    reader.join()

    assert Entry.objects.count() == 2
