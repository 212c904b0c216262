"""Fixtures that every test may use."""

from __future__ import annotations

from pathlib import Path

import pytest
from django.contrib.auth.models import User
from django.test import Client

from memory.models import Project
from tests.makers import make_project
from tests.places import FIXTURES


@pytest.fixture
def sample(db: None) -> Project:
    """The ready-made project harbor-api, read."""
    return make_project(FIXTURES / "sample" / "harbor-api")


@pytest.fixture
def owner(db: None) -> User:
    """The person who runs MemDock."""
    return User.objects.create_superuser("mira")


@pytest.fixture
def guest(db: None) -> User:
    """A colleague who may read."""
    return User.objects.create_user("noor")


@pytest.fixture
def browser(client: Client, owner: User) -> Client:
    """A browser in which the owner is signed in."""
    client.force_login(owner)
    return client


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A directory for a project."""
    root = tmp_path / "harbor"
    root.mkdir()
    return root
