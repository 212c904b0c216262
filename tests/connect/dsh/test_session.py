"""A session of DSH's plugin against a real MemDock: what is kept, told, and never leaves the process."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from django.utils import timezone

from memory.audit import COMMAND
from memory.capture import inbox
from memory.models import Capture, Injection, Observation, Prompt
from tests.connect.dsh.conftest import Dsh
from tests.connect.dsh.plugin import NODE, asked, save, summary
from tests.makers import make_project

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not NODE, reason="no Node on this machine"),
]

PRIVATE = [
    "kept <private>secret</private> kept",
    "kept <PRIVATE note='x'>secret\nsecret</Private>",
    "kept <private>a <private>secret</private> secret</private>",
    "kept <private>secret to the end",
    "kept <private<private>secret</private></private>",
    "</private> kept <private>secret</private>",
]


def test_private_blocks_reach_no_request(dsh: Dsh) -> None:
    steps = [
        step
        for text in PRIVATE
        for step in (
            save(text, text, topic_key=text),
            ["tool", "mem_search", {"query": text}],
            ["tool", "mem_suggest_topic_key", {"title": text}],
            asked(f"{text} and a long prompt"),
            ["result", "web_fetch", f"## Key Learnings\n\n1. The berth table has to be locked {text}\n"],
            summary(text, ident=text),
            ["step", 1, [text]],
        )
    ]

    came = dsh(*steps, ["settle"])

    rows = [*Observation.objects.values(), *Prompt.objects.values(), *Injection.objects.values(), *came.steps]
    assert "secret" not in json.dumps(rows, default=str)
    assert Prompt.objects.count() == Injection.objects.count() == len(PRIVATE)
    assert Observation.objects.filter(type="passive").exists()


def test_a_private_block_is_known_before_a_long_text_is_cut(dsh: Dsh) -> None:
    long = f"{'before ' * 4000}<private>{'secret ' * 4000}</private>{'after ' * 1000}"

    dsh(
        ["event", "turn/start", {"turn": 1}],
        asked(long),
        ["event", "turn/end", {"turn": 1, "reason": {"kind": "completed"}}],
        ["flush"],
    )

    taken = Capture.objects.get()
    assert "secret" not in taken.question + taken.rendered
    assert taken.question.endswith("after")


def test_prompts_are_kept_as_engram_keeps_them(dsh: Dsh) -> None:
    dsh(asked("short one"), asked("é" * 1999 + "🌊 and more"), asked("A question of another agent", "s2"), ["settle"])

    kept = {row.session.key: row.content for row in Prompt.objects.select_related("session")}
    assert kept == {"s1": "é" * 1999 + "\ufffd", "s2": "A question of another agent"}


def test_learnings_in_answers_of_other_tools_are_kept(dsh: Dsh) -> None:
    text = "# Report\n\n## Key Learnings:\n\n- The tide table lags by one whole hour\n"

    dsh(["result", "web_fetch", text], ["result", "mem_get_observation", text.replace("tide", "berth")], ["settle"])

    row = Observation.objects.get()
    assert (row.type, row.tool_name) == ("passive", "web_fetch")


def test_a_compaction_is_archived_and_told_once(root: Path, dsh: Dsh) -> None:
    came = dsh(
        summary("We were fixing the importer."),
        ["step", 3, []],
        ["step", 1, ["And what is next in the importer?"]],
        ["event", "turn/start", {"turn": 1}],
        ["event", "turn/end", {"turn": 1, "reason": {"kind": "completed"}}],
        ["flush"],
        ["step", 1, ["And what is next in the importer?"]],
    )

    (told,), later, *_, last = came.steps[1:]
    assert told.startswith(
        "[memdock] This conversation was compacted, and its summary is saved in the memory of harbor"
    )
    row = Observation.objects.get()
    assert (row.topic_key, row.type, row.revision_count) == ("session/compaction-recovery", "session_summary", 1)
    assert (later, last, row.content) == ([], [], "We were fixing the importer.")


def test_without_its_own_archive_the_server_keeps_and_tells(dsh: Dsh) -> None:
    came = dsh(
        summary("We were fixing the importer."),
        ["flush"],
        ["step", 1, ["And what is next in the importer?"]],
        ["step", 1, ["And what is next in the importer?"]],
        config={"compaction": False},
    )

    (told,), again = came.steps[2:]
    assert told.startswith("[memdock] This conversation was compacted, and its summary is saved: do not save it again.")
    assert (again, Observation.objects.get().content) == ([], "We were fixing the importer.")


def test_a_message_of_a_person_is_read_in_the_first_turn_and_once(root: Path, dsh: Dsh) -> None:
    project = make_project(root)
    message = inbox.queue(project=project, text="Review a skill.", actor=COMMAND, at=timezone.now())

    came = dsh(["step", 1, ["Fix the importer please"]], ["settle"], ["later", 0], ["step", 1, ["And the tide table?"]])

    assert came.steps[0] == [f"[memdock message {message.pk}] Review a skill."]
    assert came.steps[-1] == []


def test_the_skill_names_the_project_of_the_session_that_loads_it(root: Path, dsh: Dsh) -> None:
    here, nowhere = dsh(["skill", str(root)], ["skill", ""]).steps

    assert "memdock search" in here["content"] and "memdock transcript" in here["content"]
    assert here["content"].endswith(f"\nThis session's project is `harbor`, its directory `{root}`.\n")
    assert "`harbor`" not in nowhere["content"]
