"""Cases of single formats that the fixtures do not have."""

from __future__ import annotations

import json
from pathlib import Path

from memory.transcripts.conversation import JsonObject, Transcript, messages
from memory.transcripts.find import locate
from memory.transcripts.reading import Shown, read
from tests.memory.transcripts.homes import ALL, WHOLE

THREAD = "019b9288-d680-7027-8ce6-27e2d140657a"


def shown(root: Path, platform: str, path: str, *lines: JsonObject, asked: Shown = ALL) -> Transcript:
    """Write a file of lines below a root, and read it all."""
    file = root / path
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")
    place = locate(platform=platform, path=str(file), session="s", known={platform: (root,)})
    return read(place, context=WHOLE, shown=asked)


def claude(root: Path, *lines: JsonObject) -> Transcript:
    return shown(root, "claude-code", "-p/s.jsonl", *lines)


def codex(root: Path, *lines: JsonObject) -> Transcript:
    return shown(root, "codex", f"sessions/2026/01/06/rollout-2026-01-06T09-00-00-{THREAD}.jsonl", *lines)


def user(uuid: str, text: str, parent: str | None = None, **more: JsonObject | str | bool) -> JsonObject:
    return {"type": "user", "uuid": uuid, "parentUuid": parent, "message": {"role": "user", "content": text}, **more}


def answer(uuid: str, text: str, parent: str | None = None, message: str = "") -> JsonObject:
    content: JsonObject = {
        "id": message or uuid,
        "content": [{"type": "text", "text": text}],
        "stop_reason": "end_turn",
    }
    return {"type": "assistant", "uuid": uuid, "parentUuid": parent, "message": content}


def test_a_command_that_the_model_answers_is_a_turn(tmp_path: Path) -> None:
    line = "<command-name>/review</command-name><command-args>12</command-args>"
    transcript = claude(tmp_path, user("a", line), user("b", "expanded", isMeta=True), answer("c", "Looks right."))
    assert [(turn.id, turn.user, turn.assistant) for turn in transcript.turns] == [
        ("a", "/review 12", ("Looks right.",))
    ]


def test_a_rewind_gives_up_all_that_was_said_since(tmp_path: Path) -> None:
    transcript = claude(
        tmp_path,
        user("a", "one"),
        answer("b", "1", "a"),
        user("c", "two", "b"),
        answer("d", "2", "c"),
        user("e", "three", "d"),
        answer("f", "3", "e"),
        {"type": "attachment", "uuid": "h", "parentUuid": "b", "attachment": {"type": "hook_success"}},
        user("g", "two again", "h"),
        answer("i", "2", "g"),
    )
    assert [(turn.user, turn.is_active) for turn in transcript.turns] == [
        ("one", True),
        ("two", False),
        ("three", False),
        ("two again", True),
    ]


def test_a_block_that_was_written_again_as_it_grew_is_one(tmp_path: Path) -> None:
    lines = [answer(str(number), text, message="m") for number, text in enumerate(("A", "A whale", "A whale!"))]
    (turn,) = claude(tmp_path, user("a", "What is it?"), *lines, answer("z", "A whale!", message="n")).turns
    assert turn.assistant == ("A whale!", "A whale!")


def test_an_answer_that_waits_for_a_tool_is_still_running(tmp_path: Path) -> None:
    call: JsonObject = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "sleep 9"}}
    message: JsonObject = {"id": "m", "content": [call], "stop_reason": "tool_use"}
    (turn,) = claude(tmp_path, user("a", "Wait."), {"type": "assistant", "uuid": "b", "message": message}).turns
    assert (turn.status, turn.tools[0].output) == ("running", None)


def test_a_message_of_another_agent_is_not_the_persons(tmp_path: Path) -> None:
    (turn,) = claude(tmp_path, user("a", "Do it.", origin={"kind": "coordinator"}), answer("b", "Done.")).turns
    assert (turn.trigger, turn.user) == ("agent", "")


def event(kind: str, **payload: str | int) -> JsonObject:
    return {"timestamp": "2026-01-06T09:00:00Z", "type": "event_msg", "payload": {"type": kind, **payload}}


def said(role: str, text: str) -> JsonObject:
    content: JsonObject = {"type": "message", "role": role, "content": [{"type": "input_text", "text": text}]}
    return {"timestamp": "2026-01-06T09:00:00Z", "type": "response_item", "payload": content}


def test_several_turns_can_be_rolled_back_at_once_and_again(tmp_path: Path) -> None:
    lines: list[JsonObject] = []
    for number in range(5):
        lines += [
            event("task_started", turn_id=str(number)),
            event("user_message", message=f"{number}"),
            event("task_complete"),
        ]
        if number == 2:
            lines.append(event("thread_rolled_back", num_turns=1))
    transcript = codex(tmp_path, *lines, event("thread_rolled_back", num_turns=3))
    assert [turn.is_active for turn in transcript.turns] == [True, False, False, False, False]


def test_a_thread_without_task_events_has_a_turn_a_prompt(tmp_path: Path) -> None:
    transcript = codex(
        tmp_path,
        said("user", "<environment_context>x</environment_context>"),
        said("user", "one"),
        event("user_message", message="one"),
        event("agent_message", message="1"),
        said("assistant", "1"),
        said("user", "two"),
        said("user", "<turn_aborted>x</turn_aborted>"),
        said("user", "two"),
        said("user", "three"),
    )
    assert [(turn.user, turn.assistant, turn.status) for turn in transcript.turns] == [
        ("one", ("1",), "completed"),
        ("two", (), "interrupted"),
        ("three", (), "completed"),
    ]


