from __future__ import annotations

from datetime import timedelta

import pytest
from django.utils.timezone import now

from memory.mcp import warnings
from memory.mcp.caller import Caller
from memory.models import Observation, Project, Prompt, Session
from tests.mcp.callers import make_caller, read, refused, refused_as, said, use
from tests.memory.engram.makers import make_observation, make_session


def test_says_what_was_saved(agent: Caller) -> None:
    told = read(agent, "mem_save", title="Leases live in Redis", content="As **decided**.", type="decision")

    row = Observation.objects.get()
    assert told == {
        "project": "harbor",
        "project_source": "process_override",
        "project_path": "",
        "result": 'Memory saved: "Leases live in Redis" (decision)\nSuggested topic_key: decision/leases-live-in-redis',
        "id": row.pk,
        "sync_id": row.sync_id,
        "state": "active",
        "review_after": told["review_after"],
        "truncation": {"original_bytes": 15, "limit_bytes": 50_000, "truncated": False},
        "judgment_required": False,
    }
    assert (row.session.key, row.project.name, row.scope) == ("manual-save-harbor", "harbor", "project")
    assert row.review_after and row.review_after > now() + timedelta(days=170)


def test_takes_the_older_name_of_the_content(agent: Caller) -> None:
    assert said(agent, "mem_save", title="A", observation="The words", topic_key="a/b") == 'Memory saved: "A" (manual)'
    assert Observation.objects.get().content == "The words"


def test_brings_the_candidates_to_judge(agent: Caller) -> None:
    first = read(agent, "mem_save", title="Leases live in SQLite", content="One.", topic_key="store/leases")

    told = read(agent, "mem_save", title="Leases live in Redis", content="Two.", topic_key="leases/redis")

    assert told["result"].endswith("\nCONFLICT REVIEW PENDING — 1 candidate(s); use mem_judge to record verdicts.")
    assert (told["judgment_required"], told["judgment_status"]) == (True, "pending")
    (candidate,) = told["candidates"]
    assert candidate["judgment_id"] == told["judgment_id"]
    assert (candidate["id"], candidate["sync_id"], candidate["title"]) == (
        first["id"], first["sync_id"], "Leases live in SQLite",
    )  # fmt: skip
    assert candidate["topic_key"] == "store/leases"


def test_tells_what_was_cut_off(agent: Caller) -> None:
    told = read(agent, "mem_save", title="Long", content="ä" * 30_000, topic_key="x/y")

    assert told["truncation"] == {"original_bytes": 60_000, "limit_bytes": 50_000, "truncated": True}
    assert told["result"].endswith(
        "\n⚠ WARNING: Content was truncated from 60000 to 50000 bytes. Consider splitting into smaller observations."
    )


def test_repeats_nothing_private(agent: Caller) -> None:
    text = use(agent, "mem_save", title="Key <private>k-123</private>", content="<private>k-123</private> kept")

    assert "k-123" not in text
    assert Observation.objects.get().content == "[REDACTED] kept"


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (
            {"title": "A"},
            "content is required for mem_save (use content, or observation for backward-compatible clients)",
        ),
        ({"title": " ", "content": "B"}, "Failed to save: observation title is required"),
        ({"content": "B"}, "title is required"),
    ],
)
def test_what_is_refused_leaves_nothing_behind(agent: Caller, given: dict[str, str], message: str) -> None:
    assert refused(agent, "mem_save", **given) == message
    assert not Session.objects.exists()
    assert not Project.objects.exists()


def test_suggests_the_project_that_was_probably_meant(agent: Caller) -> None:
    make_observation()
    typo = make_caller(project="harbour")

    assert said(typo, "mem_save", title="A", content="B", topic_key="a/b") == (
        'Memory saved: "A" (manual)\n⚠️ Project "harbour" has no memories. Similar project found: "harbor" (1 memories). '
        "Consider using that name instead."
    )
    assert "⚠️" not in said(typo, "mem_save", title="C", content="D")
    assert "⚠️" not in said(agent, "mem_save", title="E", content="F")


