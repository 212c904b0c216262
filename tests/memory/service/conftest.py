"""Fixtures of the service's tests."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from memory.plugins.desk import desk
from memory.service.desk import books


@pytest.fixture(autouse=True)
def _rested() -> Iterator[None]:
    """Leave no connection of the service's threads behind."""
    yield
    books.rest()
    desk.rest()
