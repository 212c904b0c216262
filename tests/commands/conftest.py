"""The real script, in a data directory of its own."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.databases import own_database
from tests.places import ROOT
from tests.waiting import DEADLINE

type Memdock = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture(scope="module")
def data_dir(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the data directory of the commands."""
    return tmp_path_factory.mktemp("data")


@pytest.fixture(scope="module")
def memdock(data_dir: Path) -> Iterator[Memdock]:
    """Return what runs `memdock` with some arguments and variables; its data outlives one test of a module."""
    with own_database() as database:

        def run(*arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
            variables = os.environ | database | {"MEMDOCK_DATA_DIR": str(data_dir)} | environment
            command = [sys.executable, "-m", "memsite.cli", *arguments]
            return subprocess.run(command, cwd=ROOT, env=variables, capture_output=True, text=True, timeout=DEADLINE)

        yield run
