"""OpenCode's messages as turns: the whole ones, once, by the ids that OpenCode gave them."""

from __future__ import annotations

from typing import Any

from memory.capture import document
from memory.capture.platforms import opencode
from memory.capture.platforms.base import Reading


def message(ident: str, role: str, text: str, *, parent: str = "", **info: Any) -> dict[str, Any]:
    time = {"created": 1795998176000} | ({"completed": 1795998178000} if role == "assistant" else {})
    facts = {"id": ident, "role": role, "time": time} | ({"parentID": parent, "finish": "stop"} if parent else {})
    return {"info": facts | info, "parts": [{"type": "text", "text": text}]}


def read(*events: Any, **session: Any) -> Reading:
    data: Any = {"platform": "opencode", "session": {"id": "ses_1"} | session, "events": list(events)}
    parsed = document.parse(data)
    return opencode.read(opencode.place(parsed, after=0), parsed)


def test_answers_belong_to_the_prompt_that_they_name() -> None:
    reading = read(
        message("m1", "user", "first question"),
        message("m2", "user", "second question, while the first one runs"),
        message("m3", "assistant", "first answer", parent="m1"),
        message("m4", "assistant", "second answer", parent="m2"),
    )

    assert [(one.turn.id, one.turn.user, one.turn.assistant) for one in reading.ended] == [
        ("m1", "first question", ("first answer",)),
        ("m2", "second question, while the first one runs", ("second answer",)),
    ]


def test_a_turn_that_runs_is_left_for_the_next_delivery() -> None:
    running = message("m2", "assistant", "half an ans", parent="m1", time={"created": 1}, finish=None)

    assert read(message("m1", "user", "question"), running).ended == ()


def test_the_last_version_of_a_message_counts() -> None:
    asked = message("m1", "user", "question")
    running = message("m2", "assistant", "half an ans", parent="m1", time={"created": 1}, finish=None)

    (ended,) = read(asked, running, message("m2", "assistant", "half an answer", parent="m1")).ended

    assert ended.turn.assistant == ("half an answer",)


def test_an_aborted_turn_is_over() -> None:
    aborted = message("m2", "assistant", "I was", parent="m1", error={"name": "MessageAbortedError"})

    (ended,) = read(message("m1", "user", "question"), aborted).ended

    assert ended.turn.status == "interrupted"


def test_what_plugins_wrote_is_not_the_persons() -> None:
    asked = message("m1", "user", '"two words"')
    asked["parts"].append({"type": "text", "text": "<memdock-context>told</memdock-context>", "synthetic": True})

    (ended,) = read(asked, message("m2", "assistant", "answer", parent="m1")).ended

    assert ended.turn.user == "two words"


def test_a_summary_is_a_compaction_and_no_answer() -> None:
    mark = {"info": {"id": "m1", "role": "user", "time": {"created": 1}}, "parts": [{"type": "compaction"}]}

    reading = read(mark, message("m2", "assistant", "We fixed the importer.", parent="m1", summary=True))

    assert [one.text for one in reading.compactions] == ["We fixed the importer."]
    assert reading.ended == ()


def test_the_last_words_of_a_child_are_searched_for_learnings() -> None:
    turn = (
        message("m1", "user", "look around"),
        message("m2", "assistant", "## Key Learnings:\n1. It trims", parent="m1"),
    )

    assert read(*turn).learnings == ()
    assert read(*turn, parent_session="ses_0").learnings == ("## Key Learnings:\n1. It trims",)


def test_what_is_no_message_is_left_out() -> None:
    assert read({}, {"info": 1}, {"info": {"id": 5}}, {"info": {"id": "m"}, "parts": "x"}).ended == ()
