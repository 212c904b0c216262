"""What an agent does with the tools in a working day, whichever way it reaches them."""

from __future__ import annotations

from typing import Any

import anyio

from memory.mcp.registry import TOOLS
from tests.mcp.clients import Agent

EVERY = frozenset(TOOLS)


async def call_every_tool(agent: Agent) -> None:
    """Call each tool once or more, for the project that the client was started for or finds."""
    assert await agent.names() == EVERY
    assert (await agent.read("mem_current_project"))["project"] == "harbor"
    first = await agent.read("mem_save", title="Leases live in SQLite", content="One.", type="decision")
    second = await agent.read("mem_save", title="Leases live in Redis", content="Two.", type="decision")
    one, two = first["id"], second["id"]
    await _look(agent, one)
    await _judge(agent, one, two, second["judgment_id"])
    await _change(agent, one, two)
    await _work(agent)
    stats = await agent.read("mem_stats")
    assert stats["result"].endswith("- Prompts: 1\n- Projects: harbor")


async def _look(agent: Agent, one: int) -> None:
    assert len((await agent.read("mem_search", query="leases"))["results"]) == 2
    assert "Leases live in Redis" in (await agent.read("mem_context"))["result"]
    assert (
        f">>> #{one} [decision] Leases live in SQLite <<<"
        in (await agent.read("mem_timeline", observation_id=one))["result"]
    )
    assert (await agent.read("mem_get_observation", id=one))["result"].startswith(f"#{one} [decision]")
    assert (await agent.read("mem_list_projects"))["count"] == 1
    assert (await agent.read("mem_doctor"))["summary"]["errors"] == 0
    assert await agent.use("mem_suggest_topic_key", title="Leases") == "Suggested topic_key: topic/leases"
    hits = (await agent.read("memory_retrieve", query="leases"))["results"]
    assert {hit["kind"] for hit in hits} == {"observation"}
    assert "Leases" in (await agent.read("memory_expand", ref=hits[0]["ref"]))["section"]
    assert await agent.refused("memory_transcript", ref="entry:1") == "There is no such entry."


async def _judge(agent: Agent, one: int, two: int, judgment: str) -> None:
    told = await agent.read("mem_judge", judgment_id=judgment, relation="supersedes")
    assert told["relation"]["judgment_status"] == "judged"
    given = {"memory_id_a": two, "memory_id_b": one, "relation": "supersedes", "reasoning": "Newer."}
    assert (await agent.read("mem_compare", confidence=0.9, **given))["sync_id"] == judgment


async def _change(agent: Agent, one: int, two: int) -> None:
    assert (await agent.read("mem_pin", id=two))["pinned"] is True
    assert (await agent.read("mem_unpin", id=two))["pinned"] is False
    await agent.read("mem_update", id=two, content="Two, since May.")
    assert (await agent.read("mem_review", action="list"))["observations"] == []
    assert await agent.use("mem_delete", id=one) == f"Memory #{one} soft-deleted"
    assert await agent.refused("mem_get_observation", id=one) == f"Observation #{one} not found"


async def _work(agent: Agent) -> None:
    await agent.read("mem_session_start", id="s1")
    await agent.read("mem_save_prompt", content="Move the leases", session_id="s1")
    learned = "## Key Learnings:\n- Renewing a lease is cheap enough\n"
    assert "saved=1" in (await agent.read("mem_capture_passive", content=learned, session_id="s1"))["result"]
    await agent.read("mem_session_summary", content="## Goal\nMove the leases", session_id="s1")
    await agent.read("mem_session_end", id="s1", summary="Moved")
    merged = await agent.use("mem_merge_projects", **{"from": "harbour", "to": "harbor"})
    assert merged.startswith('No records moved into "harbor".')


async def save_at_once(agent: Agent) -> None:
    """Save and read many things at the same time."""
    ids: list[int] = []

    async def save(number: int) -> None:
        told = await agent.read(
            "mem_save", title=f"Fact {number}", content=f"It is {number}.", topic_key=f"fact/{number}"
        )
        ids.append(told["id"])
        assert f"#{told['id']} " in (await agent.read("mem_get_observation", id=told["id"]))["result"]

    async with anyio.create_task_group() as tasks:
        for number in range(20):
            tasks.start_soon(save, number)
    assert len(set(ids)) == 20


async def send_nonsense(agent: Agent) -> None:
    """Send what no tool takes, then use one."""
    assert await agent.refused("mem_burn") == "Unknown tool: mem_burn"
    odd: list[Any] = [5, None, [], {"a": 1}, "a\0b", "x" * 1_000_000]
    for title in odd:
        await agent.refused("mem_save", title=title, content="x")
    assert (await agent.read("mem_save", title="Long", content="x" * 1_000_000))["truncation"]["truncated"] is True
    assert (await agent.read("mem_search", query="long"))["results"]
