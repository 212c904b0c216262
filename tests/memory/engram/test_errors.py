"""What a refusal carries for the reply."""

from __future__ import annotations

import pytest

from memory.engram import errors
from memory.engram.errors import EngramError, NotFound, SessionEnded, SessionNotFound


def test_carries_engrams_message_code_and_fields() -> None:
    ended = SessionEnded(session_id="s1")

    assert (str(ended), ended.message) == ("session has already ended",) * 2
    assert (ended.code, ended.fields) == ("session_already_ended", {"session_id": "s1"})


def test_another_message_and_code_may_be_given() -> None:
    missing = NotFound("observation not found", code="gone")

    assert (missing.message, missing.code, missing.fields) == ("observation not found", "gone", {})
    assert isinstance(SessionNotFound(), NotFound)


@pytest.mark.parametrize("kind", [one for one in vars(errors).values() if isinstance(one, type)])
def test_every_refusal_says_something_by_itself(kind: type[EngramError]) -> None:
    assert kind().message == str(kind()) != ""
