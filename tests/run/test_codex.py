"""A real Codex, connected as its user would do it: MemDock captures its turns, and tells it what it knows."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.real_agents import ANSWER, RealAgent, connected, program

# Trust is the user's to give, in Codex itself; a script says for one run that it needs none.
EXEC = ("codex", "exec", "--skip-git-repo-check", "--dangerously-bypass-hook-trust")


@pytest.fixture
def codex(tmp_path: Path) -> Iterator[RealAgent]:
    with connected("codex", program("codex"), tmp_path, STUB_KEY="sk-stub") as agent:
        config = agent.home / ".codex" / "config.toml"
        provider = f'name = "stub"\nbase_url = "{agent.model.url}/v1"\nwire_api = "responses"\nenv_key = "STUB_KEY"\n'
        config.write_text(
            f'model = "stub"\nmodel_provider = "stub"\n\n[model_providers.stub]\n{provider}\n{config.read_text()}'
        )
        yield agent


def test_what_one_turn_found_out_is_told_in_the_next(codex: RealAgent) -> None:
    assert ANSWER in codex.run(*EXEC, "Why does the lease manager listen on two ports?")

    text = codex.captured(turns=1)
    assert f" rollout:{codex.home}/.codex/sessions/" in text
    assert f"- User asked: Why does the lease manager listen on two ports?\n- Answer: {ANSWER}\n" in text
    [hit] = [hit for hit in codex.found("lease manager ports") if hit["kind"] == "entry"]
    assert (hit["project"], hit["platform"]) == ("harbor", "codex")

    codex.run(*EXEC, "On which port does the lease manager do its health checks?")

    assert codex.model.was_told(f"[{hit['ref']}]")
    assert "Memory available" not in codex.captured(turns=2)  # what was told is no news
