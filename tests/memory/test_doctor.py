"""What the doctor finds."""

from __future__ import annotations

import shutil
from datetime import timedelta
from pathlib import Path

import pytest
from django.conf import settings
from django.utils import timezone

from memory import doctor
from memory.doctor.check import Check
from memory.jobs import heartbeat
from memory.models import Entry, Project
from tests.makers import make_entry_text, make_project, make_tree

DAY = "2026-02-03"


@pytest.fixture
def project(db: None, tree: Path) -> Project:
    return make_project(make_tree(tree, {DAY: make_entry_text()}))


def find(name: str, *, is_thorough: bool = False) -> Check:
    checks = doctor.examine(at=timezone.now(), is_thorough=is_thorough)
    return next(check for check in checks if check.name == name)


@pytest.mark.parametrize("is_thorough", [True, False])
def test_finds_nothing_wrong_with_a_fresh_installation(project: Project, *, is_thorough: bool) -> None:
    checks = doctor.examine(at=timezone.now(), is_thorough=is_thorough)
    assert [check for check in checks if check.state == "bad"] == []
    assert len({check.name for check in checks}) == len(checks)


@pytest.mark.parametrize("is_thorough", [True, False])
def test_sees_that_a_journal_was_not_read(project: Project, tree: Path, *, is_thorough: bool) -> None:
    assert find("project:harbor", is_thorough=is_thorough).state == "ok"
    with (tree / ".memsearch" / "memory" / f"{DAY}.md").open("a") as file:
        file.write(make_entry_text("10:00", turn="2"))
    found = find("project:harbor", is_thorough=is_thorough)
    assert (found.state, found.hint) == ("warn", "Run `memdock sync harbor`.")
    assert f"memory/{DAY}.md" in found.text


def test_tells_of_deliveries_that_were_laid_aside(db: None) -> None:
    assert "refused" not in {check.name for check in doctor.examine(at=timezone.now())}
    folder = settings.DATA_DIR / "spool-refused"
    folder.mkdir()
    (folder / "1-2.json").write_text("{")
    try:
        found = find("refused")
        assert found.state == "warn" and str(folder) in found.text
    finally:
        shutil.rmtree(folder)


def test_a_thorough_look_counts_the_rows(project: Project) -> None:
    Entry.objects.all().delete()
    assert find("project:harbor").state == "ok"
    assert find("project:harbor", is_thorough=True).state == "warn"


def test_sees_that_a_memory_folder_is_gone(project: Project, tree: Path) -> None:
    shutil.rmtree(tree / ".memsearch")
    assert find("project:harbor").state == "bad"


def test_repeats_the_problems_of_a_project(project: Project) -> None:
    Project.objects.update(problems=[{"path": "memory/2026-02-04.md", "text": "This is a link."}])
    found = find("project:harbor")
    assert (found.state, "This is a link." in found.text) == ("warn", True)


def test_looks_at_one_project_alone(project: Project) -> None:
    checks = doctor.examine(project=project, at=timezone.now())
    assert [check.name for check in checks] == ["database", "project:harbor"]


@pytest.mark.parametrize(("age", "state"), [(0, "ok"), (55, "ok"), (65, "warn")])
def test_a_silent_process_is_not_running(db: None, age: int, state: str) -> None:
    heartbeat.beat(heartbeat.WATCHER, at=timezone.now() - timedelta(seconds=age))
    assert find("watcher").state == state
    assert find("worker").state == "warn"


@pytest.mark.parametrize(("name", "check"), [("", "data_dir"), ("secret_key", "secret_key")])
def test_sees_that_others_may_look_into_the_data_directory(db: None, name: str, check: str) -> None:
    path = settings.DATA_DIR / name
    mode = path.stat().st_mode
    path.chmod(mode | 0o044)
    try:
        found = find(check)
    finally:
        path.chmod(mode)
    assert (found.state, str(path) in found.hint) == ("bad", True)
    assert find(check).state == "ok"
