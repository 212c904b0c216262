"""What was captured live, or stands in journals under whatever anchor, is not taken again."""

from __future__ import annotations

import shutil
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone

from memory.capture import accept, document, queries, work
from memory.capture.backfill import queueing
from memory.models import Capture, Project, Setting
from memory.transcripts.conversation import JsonObject
from tests.makers import make_project, make_tree
from tests.memory.capture.backfill.stores import WHEN, lines, question, turn, write
from tests.memory.capture.backfill.takings import captured, expected, names, take, told
from tests.memory.transcripts.homes import Home

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store" / "projects"


def deliver(platform: str, cwd: str, *events: dict[str, Any], session: str = "one", transcript: str = "") -> None:
    data: JsonObject = {"platform": platform, "session": {"id": session, "cwd": cwd}, "events": list(events)}
    accept.accept(document.parse(data | {"transcript": transcript}), at=timezone.now())


@pytest.mark.parametrize("named", [{}, {"prompt_id": "p-1"}])
def test_a_turn_that_a_hook_told_is_known(store: Path, harbor: Project, named: dict[str, str]) -> None:
    content = lines(harbor.root, 1, 2)
    content[0] |= {"promptId": "p-1"}
    path = write(store / "a", content)
    asked = {"hook_event_name": "UserPromptSubmit", "prompt": question(1), **named}
    ended = {"hook_event_name": "Stop", "last_assistant_message": "Relay 1 is wet.", **named}
    deliver("claude-code", harbor.root, asked, ended, transcript=str(path))

    report = take(store)

    assert (told(report)["captured"], told(report)["new"]) == (1, 1)
    assert sorted(Capture.objects.values_list("question", flat=True)) == [question(1), question(2)]


def test_a_turn_that_openclaw_told_by_its_run_is_known(home: Home, harbor: Project) -> None:
    session = home.session("openclaw", "archived")
    asked = session["turns"][0]
    when = int(datetime.fromisoformat(asked["ended"]).timestamp() * 1000)
    messages = [
        {"role": "user", "content": asked["user"], "timestamp": when},
        {"role": "assistant", "content": [{"type": "text", "text": "harbor-api."}], "timestamp": when},
    ]
    event = {"type": "agent_end", "runId": "run-7", "messages": messages}
    deliver("openclaw", harbor.root, event, session=session["session"])

    report = take(home.path / session["path"])

    assert (told(report)["captured"], report.captures()["new"]) == (1, 0)


def test_the_same_question_asked_twice_and_captured_once_is_taken_once(store: Path, harbor: Project) -> None:
    first, second = (turn(harbor.root, 1, when=WHEN + timedelta(hours=hour), ident=f"{hour}" * 16) for hour in (1, 2))
    write(store / "a", first + second)
    asked = {"hook_event_name": "UserPromptSubmit", "prompt": question(1)}
    deliver("claude-code", harbor.root, asked, {"hook_event_name": "Stop", "last_assistant_message": "Wet."})

    assert told(take(store))["new"] == 1
    assert Capture.objects.filter(turn="1" * 16).count() == 1


def test_a_turn_that_stands_in_two_files_is_taken_once(store: Path, harbor: Project) -> None:
    write(store / "a", lines(harbor.root, 1), session="one")
    write(store / "a", lines(harbor.root, 1, 2), session="two")
    foreseen = take(store, dry_run=True)

    assert foreseen.captures() == take(store).captures() == {"new": 2, "same": 1, "skipped": 0}


ANCHORS = {
    "by the id of the turn": ("one", "turn:{turn} ", "/moved/one.jsonl", "09:10"),
    "by the id of another line": ("one", "turn:a{turn} ", "/moved/one.jsonl", "09:10"),
    "by the time": ("one", "turn: ", "/moved/one.jsonl", "09:10"),
    "by the time of a hook that came late": ("one", "turn: ", "/moved/one.jsonl", "09:14"),
    "by the time, as the id is of a hook": ("one", "turn:0123456789abcdef ", "/moved/one.jsonl", "09:10"),
    "by the file": ("", "turn: ", r"C:\moved\one.jsonl", "09:10"),
    "by the file of another session": ("other", "turn: ", "/moved/one.jsonl", "09:10"),
    "by the id in another session": ("other", "turn:{turn} ", "/moved/other.jsonl", "09:10"),
}


