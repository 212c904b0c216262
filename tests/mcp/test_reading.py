from __future__ import annotations

import pytest
from django.utils import timezone

from memory.engram import sessions
from memory.mcp.caller import Caller
from memory.models import Observation
from tests.mcp.callers import make_caller, read, refused, said, use
from tests.memory.engram.makers import make_observation, make_prompt, make_session


def _local(row: Observation) -> str:
    return timezone.localtime(row.created_at).strftime("%Y-%m-%d %H:%M:%S")


def test_shows_a_memory_whole(agent: Caller) -> None:
    row = make_observation(type="decision", content="Line one\nline two", topic_key="a/b", tool_name="bash")

    assert said(agent, "mem_get_observation", id=row.pk) == (
        f"#{row.pk} [decision] Leases are kept in Redis\nLine one\nline two\nSession: s1\nProject: harbor\n"
        f"Scope: project\nTopic: a/b\nTool: bash\nDuplicates: 1\nRevisions: 1\nCreated: {_local(row)}"
    )
    assert refused(agent, "mem_get_observation", id=row.pk + 1) == f"Observation #{row.pk + 1} not found"
    use(agent, "mem_delete", id=row.pk)
    assert refused(agent, "mem_get_observation", id=row.pk) == f"Observation #{row.pk} not found"


def test_shows_what_surrounds_a_memory(agent: Caller) -> None:
    one, two, three = (make_observation(f"Step {name}", content=name * 200) for name in ("a", "b", "c"))
    sessions.end(id="s1", summary="z" * 120, at=timezone.now())

    lines = said(agent, "mem_timeline", observation_id=two.pk).split("\n")

    started = timezone.localtime(two.session.started_at).strftime("%Y-%m-%d %H:%M:%S")
    assert lines == [
        f"Session: harbor ({started}) — {'z' * 100}...",
        "Total observations in session: 3",
        "",
        "─── Before ───",
        f"  #{one.pk} [manual] Step a — {'a' * 150}...",
        "",
        f">>> #{two.pk} [manual] Step b <<<",
        f"    {'b' * 200}",
        f"    {_local(two)}",
        "",
        "─── After ───",
        f"  #{three.pk} [manual] Step c — {'c' * 150}...",
        "",
    ]
    assert refused(agent, "mem_timeline", observation_id=0) == "Timeline error: observation not found"
    make_session("t1", project="tide")
    assert refused(agent, "mem_timeline", observation_id=two.pk, project="tide") == (
        "Timeline error: observation not found in resolved project"
    )


def test_counts(agent: Caller) -> None:
    assert said(agent, "mem_stats") == (
        "Memory System Stats:\n- Sessions: 0\n- Observations: 0\n- Prompts: 0\n- Projects: none yet"
    )
    make_observation()
    make_prompt()
    make_session("t1", project="tide")
    make_observation("Tides", session_id="t1")
    assert said(agent, "mem_stats") == (
        "Memory System Stats:\n- Sessions: 2\n- Observations: 2\n- Prompts: 1\n- Projects: tide, harbor"
    )


def test_tells_the_context_and_how_much_there_is(agent: Caller) -> None:
    assert said(agent, "mem_context") == "No previous session memories found."
    row = make_observation()

    text = said(agent, "mem_context")

    assert text.startswith("## Memory from Previous Sessions\n\n### Recent Sessions\n- **harbor** (")
    assert text.endswith(
        f"- [manual] **{row.title}**: {row.content}\n\n\n---\n"
        "Memory stats: 1 sessions, 1 observations across projects: harbor"
    )
    assert row.content not in said(agent, "mem_context", compact=True)


def test_names_eight_projects_at_most(agent: Caller) -> None:
    for number in range(10):
        make_session(f"p{number}", project=f"p{number}")
        make_observation(session_id=f"p{number}")

    assert said(make_caller(project="p1"), "mem_context").endswith("p9, p8, p7, p6, p5, p4, p3, p2, +2 more")


@pytest.mark.parametrize("limit", [1, 12, 13, 100, 4_000])
def test_keeps_the_whole_context_within_its_bytes(agent: Caller, limit: int) -> None:
    for number in range(20):
        make_observation(f"Größe {number}", content="ä" * 400)

    text = said(agent, "mem_context", max_bytes=limit)

    assert 0 < len(text.encode()) <= limit
    assert len(said(agent, "mem_context", max_bytes=-1).encode()) <= 16_384


def test_tells_the_checks(agent: Caller) -> None:
    report = read(agent, "mem_doctor")
    assert (report["status"], report["summary"]["total"]) == ("ok", 7)
    assert '"status":"error"' in refused(agent, "mem_doctor", check="no_such_check")


def test_suggests_a_topic(agent: Caller) -> None:
    given = {"type": "architecture", "title": "Auth model"}
    assert use(agent, "mem_suggest_topic_key", **given) == "Suggested topic_key: architecture/auth-model"
    assert refused(agent, "mem_suggest_topic_key") == "provide title or content to suggest a topic_key"
