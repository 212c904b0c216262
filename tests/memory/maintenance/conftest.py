"""A project with journals, a home without configuration, and a model."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest

from memory.models import Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.maintenance.models import Model, serving
from tests.memory.maintenance.scenes import DAY, settle, switch_on


@pytest.fixture(autouse=True)
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A home in which nobody configured anything."""
    place = tmp_path / "home"
    (place / ".memsearch").mkdir(parents=True)
    monkeypatch.setenv("HOME", str(place))
    return place


@pytest.fixture
def harbor(db: None, tree: Path) -> Project:
    """A project with one journal."""
    return make_project(make_tree(tree, {DAY: make_entry_text(body="- Decided to use leases")}))


@pytest.fixture
def model(db: None) -> Iterator[Model]:
    """The configured provider of all tasks, switched on for dsh."""
    with serving() as served:
        switch_on(served.url)
        yield served


@pytest.fixture
def programs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in front of everything else on PATH."""
    folder = tmp_path / "bin"
    folder.mkdir()
    monkeypatch.setenv("PATH", f"{folder}:{os.environ['PATH']}")
    settle("plugins.claude-code.project_review.enabled", True)
    return folder
