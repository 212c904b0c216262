"""`/changes` of the API."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest
from django.db import transaction
from django.test import Client
from django.utils import timezone

from memory import changes
from memory.changes import Note
from memory.models import Change, Project
from tests.makers import make_entry_text, make_project, make_tree
from tests.memory.api.callers import ROOT, make_program, read, refused

pytestmark = pytest.mark.django_db


def _follow(program: Client, *, after: int, limit: int, **query: object) -> list[dict[str, Any]]:
    """Read on until there is nothing more for now."""
    items: list[dict[str, Any]] = []
    while True:
        found = read(program, "/changes", after=after, limit=limit, **query)
        items += found["items"]
        if found["next"] is None:
            return items
        after = found["next"]


def test_tells_everything_once_in_order(sample: Project) -> None:
    told = _follow(make_program(), after=0, limit=7)
    assert [item["id"] for item in told] == list(Change.objects.order_by("pk").values_list("pk", flat=True))
    contract = {"id", "kind", "project", "ref", "at", "title", "url"}
    assert set(told[0]) == contract | {"pluginId", "cursor", "memoryId", "metadata"}
    assert (told[0]["kind"], told[0]["project"], told[0]["ref"]) == (
        "project.added",
        "harbor-api",
        "project:harbor-api",
    )
    assert told[0]["at"].endswith("Z")
    assert told[0]["url"] == "/dock/?project=harbor-api"


def test_tells_whose_memory_a_change_is_of(db: None) -> None:
    kinds = ["entry.added", "observation.saved", "artifact.stored", "skill.updated", "plugin.changed"]
    refs = ["entry:1", "observation:2", "artifact:3", "skill:harbor/tidy", "plugin:acme%2Fnotes/n/1"]
    notes = [Note(kind, ref, "A title") for kind, ref in zip(kinds, refs, strict=True)]
    with transaction.atomic():
        changes.append(notes, project=None, at=timezone.now())

    told = read(make_program(), "/changes")["items"]

    assert [(one["pluginId"], one["memoryId"]) for one in told] == [
        ("journal", "entry:1"),
        ("observations", "observation:2"),
        ("artifacts", "artifact:3"),
        (None, "skill:harbor/tidy"),
        ("acme/notes", "n/1"),
    ]
    assert [one["cursor"] for one in told] == [str(one["id"]) for one in told]
    assert told[4]["metadata"] == {"kind": "plugin.changed", "project": None, "title": "A title"}


def test_goes_on_from_the_latest(sample: Project, tree: Path) -> None:
    program = make_program()
    latest = read(program, "/changes", limit=1)["latest"]
    assert read(program, "/changes", after=latest) == {"items": [], "next": None, "latest": latest}
    make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))
    kinds = [item["kind"] for item in read(program, "/changes", after=latest)["items"]]
    assert kinds == ["project.added", "session.started", "entry.added"]


def test_tells_of_one_project_only(sample: Project, tree: Path) -> None:
    make_project(make_tree(tree, {"2026-01-05": make_entry_text()}))
    told = _follow(make_program(), after=0, limit=2, project="harbor")
    assert [item["kind"] for item in told] == ["project.added", "session.started", "entry.added"]
    assert {item["project"] for item in told} == {"harbor"}


def test_nothing_happened_yet(db: None) -> None:
    assert read(make_program(), "/changes") == {"items": [], "next": None, "latest": 0}


def test_asks_for_a_reset_when_the_log_was_trimmed(sample: Project) -> None:
    program = make_program()
    changes.trim(before=timezone.now() + timedelta(days=1), keep=5)
    refused(program.get(ROOT + "/changes?after=1"), 410, "reset_required")
    assert len(read(program, "/changes", after=changes.floor())["items"]) == 5


@pytest.mark.parametrize("after", [10**9, 10**40])
def test_asks_for_a_reset_when_nobody_gave_out_the_number(sample: Project, after: int) -> None:
    refused(make_program().get(f"{ROOT}/changes?after={after}"), 410, "reset_required")


@pytest.mark.parametrize(
    ("query", "status", "field"),
    [
        ("after=-1", 422, "after"),
        ("after=x", 422, "after"),
        ("after=", 422, "after"),
        ("limit=0", 422, "limit"),
        ("limit=201", 422, "limit"),
        ("project=nothing", 404, "project"),
    ],
)
def test_names_the_parameter_that_is_wrong(sample: Project, query: str, status: int, field: str) -> None:
    refused(make_program().get(f"{ROOT}/changes?{query}"), status, field=field)
