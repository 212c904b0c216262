"""`/export` and `/import`, as clients of Engram use them."""

from __future__ import annotations

import json
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections
from django.test import AsyncClient

from memory.api.engram import importexport
from memory.engram.exchange import exporting
from memory.models import Change, Observation, Project, Prompt, Relation, Session, Tombstone
from tests import loops
from tests.memory.api.engram.agents import Agent
from tests.memory.engram.exchange import rows

DOCUMENT = {
    "version": "0.1.0",
    "exported_at": "2026-02-03 12:00:00",
    "sessions": [rows.session()],
    "observations": [rows.observation("obs-1"), rows.observation("obs-2")],
    "prompts": [rows.prompt()],
}


def test_counts_what_an_import_did(agent: Agent) -> None:
    assert agent.ask("POST /import", DOCUMENT) == (
        200,
        {
            "sessions_imported": 1,
            "observations_imported": 2,
            "observations_updated": 0,
            "observations_skipped_stale": 0,
            "prompts_imported": 1,
        },
    )
    newer = DOCUMENT | {"observations": [rows.observation("obs-1", at="11:00:00"), rows.observation("obs-2")]}
    _, again = agent.ask("POST /import", newer)
    assert [again[f"observations_{name}"] for name in ("imported", "updated", "skipped_stale")] == [0, 1, 1]
    assert (again["sessions_imported"], again["prompts_imported"]) == (0, 0)


def test_gives_back_what_it_took_also_after_an_empty_instance(agent: Agent) -> None:
    agent.ask("POST /import", DOCUMENT)
    agent.begin("s2", "pilot")
    agent.save("Tides", session="s2")
    document = _exported(agent)
    for model in (Relation, Observation, Prompt, Session, Tombstone, Project, Change):
        model.objects.all().delete()

    assert agent.ask("POST /import", document)[0] == 200

    assert _exported(agent) == document
    assert len(document["observations"]) == 3


def _exported(agent: Agent, **query: object) -> Any:
    document = agent.get("/export", **query)
    del document["exported_at"]
    return document


def test_exports_one_project_or_all(agent: Agent) -> None:
    agent.ask("POST /import", DOCUMENT)
    agent.begin("s2", "pilot")
    assert [row["id"] for row in _exported(agent)["sessions"]] == ["s1", "s2"]
    assert [row["id"] for row in _exported(agent, all_projects="true")["sessions"]] == ["s1", "s2"]
    assert [row["id"] for row in _exported(agent, project="Pilot")["sessions"]] == ["s2"]
    assert _exported(agent, project="unheard-of")["sessions"] == []
    agent.refused(400, "GET /export", project="")


def test_an_export_is_a_download_that_is_streamed(agent: Agent) -> None:
    response = agent.client.get("/export")
    assert response.streaming
    assert response["Content-Disposition"] == "attachment; filename=engram-export.json"
    assert json.loads(response.getvalue())["version"] == "0.2.0"


@pytest.mark.django_db(transaction=True)
def test_an_export_is_streamed_to_the_event_loop_as_well(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "_PAGE", 1)
    Agent().ask("POST /import", DOCUMENT)

    async def pieces() -> list[bytes]:
        response: Any = await AsyncClient().get("/export")
        try:
            return [piece async for piece in response.streaming_content]
        finally:
            await sync_to_async(connections.close_all)()

    found = loops.run(pieces())

    assert len(found) > 5
    assert len(json.loads(b"".join(found))["observations"]) == 2


@pytest.mark.parametrize(
    ("body", "error"),
    [
        ({"version": "9.9.9", "sessions": [], "observations": []}, "version 9.9.9"),
        ({"backup": True}, "no export of Engram"),
        (b'{"version": "0.1.0", "observations": [', "invalid json"),
    ],
    ids=["version", "backup", "torn"],
)
def test_refuses_what_is_no_export(agent: Agent, body: object, error: str) -> None:
    assert error in agent.refused(400, "POST /import", body)["error"]
    assert Session.objects.count() == 0


def test_takes_no_more_than_the_limit(agent: Agent, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(importexport, "LARGEST", 100)
    agent.refused(413, "POST /import", DOCUMENT)


def test_takes_a_null_directory_and_null_arrays(agent: Agent) -> None:
    body = {"version": "", "sessions": [rows.session(directory=None)], "observations": None, "prompts": None}
    assert agent.ask("POST /import", body)[1]["sessions_imported"] == 1
    assert Session.objects.get().directory == ""
