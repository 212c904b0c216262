"""Fixtures of the plugins' tests."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.models import Project
from memory.plugins.desk import desk
from memory.service.desk import books
from tests.makers import make_entry_text, make_project, make_tree

DAY = "2026-02-03"
BODY = "- The tide gauge reports in millimetres, and the importer took them for centimetres"


@pytest.fixture(autouse=True)
def _rested() -> Iterator[None]:
    """Leave no connection of the service's threads behind."""
    yield
    books.rest()
    desk.rest()


@pytest.fixture
def harbor(transactional_db: None, tree: Path) -> Project:
    """A project with one entry about a tide gauge."""
    return make_project(make_tree(tree, {DAY: make_entry_text(body=BODY)}))
