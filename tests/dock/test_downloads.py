"""Downloads from the file browser."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from tests.makers import make_entry_text, make_project, make_tree

RAW = "/dock/files/harbor/raw/"


@pytest.fixture
def memory(db: None, tree: Path) -> Path:
    """The memory folder of a project."""
    make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))
    return tree / ".memsearch"


def content(answer: Any) -> bytes:
    return b"".join(answer.streaming_content)


def test_downloads_a_file_as_it_is_and_inert(browser: Client, memory: Path) -> None:
    data = os.urandom(200_000)
    (memory / 'tïde "x".html').write_bytes(data)
    answer = browser.get(RAW, {"path": 'tïde "x".html'})
    assert content(answer) == data
    assert {
        name: answer[name] for name in ("Content-Type", "X-Content-Type-Options", "Cache-Control", "Content-Length")
    } == {
        "Content-Type": "application/octet-stream",
        "X-Content-Type-Options": "nosniff",
        "Cache-Control": "no-store",
        "Content-Length": "200000",
    }
    assert answer["Content-Security-Policy"] == "sandbox; default-src 'none'"
    assert answer["Content-Disposition"] == f"attachment; filename*=utf-8''{quote('tïde "x".html')}"


def test_downloads_no_more_than_it_announced(browser: Client, memory: Path) -> None:
    (memory / "grows.txt").write_bytes(b"before")
    answer = browser.get(RAW, {"path": "grows.txt"})
    with (memory / "grows.txt").open("ab") as file:
        file.write(b" and after")
    assert content(answer) == b"before"


@pytest.mark.django_db(transaction=True)
def test_streams_over_asgi(tmp_path: Path) -> None:
    make_project(make_tree(tmp_path / "harbor", {"2026-01-05": make_entry_text()}))
    data = os.urandom(150_000)
    (tmp_path / "harbor" / ".memsearch" / "big.bin").write_bytes(data)
    client = AsyncClient()
    client.force_login(User.objects.create_superuser("mira"))

    async def fetch() -> list[bytes]:
        answer: Any = await client.get(RAW, {"path": "big.bin"})
        return [piece async for piece in answer.streaming_content]

    pieces = async_to_sync(fetch)()
    assert b"".join(pieces) == data
    assert len(pieces) > 1
