"""Homes of five agents, and a project that takes in what they hold."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import UTC, timedelta
from pathlib import Path

import pytest
from django.utils import timezone

from memory.models import Project
from tests.makers import make_project, make_tree
from tests.memory.transcripts.conftest import VARIANTS
from tests.memory.transcripts.homes import Home, make
from tests.places import FIXTURES


@pytest.fixture(scope="session", params=VARIANTS)
def any_home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Each of the homes in turn."""
    return _made(tmp_path_factory, request.param)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    return _made(tmp_path_factory, "plain")


@pytest.fixture(autouse=True)
def greenwich() -> Iterator[None]:
    """A machine whose clock shows UTC."""
    with timezone.override(UTC):
        yield


@pytest.fixture
def there(any_home: Home) -> Iterator[None]:
    """The clock of the machine on which the journals of a home were written."""
    offset = timedelta(minutes=any_home.truth["utc_offset_minutes"])
    with timezone.override(timezone.get_fixed_timezone(offset)):
        yield


@pytest.fixture
def harbor(db: None, tmp_path: Path) -> Project:
    """A project without journals, under the name that the homes' project has."""
    return make_project(make_tree(tmp_path / "harbor-api"), name="harbor-api")


def _made(factory: pytest.TempPathFactory, variant: str) -> Home:
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    return make(factory.mktemp(variant) / "out", *VARIANTS[variant])
