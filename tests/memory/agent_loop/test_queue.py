"""The queue of a loop: what was taken is kept, told once, and in its order."""

from __future__ import annotations

import json
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.utils import timezone

from memory.agent_loop import points, queue
from memory.agent_loop.errors import BadObservation
from memory.audit import COMMAND
from memory.models import AuditEntry, LoopUpdate
from memory.models.service import LoopState
from memory.service.types import Failure, Success
from tests.memory.agent_loop.seen import HEADER, created, data, ended, turn

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()
LATE = NOW + timedelta(days=1)
FAILED = [Failure("notes", "no disk")]


def take(*ids: str, session: str = "s1") -> None:
    for one in ids:
        assert queue.take(created(session), request_id=one, at=NOW)


def claim(*, worker: str = "here/1") -> LoopUpdate:
    row = queue.claim(worker=worker, at=LATE)
    assert row
    return row


def claimed() -> Iterator[LoopUpdate]:
    """Claim and finish until nothing is due."""
    while row := queue.claim(worker="here/1", at=LATE):
        yield row
        queue.done(row, [], at=NOW)


def states() -> list[str]:
    return list(LoopUpdate.objects.order_by("pk").values_list("state", flat=True))


def test_an_update_that_comes_again_is_known() -> None:
    assert queue.take(created(), request_id="r1", at=NOW)
    assert not queue.take(created(), request_id="r1", at=NOW)
    assert queue.take(created("s2"), request_id="r1", at=NOW)
    with pytest.raises(BadObservation, match="requestId: is missing"):
        queue.take(created(), at=NOW)


def test_a_turn_is_known_by_its_number_and_its_place() -> None:
    assert queue.take(ended(1), at=NOW)
    assert not queue.take(ended(1), request_id="another", at=NOW)
    assert queue.take(ended(2, first=4), at=NOW)
    assert queue.take(ended(1, session="s2"), at=NOW)
    for row in claimed():
        assert row.meta["attributes"]["outcome"] == "completed"

    assert not queue.take(ended(1), at=NOW)
    assert (queue.next_seq("s1"), queue.next_seq("s2"), queue.next_seq("s3")) == (8, 4, 0)


def test_what_is_kept_is_what_was_seen_without_private_blocks() -> None:
    told = turn() | {"agent": {"id": "a1", "options": {"note": "\0 <private>secret</private>"}}}

    queue.take(points.observation("session/turn-end", told), at=NOW)

    row = claim()
    assert row.data["events"] == told["events"]
    assert row.data["agent"]["options"]["note"] == "\ufffd [REDACTED]"
    assert row.meta["requestId"] == row.key
    assert "secret" not in json.dumps([row.data, row.meta])


def test_a_session_is_served_in_its_order_and_beside_the_others() -> None:
    take("r1", "r2")
    take("r3", session="s2")

    first, other = claim(), claim()

    assert [row.session_key for row in (first, other)] == ["s1", "s2"]
    assert queue.claim(worker="here/2", at=LATE) is None
    queue.done(first, [], at=NOW)
    assert claim().pk > first.pk


def test_the_end_of_a_turn_keeps_its_place_before_what_came_later() -> None:
    queue.take(ended(1), at=NOW)
    queue.take(points.observation("agent/disposed", data()), request_id="r1", at=NOW)
    row = claim()
    queue.again(row, FAILED, "no disk", at=NOW)

    assert queue.claim(worker="here/1", at=NOW) is None
    assert [row.point for row in claimed()] == ["session/turn-end", "agent/disposed"]


def test_what_fails_comes_again_later_and_holds_up_its_session_only_for_a_while() -> None:
    take("r1", "r2")
    for _ in range(queue.PATIENT):
        row = claim()
        assert row.attempts < queue.PATIENT
        queue.again(row, FAILED, "no disk", at=NOW)

    assert [row.attempts for row in claimed()] == [3, 0]


