"""A real DSH and a real MemDock through a day of work: captured, remembered, told, and private where it has to be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from memory.agent_loop.policy import SWITCHES
from tests.dsh.conftest import Asked, Loop, harnessed
from tests.waiting import wait_until

FIRST = (
    "Why does the berth importer in src/importer.py skip rows?\n"
    '@call bash {"description": "look", "command": "echo tool-output-123"}\n'
    "@say It trims trailing blanks in trim_rows."
)
SECOND = "Remember that the tide table is imported at six in the morning.\n@say Noted the tide table."
SAVE = (
    "Keep the colour of the quay in mind.\n"
    '@call mem_save {"title": "Quay is teal", "content": "Teal. <private>hunter2-secret</private>", '
    '"session_id": "another", "project": "another"}\n'
    "@say Kept."
)
SEARCH = (
    "Which colour has the quay?\n"
    '@call mem_search {"query": "quay"}\n'
    '@call skill {"name": "memory-recall"}\n'
    '@call bash {"description": "learn", "command": "printf \'## Key Learnings\\\\n\\\\n'
    "1. The berth table has to be locked before the tide table is read'\"}\n"
    "@say Teal."
)
END = 'This part of the work is over.\n@call mem_session_end {"summary": "The quay is teal."}\n@say Ended.'
AGAIN = 'One thing more about the quay.\n@call mem_save {"title": "Quay has bollards", "content": "Nine."}\n@say Kept.'
LONG = f"Read this list of ships please: {'gull heron cormorant ' * 4000}\n@say Read it."
AFTER = "And what is there to do now, after all that?\n@say Nothing."
KEEP = (
    "Keep the plan of the quay.\n"
    '@call memory_update {"messages": [{"role": "assistant", "content": "The quay is built of granite."}], '
    '"resources": [{"kind": "workspace-file", "path": "plans/quay.md", "role": "reference"}]}\n'
    "@say Kept the plan."
)
ASK = 'What is the quay built of?\n@call memory_retrieve {"query": "quay granite"}\n@say Granite.'
PLAN = "# Plan of the quay\n"
QUESTION = "What skips rows in the berth importer src/importer.py?"


@pytest.fixture(scope="module")
def place(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("day")


@dataclass(frozen=True, slots=True)
class Day:
    """What came of two sessions."""

    answers: list[str]
    first: list[Asked]
    second: list[Asked]
    journal: str
    hits: list[Any]
    exported: Any
    loops: list[Loop]

    def observation(self, title: str) -> Any:
        (found,) = (row for row in self.exported["observations"] if row["title"] == title)
        return found


@pytest.fixture(scope="module")
def day(place: Path) -> Iterator[Day]:
    with harnessed(place) as dsh:
        dsh.configure()
        with dsh.up():
            answers = dsh.turns(FIRST, SECOND, SAVE, SEARCH, END, AGAIN, LONG, AFTER, session="one")
            wait_until(lambda: ("one", "8") in dsh.journal())
            hits = dsh.memdock("search", "trim_rows kind:entry")
            (dsh.project / "plans").mkdir()
            (dsh.project / "plans" / "quay.md").write_text(PLAN)
            answers += dsh.turns(QUESTION, KEEP, ASK, session="two")
            wait_until(lambda: ("two", "3") in dsh.journal())
            yield Day(
                answers,
                dsh.asked("one"),
                dsh.asked("two"),
                dsh.journal_text(),
                hits,
                dsh.exported(),
                [dsh.loop("one"), dsh.loop("two")],
            )


def test_every_turn_is_answered_and_captured(day: Day) -> None:
    assert day.answers == [
        "It trims trailing blanks in trim_rows.",
        "Noted the tide table.",
        *["Kept.", "Teal.", "Ended.", "Kept.", "Read it.", "Nothing."],
        *["stub: ok", "Kept the plan.", "Granite."],
    ]
    assert "- User asked: Why does the berth importer in src/importer.py skip rows?\n" in day.journal
    assert [hit["session"] for hit in day.hits] == ["one"]


def test_the_next_session_is_told_what_was_found_out(day: Day) -> None:
    told = day.second[0].messages.rpartition("[memsearch] Memory available.")[2]

    assert "trim_rows" in told
    assert "Memory available" not in day.journal


def test_a_session_starts_with_the_protocol_and_without_memory(day: Day) -> None:
    start = day.first[0]

    assert all("MemDock: memory that outlives this session" in asked.system for asked in [*day.first, *day.second])
    assert "trim_rows" not in start.system + day.second[0].system
    assert "Memory available" not in start.messages
    assert len([name for name in start.tools if name.startswith("mem_")]) == 21


def test_what_the_model_saves_is_found_in_a_later_turn_and_is_its_sessions(day: Day) -> None:
    saved = day.observation("Quay is teal")

    assert (saved["session_id"], saved["project"], saved["content"]) == ("one", "harbor", "Teal. [REDACTED]")
    answer = day.first[6].messages.rpartition("mem_search")[2]
    assert "Quay is teal" in answer and saved["sync_id"] in answer


def test_nothing_private_reaches_memdock(day: Day) -> None:
    assert any("hunter2-secret" in asked.messages for asked in day.first)
    assert "hunter2-secret" not in json.dumps(day.exported) + day.journal


def test_prompts_and_learnings_are_kept(day: Day) -> None:
    prompts = [row["content"].partition("\n")[0] for row in day.exported["prompts"] if row["session_id"] == "one"]
    learned = [row["title"] for row in day.exported["observations"] if row["type"] == "passive"]

    assert prompts[:2] == [text.partition("\n")[0] for text in (FIRST, SECOND)]
    assert [title[:15] for title in learned] == ["The berth table"]


def test_the_skill_and_a_persons_message_arrive(day: Day) -> None:
    assert "[memdock message 1] Review the skill please." in day.first[0].messages
    assert day.first[-1].messages.count("[memdock message") <= 1
    assert "This session's project is `harbor`" in day.first[7].messages


def test_after_its_end_a_session_goes_on_as_a_new_one(day: Day) -> None:
    other = day.observation("Quay has bollards")["session_id"]
    ended = {row["id"]: row.get("summary") for row in day.exported["sessions"]}

    assert len(other) == 36
    assert (ended["one"], ended[other]) == ("The quay is teal.", None)


def test_a_compaction_is_archived_and_told_once(day: Day) -> None:
    kept = day.observation("Compaction recovery summary")
    notice = "[memdock] This conversation was compacted, and its summary is saved in the memory of harbor."

    assert (kept["topic_key"], kept["revision_count"]) == ("session/compaction-recovery", 1)
    assert [asked.messages.count(notice) for asked in day.first] == [0] * (len(day.first) - 1) + [1]


def test_every_turn_is_told_to_all_plugins_and_captured_once(day: Day) -> None:
    one, two = day.loops

    assert one.flushed and two.flushed
    assert (one.updates, two.updates) == (
        [["session/turn-end", "done"]] * 8,
        [["session/turn-end", "done"]] * 3,
    )
    assert day.journal.count("session:one ") == 8


def test_what_the_model_hands_over_is_found_in_the_next_turn(day: Day) -> None:
    kept, found = (json.loads(asked.result()) for asked in (day.second[2], day.second[4]))

    loop = day.loops[1]
    outcomes = {one["pluginId"]: one for one in kept}
    assert outcomes["observations"]["value"]["items"][0]["outcome"] == "inserted"
    assert all(one["ok"] for one in kept + found), [kept, found]
    answers = {one["pluginId"]: one["value"] for one in found}
    assert any("granite" in json.dumps(item) for item in answers["observations"]["items"])
    if "artifacts" in loop.plugins:
        digest = f"sha256:{hashlib.sha256(PLAN.encode()).hexdigest()}"
        assert loop.artifacts == [["plans/quay.md", "reference", digest]]
        [receipt] = outcomes["artifacts"]["value"]["artifacts"]
        assert receipt["source"] == {"kind": "workspace-file", "id": "plans/quay.md"}


EVERY_POINT = dict.fromkeys(
    [f"retrieve__{name}" for name in SWITCHES["retrieve"]] + [f"store__{name}" for name in SWITCHES["store"]], True
)
REMEMBERED = "### 09:12\n<!-- session:earlier turn:1 db: -->\n- The colour of the quay: teal, and nothing else\n\n"


@dataclass(frozen=True, slots=True)
class Return:
    """What came of a session whose first turn MemDock was away for, with every point of the loop switched on."""

    first: list[str]
    journal_before: list[tuple[str, str]]
    second: list[str]
    journal: list[tuple[str, str]]
    saved: list[Any]
    asked: list[Asked]
    loop: Loop


@pytest.fixture(scope="module")
def returned(tmp_path_factory: pytest.TempPathFactory) -> Return:
    with harnessed(tmp_path_factory.mktemp("away")) as dsh:
        dsh.configure(recall__form="json", **EVERY_POINT)
        first, before = dsh.turns(FIRST, session="one"), dsh.journal()
        dsh.remember(REMEMBERED)
        with dsh.up():
            second = dsh.turns(SAVE, resume="one")
            wait_until(lambda: len(dsh.journal()) == 3)
            saved = dsh.exported()["observations"]
            return Return(first, before, second, dsh.journal(), saved, dsh.asked("one"), dsh.loop("one"))


def test_while_memdock_is_away_the_turn_goes_on_and_comes_later(returned: Return) -> None:
    assert (returned.first, returned.journal_before) == (["It trims trailing blanks in trim_rows."], [])
    assert returned.second == ["Kept."]
    assert sorted(returned.journal) == [("earlier", "1"), ("one", "1"), ("one", "2")]
    assert [row["session_id"] for row in returned.saved] == ["one"]


def test_with_every_point_switched_on_the_loop_is_told_in_order(returned: Return) -> None:
    assert returned.loop.flushed
    points = [point for point, state in returned.loop.updates if state == "done"]
    assert points == ["agent/created", "tools/result", "session/turn-end", "session/turn-end", "agent/disposed"]


def test_what_plugins_know_enters_a_turn_as_one_document(returned: Return) -> None:
    told = [text for text in returned.asked[-1].texts() if "patchouli-memory-results" in text]

    [document] = (json.loads(text) for text in told if '"agent/pre-step"' in text)
    assert document["kind"] == "patchouli-memory-results"
    [journal] = (one["data"] for one in document["results"] if one["pluginId"] == "journal")
    assert any("teal" in json.dumps(item) for item in journal["items"])
    assert "Memory available" not in returned.asked[-1].messages
