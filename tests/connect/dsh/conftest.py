"""A real MemDock with a project, and what drives the plugin against it."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from memory.api import tokens
from memory.audit import COMMAND
from memory.models.token import Scope
from tests.connect.dsh.plugin import Came, drive
from tests.makers import make_project, make_tree

type Dsh = Callable[..., Came]


@pytest.fixture
def root(tmp_path: Path) -> Path:
    make_project(make_tree(tmp_path / "harbor"))
    return tmp_path / "harbor"


@pytest.fixture
def dsh(root: Path, live_server: LiveServer) -> Dsh:
    """Return what drives the plugin in the project harbor."""
    _, token = tokens.create(name="connector", scope=Scope.WRITE, actor=COMMAND, at=timezone.now())

    def run(*steps: list[Any], directory: Path = root, **over: Any) -> Came:
        return drive(directory, *steps, **{"MEMDOCK_URL": live_server.url, "MEMDOCK_TOKEN": token} | over)

    return run