def test_words_are_taken_from_what_the_model_saw_where_no_event_has_them(tmp_path: Path) -> None:
    (turn,) = codex(tmp_path, event("task_started", turn_id="t"), said("user", "one"), said("assistant", "1")).turns
    assert (turn.user, turn.assistant, turn.status) == ("one", ("1",), "running")


def test_of_two_copies_of_a_rollout_the_plain_one_is_read(tmp_path: Path) -> None:
    codex(tmp_path, event("task_started", turn_id="t"))
    plain = next(tmp_path.rglob("*.jsonl"))
    archived = tmp_path / "archived_sessions" / f"{plain.name}.zst"
    archived.parent.mkdir()
    archived.write_bytes(b"")
    place = locate(platform="codex", path="", session=THREAD, known={"codex": (tmp_path,)})
    assert place.pages == (str(plain.relative_to(tmp_path)),)


def entry(ident: str, parent: str | None, role: str, text: str, **more: str) -> JsonObject:
    return {"type": "message", "id": ident, "parentId": parent, "message": {"role": role, "content": text, **more}}


def test_a_gap_in_the_way_to_the_leaf_takes_no_turn_away(tmp_path: Path) -> None:
    transcript = shown(
        tmp_path,
        "openclaw",
        "main/sessions/s.jsonl",
        entry("a", None, "user", "one"),
        entry("b", "a", "assistant", "1"),
        entry("c", "never-written", "user", "two"),
        entry("d", "c", "user", "abandoned"),
        entry("e", "c", "user", "three"),
    )
    assert [(turn.user, turn.is_active) for turn in transcript.turns] == [
        ("one", True),
        ("two", True),
        ("abandoned", False),
        ("three", True),
    ]


def test_a_heartbeat_that_found_something_is_shown_without_its_prompt(tmp_path: Path) -> None:
    prompt = entry("a", None, "user", "[OpenClaw heartbeat poll]")
    alarm = entry("b", "a", "assistant", "The importer is down.")
    (turn,) = shown(tmp_path, "openclaw", "main/sessions/s.jsonl", prompt, alarm).turns
    assert (turn.trigger, turn.user, turn.assistant) == ("heartbeat", "", ("The importer is down.",))


def test_an_answer_that_comes_twice_without_its_mark_is_one(tmp_path: Path) -> None:
    lines = [
        entry("a", None, "user", "Hi"),
        entry("b", "a", "assistant", "[[reply_to_current]] Yes"),
        entry("c", "b", "assistant", "Yes"),
    ]
    (turn,) = shown(tmp_path, "openclaw", "main/sessions/s.jsonl", *lines).turns
    assert turn.assistant == ("Yes",)


def test_a_newer_generation_is_read_as_far_as_it_is_known(tmp_path: Path) -> None:
    transcript = shown(
        tmp_path,
        "dsh",
        "--p--/s/session.v9.jsonl",
        {"type": "session", "version": 9},
        {"type": "turn/start", "seq": 0, "data": {"turn": 1}},
        {"type": "user/message", "data": {"source": {"kind": "user"}, "content": [{"type": "text", "text": "Hi"}]}},
        {"type": "brand/new", "data": 1},
    )
    assert [(turn.user, turn.status) for turn in transcript.turns] == [("Hi", "running")]
    assert any("newer format" in note for note in transcript.notes)


def test_a_later_forks_seed_ends_at_the_last_inherited_mark(tmp_path: Path) -> None:
    transcript = shown(
        tmp_path,
        "dsh",
        "--p--/s/session.v4.jsonl",
        {"type": "session", "version": 4},
        {"type": "turn/start", "seq": 0, "data": {"turn": 1}},
        {"type": "turn/end", "seq": 1, "data": {"turn": 1, "reason": {"kind": "completed"}}},
        {"type": "session/end-seed", "seq": 2, "data": {"inherited": True}},
        {"type": "turn/start", "seq": 3, "data": {"turn": 2}},
        {"type": "session/end-seed", "seq": 4, "data": {}},
    )
    assert [turn.is_replayed for turn in transcript.turns] == [True, False]


def test_a_transcript_flattens_to_what_each_side_said(tmp_path: Path) -> None:
    queued: JsonObject = {"type": "queued_command", "prompt": [{"type": "text", "text": "And that."}]}
    call: JsonObject = {"type": "tool_use", "id": "t", "name": "Bash", "input": {"command": "ls"}}
    transcript = claude(
        tmp_path,
        user("a", "Do this."),
        {"type": "attachment", "attachment": queued},
        answer("b", "First."),
        {"type": "assistant", "message": {"id": "c", "content": [call], "stop_reason": "end_turn"}},
        answer("d", "Second."),
        user("e", "Thanks."),
    )
    flat = messages(transcript)
    assert [(message.turn, message.role, message.text) for message in flat] == [
        ("a", "user", "Do this.\n\nAnd that."),
        ("a", "assistant", "First.\n\nSecond."),
        ("e", "user", "Thanks."),
    ]
    assert [tool.name for tool in flat[1].tools] == ["Bash"]


def test_a_turn_without_an_id_of_its_own_goes_by_its_number(tmp_path: Path) -> None:
    assert [message.turn for message in messages(codex(tmp_path, said("user", "one"), said("user", "two")))] == [
        "1",
        "2",
    ]
