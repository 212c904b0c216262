"""An agent with hooks, and the server that they find."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.run.hook_agent import Agent
from tests.run.hook_server import HookServer, serving
from tests.servers import free_port


@pytest.fixture
def agent(tmp_path: Path) -> Agent:
    """Return an agent whose MemDock is away."""
    (tmp_path / "harbor").mkdir()
    away = {"MEMDOCK_URL": f"http://127.0.0.1:{free_port()}"}
    return Agent(tmp_path / "harbor", tmp_path / "data", away)


@pytest.fixture
def hook_server(agent: Agent) -> Iterator[HookServer]:
    """Return the server that the agent's hooks find."""
    with serving() as server:
        agent.environment |= {"MEMDOCK_URL": server.url, "MEMDOCK_HOOK_WAIT": "20"}  # no machine is too busy for that
        agent.data.mkdir(mode=0o700)
        (agent.data / "hook-token").write_text("mdk_w_token\n")
        yield server
