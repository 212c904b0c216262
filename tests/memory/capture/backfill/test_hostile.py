"""Files that anybody may have written, that break off, that grow while they are read."""

from __future__ import annotations

import json
import os
import sqlite3
from collections.abc import Iterator
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from memory.capture.backfill import conversations
from memory.models import Capture, Project
from memory.transcripts import lines as reading
from tests import untouched
from tests.memory.capture.backfill.stores import WHEN, lines, question, turn, write
from tests.memory.capture.backfill.takings import take, told
from tests.memory.transcripts.homes import make

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def store(tmp_path: Path) -> Path:
    return tmp_path / "store" / "projects"


def test_broken_lines_are_counted_and_cost_nothing_else(store: Path, harbor: Project) -> None:
    path = write(store / "a", lines(harbor.root, 1), tail=b"\0" * 64 + b"\n{broken\n[7]\n")
    with path.open("ab") as file:
        file.writelines(json.dumps(line).encode() + b"\n" for line in lines(harbor.root, 2))
        file.write(b'{"type":"user","uuid":"x","message":{"role":"user","content":"Not yet')

    report = take(store)

    assert told(report)["new"] == 2
    assert [note.why for note in report.tally.problems] == ["3 lines could not be read."]


def test_nothing_is_reached_through_a_link(store: Path, tmp_path: Path, harbor: Project) -> None:
    secret = write(tmp_path / "secret", lines(harbor.root, 1))
    write(store / "a", lines(harbor.root, 2), session="two")
    (store / "a" / "one.jsonl").symlink_to(secret)
    (store / "b").symlink_to(secret.parent)
    os.mkfifo(store / "a" / "three.jsonl")

    assert (told(take(store))["new"], Capture.objects.get().question) == (1, question(2))


def test_private_words_are_never_stored(store: Path, harbor: Project) -> None:
    content = lines(harbor.root, 1)
    content[0]["message"]["content"] = "Rotate <private>hunter2</private> the key now <private"
    content[1]["message"]["content"] = [{"type": "text", "text": "Done <private\nhunter2"}]
    write(store / "a", content)

    take(store)

    assert "hunter2" not in str(list(Capture.objects.values()))
    assert Capture.objects.get().question == "Rotate [REDACTED] the key now [REDACTED]"


def test_a_turn_that_may_go_on_waits(store: Path, harbor: Project) -> None:
    now = timezone.now()
    old = turn(harbor.root, 1, when=now - timedelta(hours=2))
    asked, answered = turn(harbor.root, 2, when=now - timedelta(minutes=2))
    for content in ([*old, asked], [*old, asked, answered]):
        write(store / "a", content)
        assert (told(take(store))["unfinished"], Capture.objects.count()) == (1, 1)

    assert told(take(store, at=now + timedelta(minutes=10)))["new"] == 1


def test_a_question_that_got_no_answer_yet_waits(store: Path, harbor: Project) -> None:
    write(store / "a", lines(harbor.root, 1, 2)[:-1])
    assert (told(take(store))["new"], told(take(store))["unfinished"]) == (1, 1)


