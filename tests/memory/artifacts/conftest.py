"""Fixtures of the tests of artifacts."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from memory.plugins.desk import desk
from memory.service.desk import books


@pytest.fixture(autouse=True)
def data(tmp_path: Path, settings: Any) -> Path:
    """A data directory of the test's own."""
    settings.DATA_DIR = tmp_path / "data"
    settings.DATA_DIR.mkdir(mode=0o700)
    return tmp_path / "data"


@pytest.fixture
def work(tmp_path: Path) -> Path:
    """A workspace of no project."""
    root = tmp_path / "work"
    root.mkdir()
    return root


@pytest.fixture(autouse=True)
def _rested() -> Iterator[None]:
    """Leave no connection of the service's threads behind."""
    yield
    books.rest()
    desk.rest()
