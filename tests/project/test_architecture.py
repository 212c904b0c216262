"""Imports go one way: memsite → dock → memory.(actions, queries, …) → memory.models."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.places import ROOT

MODULES = [
    path.relative_to(ROOT)
    for package in ("memory", "dock", "memsite")
    for path in sorted((ROOT / package).rglob("*.py"))
]
CONSUMERS = {"consumers.py", "layer.py"}


def imports(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / path).read_text())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def offenders(inside: str, *forbidden: str, spare: set[str] | None = None) -> list[str]:
    return [
        f"{path} imports {name}"
        for path in MODULES
        if path.parts[: inside.count("/") + 1] == tuple(inside.split("/")) and path.name not in (spare or set())
        for name in imports(path)
        if name.startswith(forbidden)
    ]


def test_memory_knows_neither_pages_nor_site() -> None:
    assert offenders("memory", "dock", "memsite") == []


def test_the_dock_does_not_know_the_site() -> None:
    assert offenders("dock", "memsite") == []


def test_only_consumers_know_channels() -> None:
    assert offenders("memory", "channels", spare=CONSUMERS) == []


def test_models_know_no_http_and_no_actions() -> None:
    assert offenders("memory/models", "django.http", "memory.changes", "memory.api", "memory.journal", "ninja") == []


def test_views_do_not_query() -> None:
    assert offenders("dock/views", "django.db", "memory.models") == []


@pytest.mark.parametrize(("name", "allowed"), [("bleach", {"markdown"}), ("markdown_it", {"markdown", "inert"})])
def test_memory_text_becomes_html_in_one_place(name: str, allowed: set[str]) -> None:
    found = {path.stem for path in MODULES if path.parts[0] == "dock" for one in imports(path) if one.startswith(name)}

    assert found == allowed