def test_a_file_that_grows_while_it_is_read_gives_what_was_over(
    store: Path, harbor: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(store / "a", lines(harbor.root, 1, 2))
    real = reading.objects

    def growing(*given: Any, **more: Any) -> Iterator[Any]:
        yield from real(*given, **more)
        with path.open("ab") as file:
            file.writelines(json.dumps(line).encode() + b"\n" for line in lines(harbor.root, 3, 4))

    monkeypatch.setattr(reading, "objects", growing)
    assert told(take(store))["new"] == 2
    monkeypatch.undo()

    assert told(take(store))["new"] == 2
    assert sorted(Capture.objects.values_list("question", flat=True)) == [question(number) for number in (1, 2, 3, 4)]


def test_a_file_that_is_written_anew_while_it_is_read_mixes_no_turns(
    store: Path, harbor: Project, monkeypatch: pytest.MonkeyPatch
) -> None:
    write(store / "a", lines(harbor.root, 1, 2))
    real = conversations.Reading.outlines

    def changed(*given: Any) -> Any:
        found = real(*given)
        write(store / "a", lines(harbor.root, 2, 3))
        return found

    monkeypatch.setattr(conversations.Reading, "outlines", changed)
    assert told(take(store))["unfinished"] == 2
    assert not Capture.objects.exists()


def test_a_database_that_is_none_is_a_problem_and_no_end(tmp_path: Path, harbor: Project) -> None:
    folder = tmp_path / "opencode"
    folder.mkdir()
    (folder / "opencode.db").write_bytes(b"no database")
    assert "unknown format" in take(folder).tally.problems[0].why
    (folder / "opencode.db").unlink()
    with sqlite3.connect(folder / "opencode.db") as database:
        database.execute("create table session (id, odd)")
        database.execute("insert into session values (x'00', 1), ('ses_1', 2)")
    database.close()
    assert "unknown format" in take(folder).tally.problems[0].why


def test_a_database_that_cannot_be_read_hides_nothing_else(tmp_path: Path, harbor: Project) -> None:
    home = make(tmp_path / "out", "--agents", "opencode,openclaw")
    count = take(home.path, dry_run=True).captures()["new"]
    (home.path / ".local/share/opencode/opencode-broken.db").write_bytes(b"no database")
    broken = home.path / ".openclaw/agents/broken/agent/openclaw-agent.sqlite"
    broken.parent.mkdir(parents=True)
    broken.write_bytes(b"no database")

    report = take(home.path, dry_run=True)

    assert report.captures()["new"] == count
    assert len([note for note in report.tally.problems if "unknown format" in note.why]) == 2


@pytest.mark.parametrize("when", ["9999-12-31T23:59:59Z", "0001-01-01T00:00:00+14:00", "1969-01-01", 1e300, -7, "soon"])
def test_a_time_that_cannot_be_is_that_of_the_file(store: Path, harbor: Project, when: Any) -> None:
    path = write(store / "a", [line | {"timestamp": when} for line in lines(harbor.root, 1)])
    written = WHEN.timestamp()
    os.utime(path, (written, written))

    take(store)

    capture = Capture.objects.select_related("session").get()
    assert capture.occurred_at == capture.session.started_at == capture.session.last_activity_at == WHEN


def test_nothing_appears_beside_an_agents_files(tmp_path: Path, harbor: Project) -> None:
    home = make(tmp_path / "out", "--live-wal")
    before = untouched.below(home.path)
    take(home.path)
    assert untouched.below(home.path) == before


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=6,
)
KEYS = ["type", "message", "cwd", "sessionId", "uuid", "payload", "timestamp", "data", "seq", "time", "id", "content"]
KINDS = [
    "user",
    "assistant",
    "session",
    "session_meta",
    "event_msg",
    "response_item",
    "turn/start",
    "turn/end",
    "message",
]
LINE = st.fixed_dictionaries({"type": st.sampled_from(KINDS)}, optional=dict.fromkeys(KEYS[1:], VALUES))


@pytest.mark.parametrize("name", ["a/one.jsonl", "sessions/2026/01/05/rollout-2026-01-05T00-00-00-{uuid}.jsonl",
                                  "main/sessions/one.jsonl", "p/s/session.jsonl"])  # fmt: skip
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(content=st.lists(LINE, max_size=8))
def test_no_content_stops_an_import(tmp_path: Path, harbor: Project, name: str, content: list[dict[str, Any]]) -> None:
    path = tmp_path / "odd" / name.format(uuid="00000000-0000-4000-8000-000000000000")
    first: dict[str, Any] = (
        {"type": "session_meta", "payload": {"id": "x"}} if "rollout" in name else {"type": "session", "id": "x"}
    )
    if name == "p/s/session.jsonl":
        first |= {"createdAt": 1}
    if name == "a/one.jsonl":
        first = {"type": "user", "uuid": "u"}
    write(path.parent, [first, *content], session=path.stem)
    assert take(path).captures()["new"] >= 0
