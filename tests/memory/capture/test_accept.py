"""A delivery is durable once it is answered, and the same turn is captured once."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from memory.capture import document
from memory.capture.accept import Accepted, accept, cursor
from memory.engram import sessions
from memory.models import Capture, Change, PendingEvent, Session
from tests.makers import make_project, make_tree
from tests.memory.capture.events import dsh_document, dsh_turn, recorded

pytestmark = pytest.mark.django_db(transaction=True)

AT = datetime(2026, 11, 30, 9, 0, tzinfo=UTC)


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    return tmp_path / "harbor"


def deliver(data: dict[str, Any]) -> Accepted:
    return accept(document.parse(data), at=AT)


@pytest.mark.parametrize("generation", ["0.1", "0.2"])
def test_a_turn_of_a_real_dsh_is_queued(root: Path, generation: str) -> None:
    events = recorded(generation)

    accepted = deliver(dsh_document(root, events, next_seq=events[-1]["seq"] + 1))

    assert [(taken.turn, taken.state) for taken in accepted.captures][:1] == [("1", "queued")]
    capture = Capture.objects.order_by("pk")[0]
    assert capture.question.startswith("Run a command please. My secret colour is teal.")
    assert "[Tool call]: bash" in capture.rendered
    assert "Current runtime context" not in capture.rendered
    assert capture.project.name == "harbor"
    assert Change.objects.filter(kind="capture.queued").count() == len(accepted.captures)


def test_the_same_delivery_again_changes_nothing(root: Path) -> None:
    data = dsh_document(root, dsh_turn(1, first=0), next_seq=4)
    deliver(data)

    again = deliver(data)

    assert [(taken.turn, taken.state) for taken in again.captures] == [("1", "captured")]
    assert (again.next_seq, again.stored) == (4, 0)
    assert Capture.objects.count() == 1


def test_a_turn_may_come_in_pieces(root: Path) -> None:
    events = dsh_turn(1, first=0)
    first = deliver(dsh_document(root, events[:2], next_seq=2))
    assert (first.captures, PendingEvent.objects.count(), cursor("s1")) == ((), 2, 2)

    second = deliver(dsh_document(root, events[2:], from_seq=2, next_seq=4))

    assert [taken.state for taken in second.captures] == ["queued"]
    assert "It trims them." in Capture.objects.get().rendered
    assert PendingEvent.objects.count() == 0


def test_private_words_are_never_stored(root: Path) -> None:
    events = dsh_turn(1, first=0, asked="Rotate <private>hunter2</private> the key now", answer="Done <private>x y")
    deliver(dsh_document(root, events[:2]))
    assert "hunter2" not in str(PendingEvent.objects.values_list("data"))

    deliver(dsh_document(root, events[2:]))

    capture = Capture.objects.get()
    assert "hunter2" not in capture.rendered + capture.question
    assert "x y" not in capture.rendered


@pytest.mark.parametrize(
    ("given", "reason"),
    [
        ({"asked": "hi"}, "10 characters or fewer"),
        ({"asked": ""}, "Nobody asked"),
    ],
)
def test_what_is_no_memory_is_skipped_with_the_reason(root: Path, given: dict[str, str], reason: str) -> None:
    accepted = deliver(dsh_document(root, dsh_turn(1, first=0, **given)))

    assert [taken.state for taken in accepted.captures] == ["skipped"]
    assert reason in accepted.captures[0].reason


def test_a_session_without_a_directory_is_skipped_with_the_reason() -> None:
    accepted = deliver(dsh_document("", dsh_turn(1, first=0)))

    assert accepted.captures[0].reason == "The agent named no working directory."


def test_unknown_events_are_kept_out(root: Path) -> None:
    events: list[dict[str, Any]] = [
        {"type": "future/thing", "seq": 0, "data": {"x": 1}},
        {"no": "type"},
        *dsh_turn(1, first=1),
    ]

    assert [taken.state for taken in deliver(dsh_document(root, events)).captures] == ["queued"]


def test_another_agent_tells_whole_turns(root: Path) -> None:
    turn = {"type": "turn", "turn": "a7", "user": "Where is the tide table kept?", "assistant": "In tide.csv."}
    data = {"platform": "my-agent", "session": {"id": "m1", "cwd": str(root)}, "events": [turn]}

    assert [taken.state for taken in deliver(data).captures] == ["queued"]
    assert [taken.state for taken in deliver(data).captures] == ["captured"]
    assert "In tide.csv." in Capture.objects.get().rendered


def test_a_session_that_was_ended_in_a_turn_stays_ended_until_the_next_turn(root: Path) -> None:
    first = dsh_turn(1, first=0)
    sessions.register(id="s1", project="harbor", at=AT)
    sessions.end(id="s1", at=datetime.fromtimestamp((first[0]["time"] + 1) / 1000, UTC))

    deliver(dsh_document(root, first))
    assert Session.objects.get(key="s1").ended_at

    deliver(dsh_document(root, [event | {"time": event["time"] + 60_000} for event in dsh_turn(2, first=10)]))
    assert Session.objects.get(key="s1").ended_at is None

    sessions.end(id="s1", at=AT + timedelta(days=1))
    deliver(dsh_document(root, first))
    assert Session.objects.get(key="s1").ended_at