@pytest.mark.parametrize("how", ANCHORS)
@pytest.mark.parametrize("is_read", [True, False])
def test_a_turn_that_an_anchor_names_is_known(store: Path, tmp_path: Path, how: str, *, is_read: bool) -> None:
    session, named, path, hhmm = ANCHORS[how]
    anchor = f"<!-- session:{session} {named}transcript:{path} -->".format(turn="00000001-0000-4000-8000-000000000000")
    root = make_tree(tmp_path / "quay", {"2026-03-02": f"### {hhmm}\n{anchor}\n- Something was asked\n\n"})
    project = make_project(root)
    write(store / "a", lines(str(root), 1, 2, 3))
    if not is_read:
        project.delete()

    report = take(store, project="", dry_run=True)

    row = next(row for row in report.as_json()["projects"])
    assert (row["in_journals"], row["new"]) == (1, 2)


def test_an_entry_in_the_journal_of_another_project_counts(store: Path, harbor: Project, tmp_path: Path) -> None:
    anchor = "<!-- session:one turn: transcript:/moved/one.jsonl -->"
    make_project(make_tree(tmp_path / "other", {"2026-03-02": f"### 09:10\n{anchor}\n- Something\n\n"}))
    write(store / "a", lines(harbor.root, 1, 2))
    assert (told(take(store))["in_journals"], Capture.objects.get().question) == (1, question(2))


def test_two_entries_of_one_minute_stand_for_two_turns(store: Path, tmp_path: Path) -> None:
    entry = "### 09:11\n<!-- session:one turn: transcript:/one.jsonl -->\n- Something was asked\n\n"
    root = make_tree(tmp_path / "quay", {"2026-03-02": entry * 2})
    make_project(root)
    pair = [turn(str(root), number, when=WHEN + timedelta(minutes=11, seconds=number)) for number in (1, 2)]
    write(store / "a", [*pair[0], *pair[1], *lines(str(root), 3)])
    assert take(store, project="", dry_run=True).captures() == {"new": 1, "same": 2, "skipped": 0}


def test_what_was_written_is_known_without_its_captures(home: Home, harbor: Project) -> None:
    Setting.objects.create(project=None, key="capture.summarizer", value="extractive")
    take(home.path)
    count = len(captured())
    while work.step(at=timezone.now()):
        pass
    assert queries.counts()["written"] == count
    Capture.objects.all().delete()

    assert take(home.path).captures()["new"] == 0
    assert take(home.path, dry_run=True).captures()["same"] == count


def test_goes_on_where_it_was_cut_off(home: Home, harbor: Project, monkeypatch: pytest.MonkeyPatch) -> None:
    class Killed(BaseException):
        """The process ends here."""

    monkeypatch.setattr(queueing, "PART", 2)
    real, done = accept.backfill, list[int]()

    def until_killed(*given: Any, **more: Any) -> Any:
        if len(done) == 4:
            raise Killed
        done.append(1)
        return real(*given, **more)

    monkeypatch.setattr(accept, "backfill", until_killed)
    with pytest.raises(Killed):
        take(home.path)
    assert 0 < len(captured()) <= 8
    monkeypatch.undo()

    take(home.path)

    assert captured() == names(expected(home))


def test_a_longer_conversation_brings_only_what_came_later(store: Path, harbor: Project) -> None:
    path = write(store / "a", lines(harbor.root, 1))
    take(store)
    shutil.move(path, store / "kept")
    write(store / "a", lines(harbor.root, 1, 2))
    report = take(store)
    assert (told(report)["new"], told(report)["captured"]) == (1, 1)
    assert report.count("sessions", "updated") == 1
