"""A Milvus Lite database and an embeddings endpoint that MemDock and MemSearch share."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from pytest_django import Settings

from memory.search import meaning
from memory.search.backends.milvus import asking
from tests.memory.search_embed.endpoint_server import Endpoint, serving

MODEL = "hashed"

type Memsearch = Callable[..., Any]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with serving() as one:
        yield one


@pytest.fixture
def database(tmp_path: Path) -> Path:
    """The path of a Milvus Lite database that does not exist yet."""
    return tmp_path / "lite" / "milvus.db"


@pytest.fixture
def milvus(settings: Settings, monkeypatch: pytest.MonkeyPatch, endpoint: Endpoint, database: Path) -> Iterator[None]:
    """MEMDOCK_SEARCH=milvus with that database, and the endpoint's model."""
    settings.MILVUS_URI, settings.MILVUS_TOKEN = str(database), ""
    monkeypatch.setenv("MEMDOCK_EMBEDDING", f"openai:{MODEL}")
    monkeypatch.setenv("MEMDOCK_EMBEDDING_URL", endpoint.url)
    asking.forget()
    meaning.reset()
    yield
    asking.forget()
    meaning.reset()


@pytest.fixture
def memsearch(endpoint: Endpoint, database: Path, tmp_path: Path) -> Memsearch:
    """Run MemSearch's own command with the same database and model; returns its JSON, or its text where it has none."""

    def run(command: str, *arguments: str, collection: str) -> Any:
        database.parent.mkdir(exist_ok=True)
        options = ["--provider", "openai", "--model", MODEL, "--base-url", endpoint.url, "--api-key", "none"]
        options += ["--milvus-uri", str(database), "--collection", collection]
        told = subprocess.run(
            [sys.executable, "-m", "memsearch", command, *arguments, *options],
            env={**os.environ, "HOME": str(tmp_path)},
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        return json.loads(told) if "--json-output" in arguments else told

    return run
