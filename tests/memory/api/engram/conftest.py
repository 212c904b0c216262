"""An agent, and one with a session."""

from __future__ import annotations

import pytest

from tests.memory.api.engram.agents import Agent


@pytest.fixture
def agent(db: None) -> Agent:
    return Agent()


@pytest.fixture
def harbor(agent: Agent) -> Agent:
    """An agent whose session s1 of the project harbor is registered."""
    agent.begin()
    return agent