@pytest.mark.parametrize(
    "content",
    ["See /home/mira/harbor/main.py", r"in C:\Users\mira\notes.txt", r"\\share\team\x", "(/tmp/x)", "/Users/m/x is it"],
)
def test_warns_of_places_of_one_machine(content: str) -> None:
    assert warnings.absolute_path(content).startswith("\n⚠ WARNING: Content contains an absolute filesystem path")


@pytest.mark.parametrize(
    "content",
    ["src/home/main.py", "GET /api/v1/users", "https://x.example/home/mira/x", "and/or", "1/2 / 3", "~/home/x", "a:/b"],
)
def test_does_not_warn_of_routes_and_addresses(content: str) -> None:
    assert (warnings.absolute_path(content) == "") == (content != "a:/b")


def test_saves_a_summary_with_the_activity(agent: Caller) -> None:
    read(agent, "mem_context")
    told = read(agent, "mem_session_summary", content="## Goal\nMove the leases")

    row = Observation.objects.get()
    assert told["result"] == 'Session summary saved for project "harbor"\nSession activity: 1 tool call, 1 save'
    assert (told["judgment_required"], told["id"], told["state"]) == (False, row.pk, "active")
    assert (row.type, row.title) == ("session_summary", "Session summary: harbor")
    assert refused(agent, "mem_session_summary", content=" ").endswith("observation content is required")


def test_saves_a_request(agent: Caller) -> None:
    told = read(agent, "mem_save_prompt", content='Where are the "leases"?' + "?" * 100)

    assert told["result"] == 'Prompt saved: "Where are the \\"leases\\"?' + "?" * 57 + '..."'
    assert told["truncation"]["truncated"] is False
    assert Prompt.objects.get().session.key == "manual-save-harbor"


def test_captures_learnings_once(agent: Caller) -> None:
    text = "## Key Learnings:\n\n1. A lease is kept for thirty minutes\n2. Renewals are cheap, so do them often\n"

    assert said(agent, "mem_capture_passive", content=text) == (
        "Passive capture complete: extracted=2 saved=2 duplicates=0"
    )
    assert said(agent, "mem_capture_passive", content=text, source="x") == (
        "Passive capture complete: extracted=2 saved=0 duplicates=2"
    )
    assert set(Observation.objects.values_list("tool_name", flat=True)) == {"mcp-passive"}
    assert refused(agent, "mem_capture_passive", content="").startswith("content is required — ")


def test_writes_to_the_one_session_that_lives_in_the_directory(agent: Caller) -> None:
    make_session("s1")
    use(agent, "mem_save", title="A", content="B")
    assert Observation.objects.get().session.key == "s1"

    make_session("s2")
    message = refused(agent, "mem_save", title="C", content="D")
    assert message.startswith("Failed to save: multiple active runtime sessions match")
    assert message.endswith("s1, s2")

    use(agent, "mem_save", title="C", content="D", session_id="s2")
    assert Observation.objects.filter(session__key="s2").count() == 1


def test_a_session_brings_its_project(agent: Caller) -> None:
    make_session("s9", project="tide")

    told = read(agent, "mem_save", title="A", content="B", session_id="s9")

    assert (told["project"], told["project_source"]) == ("tide", "session")
    body = refused_as(
        agent, "session_project_mismatch", "mem_save", title="A", content="B", session_id="s9", project="x"
    )
    assert body["message"] == 'Session "s9" belongs to project "tide", but request targeted "x"'


def test_an_unknown_session_is_told_how_to_go_on(agent: Caller) -> None:
    body = refused_as(agent, "unknown_session", "mem_save", title="A", content="B", session_id="nope")

    assert (body["invalid_session_id"], body["retry_without_session_id"]) == ("nope", True)
    assert not Session.objects.exists()