def test_it_is_given_up_in_the_end_and_may_be_tried_again_by_hand() -> None:
    take("r1")
    for _ in range(len(queue.PAUSES) + 1):
        queue.again(claim(), FAILED, "no disk \0", at=NOW)

    row = LoopUpdate.objects.get()
    assert (row.state, row.error, row.data) == (LoopState.FAILED, "no disk \ufffd", data())
    assert queue.claim(worker="here/1", at=LATE) is None
    assert queue.retry(pk=row.pk, actor=COMMAND, at=NOW)
    assert claim().attempts == 0
    assert not queue.retry(pk=row.pk, actor=COMMAND, at=NOW)
    assert AuditEntry.objects.get().action == "loop.retried"


def test_the_pauses_end_before_the_plugins_answers_are_forgotten() -> None:
    assert sum(queue.PAUSES, timedelta()) < timedelta(hours=12)


def test_what_nobody_tried_counts_as_no_try() -> None:
    take("r1")
    queue.put_back(claim(), "busy", at=NOW)

    row = claim()
    assert (row.attempts, row.error) == (0, "busy")


def test_when_it_is_done_only_what_makes_it_known_stays() -> None:
    queue.take(ended(1), at=NOW)
    take("r1")
    outcomes = [Success("journal", {"text": "long"}, 1.5), Success("notes", None)]
    for _ in range(2):
        queue.done(claim(), outcomes, at=NOW)

    told, other = LoopUpdate.objects.order_by("pk")
    assert told.data == {"event": turn()["event"]}
    assert other.data == {}
    assert told.outcomes == [
        {"pluginId": "journal", "ok": True, "durationMs": 1.5},
        {"pluginId": "notes", "ok": True, "durationMs": 0.0},
    ]


def test_what_a_dead_process_held_is_put_back() -> None:
    import os

    take("r1")
    take("r2", session="s2")
    take("r3", session="s3")
    claim(worker=f"here/{os.getpid()}")
    claim(worker="here/999999999")
    elsewhere = claim(worker="elsewhere/1")
    LoopUpdate.objects.filter(pk=elsewhere.pk).update(claimed_at=NOW)

    assert queue.release_lost(host="here", at=NOW) == 1
    assert states() == [LoopState.RUNNING, LoopState.QUEUED, LoopState.RUNNING]
    assert queue.release_lost(host="here", at=NOW + queue.LEASE * 2) == 1
    assert states() == [LoopState.RUNNING, LoopState.QUEUED, LoopState.QUEUED]


def test_whoever_lost_an_update_cannot_finish_it() -> None:
    take("r1")
    lost = claim(worker="here/999999999")
    queue.release_lost(host="here", at=NOW)
    again = claim()

    queue.done(lost, [], at=NOW)
    assert states() == [LoopState.RUNNING]
    queue.done(again, [], at=NOW)
    assert states() == [LoopState.DONE]


def test_a_flush_waits_for_what_was_taken_and_not_for_what_is_set_aside() -> None:
    assert queue.flush("s1", within=0)
    take("r1")
    take("r2", session="s2")
    assert not queue.flush("s1", within=0.1)
    for _ in range(queue.PATIENT):
        row = claim()
        assert not queue.flush("s1", within=0)
        queue.again(row, FAILED, "no disk", at=NOW)

    assert queue.flush("s1", within=0)
    assert not queue.flush("s2", within=0)


def test_old_updates_are_forgotten_and_turns_stay_known() -> None:
    queue.take(ended(1), at=NOW)
    take("r1", "r2")
    rows: list[Any] = list(claimed())
    take("r3")

    assert queue.trim(at=NOW) == 0
    assert queue.trim(at=NOW + queue.KEPT * 2) == 2
    assert list(LoopUpdate.objects.order_by("pk").values_list("point", "state")) == [
        ("session/turn-end", LoopState.DONE),
        ("agent/created", LoopState.QUEUED),
    ]
    assert len(rows) == 3
    assert not queue.take(ended(1), at=NOW)
    assert queue.next_seq("s1") == 4


def test_the_session_may_have_any_id() -> None:
    odd = "s/1 \u2028 " + "x" * 900
    queue.take(points.observation("session/turn-end", turn(header=HEADER | {"id": odd})), at=NOW)

    assert queue.next_seq(odd) == 4
    assert [row.meta["attributes"]["sessionId"] for row in claimed()] == [odd]
