"""The directory of a conversation says whose journal its turns belong to; one that says nothing is told and left."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.capture import work
from memory.capture.backfill.filters import Filters
from memory.capture.summarizers.programs import FOLDER
from memory.models import Capture, Entry, Project, Setting
from memory.projects import directories
from tests.makers import make_project, make_tree
from tests.memory.capture.backfill.stores import WHEN, lines, write
from tests.memory.capture.backfill.takings import take, told

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store" / "projects"


def checkout(root: Path) -> Path:
    subprocess.run(["git", "init", "-q", str(root)], check=True)
    return root


def test_turns_go_into_the_day_files_of_their_projects(store: Path, tmp_path: Path) -> None:
    Setting.objects.create(project=None, key="capture.summarizer", value="extractive")
    make_project(make_tree(tmp_path / "known"), name="quay")
    fresh = checkout(tmp_path / "fresh")
    (fresh / "src").mkdir()
    write(store / "a", lines(str(tmp_path / "known"), 1, 2), session="one")
    write(store / "b", lines(str(fresh / "src"), 3), session="two")

    report = take(store, project="")
    while work.step(at=timezone.now()):
        pass

    assert {row["project"]: row["new"] for row in report.as_json()["projects"]} == {"quay": 2, "fresh": 1}
    day = f"{timezone.localtime(WHEN):%Y-%m-%d}"
    for root, count in ((tmp_path / "known", 2), (fresh, 1)):
        written = (root / ".memsearch" / "memory" / f"{day}.md").read_text()
        assert written.count("### ") == count
        assert "- User asked: Why does buoy" in written
    assert not (fresh / "src" / ".memsearch").exists()
    assert Entry.objects.count() == Capture.objects.filter(state="written").count() == 3
    assert take(store, project="").captures() == {"new": 0, "same": 3, "skipped": 0}


@pytest.mark.parametrize(
    ("cwd", "why"),
    [
        ("", "named no directory"),
        ("/no/such/machine/quay", "not on this machine"),
        (r"C:\Users\dev\quay", "not on this machine"),
        ("src", "whole path"),
        (".", "whole path"),
        ("/no/\0where\ud800", "not on this machine"),
        ("/" + "x/" * 5000, "not on this machine"),
        ("PLAIN", "belongs to no project"),
    ],
)
def test_a_directory_that_tells_no_project_is_said_and_left(store: Path, tmp_path: Path, cwd: str, why: str) -> None:
    (tmp_path / "plain").mkdir()
    write(store / "a", lines(cwd.replace("PLAIN", str(tmp_path / "plain")), 1))

    report = take(store, project="")

    assert report.captures() == {"new": 0, "same": 0, "skipped": 1}
    assert why in report.tally.skipped[0].why
    assert told(report, "")["unknown_directory"] == 1
    assert not Project.objects.exists()


def test_a_project_that_is_named_takes_in_what_belongs_to_none(store: Path, tmp_path: Path, harbor: Project) -> None:
    make_project(make_tree(tmp_path / "other"), name="other")
    write(store / "a", lines("/gone", 1), session="one")
    write(store / "b", lines(str(tmp_path / "other"), 2), session="two")
    write(store / "c", lines(harbor.root, 3), session="three")
    write(store / "d", lines("", 4), session="four")

    report = take(store)

    assert [row["project"] for row in report.as_json()["projects"]] == ["harbor-api"]
    assert (told(report)["new"], told(report)["taken_in"]) == (3, 2)
    assert set(Capture.objects.values_list("session__external_id", "project__name", "state")) == {
        ("one", "harbor-api", "queued"),
        ("three", "harbor-api", "queued"),
        ("four", "harbor-api", "queued"),
    }
    assert take(store, project="").captures()["same"] == 3


def test_a_name_without_a_directory_takes_nothing_in(store: Path) -> None:
    write(store / "a", lines("/gone", 1))
    report = take(store, project="nowhere")
    assert report.captures()["skipped"] == 1
    assert report.tally.skipped[0].why == "nowhere has no directory here that could take it in."


def test_a_directory_that_was_told_belongs_to_its_project(store: Path, harbor: Project) -> None:
    directories.tell("/other/machine", harbor, at=timezone.now(), actor=COMMAND)
    write(store / "a", lines("/other/machine/src", 1))
    assert told(take(store, project=""))["new"] == 1


def test_settings_of_the_project_are_kept(store: Path, harbor: Project) -> None:
    write(store / "a", lines(harbor.root, 1))
    side = write(store / "a/one/subagents", lines(harbor.root, 2), session="agent-1")
    assert told(take(store))["subagents"] == 1

    Setting.objects.create(project=harbor, key="capture.subagents", value=True)
    assert (told(take(store))["new"], told(take(store))["captured"]) == (1, 2)
    assert Capture.objects.get(session__external_id="agent-1").anchor_path == str(side)

    write(store / "a", lines(harbor.root, 3), session="two")
    Setting.objects.create(project=harbor, key="capture.enabled", value=False)
    assert told(take(store))["switched_off"] == 1


def test_summaries_that_memdock_asked_for_are_no_conversations(store: Path, harbor: Project, settings: Any) -> None:
    write(store / "a", lines(str(settings.DATA_DIR / FOLDER), 1))
    asked = lines(harbor.root, 2)
    asked[0]["message"]["content"] = (
        "You are a third-person note-taker. You will receive a transcript of ONE conversation turn"
    )
    write(store / "b", asked, session="two")

    report = take(store)

    assert (told(report)["no_user_text"], report.captures()["new"]) == (1, 0)


def test_filters_choose_sessions_and_days(store: Path, harbor: Project) -> None:
    write(store / "a", lines(harbor.root, 1, 2), session="one")
    write(store / "b", lines(harbor.root, 3, when=WHEN.replace(day=5)), session="two")

    def new(**given: Any) -> int:
        return take(store, dry_run=True, filters=Filters(**given)).captures()["new"]

    third, fifth = WHEN.date().replace(day=3), WHEN.date().replace(day=5)
    assert (new(), new(since=third), new(until=third), new(since=fifth, until=fifth)) == (3, 1, 2, 1)
    assert (new(session="one"), new(session="none")) == (2, 0)
    assert (new(platform="claude-code"), new(platform="codex")) == (3, 0)
