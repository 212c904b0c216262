"""A real Claude Code, connected as its user would do it: MemDock captures its turns, and tells it what it knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.real_agents import ANSWER, RealAgent, connected, program


@pytest.fixture
def claude(tmp_path: Path) -> Iterator[RealAgent]:
    offline = {
        "ANTHROPIC_BASE_URL": "{model}",
        "ANTHROPIC_API_KEY": "sk-stub",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
        "DISABLE_AUTOUPDATER": "1",
    }
    with connected("claude-code", program("claude"), tmp_path, **offline) as agent:
        yield agent


def test_what_one_turn_found_out_is_told_in_the_next(claude: RealAgent) -> None:
    assert ANSWER in claude.run("claude", "-p", "Why does the lease manager listen on two ports?")

    text = claude.captured(turns=1)
    transcripts = claude.home / ".claude" / "projects"
    assert f" transcript:{transcripts}/" in text
    assert f"- User asked: Why does the lease manager listen on two ports?\n- Answer: {ANSWER}\n" in text
    [hit] = [hit for hit in claude.found("lease manager ports") if hit["kind"] == "entry"]
    assert (hit["project"], hit["platform"]) == ("harbor", "claude-code")
    assert not claude.model.was_told("<memdock-context>")

    claude.run("claude", "-p", "On which port does the lease manager do its health checks?")

    assert claude.model.was_told(f"[{hit['ref']}]")
    assert claude.model.was_told("<memdock-context>\n[memsearch] Memory available.")
    assert "Memory available" not in claude.captured(turns=2)  # what was told is no news
