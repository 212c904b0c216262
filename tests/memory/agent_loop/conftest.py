"""Fixtures of the agent loop's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.agent_loop import delivery
from memory.models import Project
from memory.plugins.desk import desk
from memory.service.desk import books
from tests.makers import make_project, make_tree
from tests.memory.agent_loop.seen import CWD, aside
from tests.memory.configuration.conftest import home

__all__ = ["home"]  # a fixture, used by name


@pytest.fixture(autouse=True)
def _rested() -> Iterator[None]:
    """Leave no connection of other threads behind."""
    yield
    for one in (books, desk, delivery.desk, aside):
        one.rest()


@pytest.fixture
def harbor(transactional_db: None) -> Project:
    """The project of the loop's working directory."""
    project = make_project(make_tree(CWD))
    assert project.root == str(CWD)
    return project
