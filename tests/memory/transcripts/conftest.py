"""Homes that are made once and only read."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from tests.memory.transcripts.homes import Home, make
from tests.places import FIXTURES

VARIANTS: dict[str, tuple[str, ...]] = {
    "plain": (),
    "east": ("--utc-offset", "480"),
    "west": ("--utc-offset", "-600"),
    "other-home": ("--anchor-home", "/home/dev"),
    "windows": ("--anchor-home", r"C:\Users\dev one"),
    "compressed": ("--compress",),
    "running": ("--live-wal",),
}


@pytest.fixture(scope="session", params=VARIANTS)
def any_home(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Home:
    """Each of the homes in turn."""
    return _made(tmp_path_factory, request.param)


@pytest.fixture(scope="session")
def home(tmp_path_factory: pytest.TempPathFactory) -> Home:
    """A home whose journals name its files where they are."""
    return _made(tmp_path_factory, "plain")


@pytest.fixture
def own_home(home: Home, tmp_path: Path) -> Home:
    """A copy of it that a test may change."""
    shutil.copytree(home.folder, tmp_path / "own")
    return Home(tmp_path / "own", home.truth)


def _made(factory: pytest.TempPathFactory, variant: str) -> Home:
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    return make(factory.mktemp(variant) / "out", *VARIANTS[variant])
