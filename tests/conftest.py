"""Fixtures that every test may use."""

from __future__ import annotations

import os
import shutil
from collections.abc import Generator, Iterator
from importlib.util import find_spec
from pathlib import Path
from unittest import mock

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.test.utils import override_settings

from memory.models import Project
from memory.plugins.desk import desk
from memory.service import watch
from memory.service.desk import books
from tests.places import FIXTURES
from tests.samples import make_sample


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    """Say in one line each what this run left out."""
    for line in _left_out():
        terminalreporter.write_line(line)


def _left_out() -> Iterator[str]:
    if not find_spec("playwright"):
        yield "Left out: the browser (uv run --group browser pytest)."
    elif not (shutil.which("chromium") or shutil.which("chromium-browser")):
        yield "Left out: the browser (no chromium on this machine)."
    if not os.environ.get("MEMDOCK_DATABASE_URL", "").startswith("postgres"):
        yield "Left out: PostgreSQL (MEMDOCK_DATABASE_URL=postgres://… uv run --group postgres pytest)."
    if not (find_spec("channels_redis") and shutil.which("redis-server")):
        yield "Left out: Redis (uv run --group redis pytest, with a redis-server on this machine)."
    if not (find_spec("pymilvus") and find_spec("memsearch")):
        yield "Left out: Milvus and MemSearch (uv run --group milvus pytest)."
    for name, agent in (("claude", "Claude Code"), ("codex", "Codex")):
        variable = f"MEMDOCK_TEST_{name.upper()}"
        if not (os.environ.get(variable) or shutil.which(name)):
            yield f"Left out: a real {agent} (no `{name}` on PATH; {variable} names one)."
    if not FIXTURES.is_dir():
        yield f"Left out: trees with known truth (no generators at {FIXTURES}; MEMDOCK_TEST_FIXTURES names them)."


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_auto_num_workers() -> int:
    """Let `-n auto` start one process more than there are processors: many tests wait for processes of their own."""
    return (os.cpu_count() or 1) + 1


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport() -> Generator[None, pytest.TestReport, pytest.TestReport]:
    """Let what was logged travel between processes: hostile text has halves of characters, which pytest-xdist dies of."""
    report = yield
    report.sections = [(name, text.encode(errors="backslashreplace").decode()) for name, text in report.sections]
    return report


@pytest.fixture(scope="session", autouse=True)
def quick_settings() -> Iterator[None]:
    """Leave out what takes time and proves nothing: Django's own password hash takes a good part of a second.

    Every client of a test would look through all static files before its first request; so it looks for one at a time.
    """
    hashers = ["django.contrib.auth.hashers.MD5PasswordHasher"]
    with override_settings(PASSWORD_HASHERS=hashers, WHITENOISE_AUTOREFRESH=True):
        yield


@pytest.fixture(scope="session", autouse=True)
def quiet_watch() -> Iterator[None]:
    """Let no test's calls of plugins be written down while another one runs."""
    with mock.patch.object(watch, "EVERY_S", 86_400.0):
        yield


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None) -> Iterator[None]:
    """Close the connections of the memory service's threads before the database is removed."""
    yield
    books.rest()
    desk.rest()


@pytest.fixture
def sample(db: None) -> Project:
    """The ready-made project harbor-api, read."""
    if not FIXTURES.is_dir():
        pytest.skip("the sample is not here")
    return make_sample()


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
