"""A plugin of a package that somebody installs answers beside our own, and what breaks in it breaks there alone."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.databases import own_database
from tests.places import ROOT
from tests.run.processes import run

EXAMPLE = ROOT / "tests" / "plugins_example"

_ASK = """
import asyncio, json
from pathlib import Path
from memory import changes
from memory.consumers import plugin_feed
from memory.models import Change, Project, SubscriptionCursor
from memory.service.consumers import registered, run
from memory.service.service import service

scope = sys.argv[1]
Project.objects.create(name="harbor", root=scope)

def asked(data):
    return {"meta": {"source": {"type": "tests", "id": "tests"}, "scope": scope}, "data": data}

async def told(call):
    return [{key: value for key, value in one.as_json().items() if key != "durationMs"} for one in await call]

async def relayed():
    stop = asyncio.Event()
    task = asyncio.create_task(run(registered[plugin_feed.NAME], service, stop=stop))
    while not await SubscriptionCursor.objects.exclude(cursor="").aexists():
        await asyncio.sleep(0.02)
    await service.update(asked({"note": "The harbour master has the keys"}))
    while not (found := [row async for row in Change.objects.filter(kind="plugin.changed").select_related("project")]):
        await asyncio.sleep(0.02)
    stop.set()
    await task
    return [[row.ref, row.title, row.project.name] for row in found]

async def main():
    return {
        "plugins": [[row.id, row.origin] for row in service.registry],
        "update": await told(service.update(asked({"note": "Tide tables hang in the office"}))),
        "retrieve": await told(service.retrieve(asked({"query": "tide tables"}))),
        **{word: await told(service.retrieve(asked({"query": word}))) for word in ("crash", "garble", "hang")},
        "relayed": await relayed(),
    }

print(json.dumps(asyncio.run(asyncio.wait_for(main(), 120))))
"""


@pytest.fixture(scope="module")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A directory into which the example was installed as anybody would install it, without a network."""
    if not shutil.which("uv") or subprocess.run(["uv", "--version"], capture_output=True).returncode:
        pytest.skip("uv is not on this machine")
    place = tmp_path_factory.mktemp("installed")
    source = shutil.copytree(EXAMPLE, tmp_path_factory.mktemp("source") / "notes")
    command = ["uv", "pip", "install", "--offline", "--no-deps", "--no-cache", "--quiet"]
    subprocess.run([*command, "--python", sys.executable, "--target", place, source], check=True)
    return place


def test_an_installed_plugin_answers_beside_our_own(installed: Path, tmp_path: Path) -> None:
    root = tmp_path / "harbor"
    root.mkdir()
    with own_database() as database:
        environment = database | {
            "MEMDOCK_DATA_DIR": str(tmp_path / "data"),
            "MEMDOCK_SERVICE": json.dumps({"routing": {"notes": {"retrieve_timeout": 1}}}),
            "NOTES_FILE": str(tmp_path / "notes.jsonl"),
            "PYTHONPATH": os.pathsep.join(filter(None, [str(installed), os.environ.get("PYTHONPATH")])),
        }
        told: dict[str, Any] = json.loads(run(environment, _ASK, str(root)).splitlines()[-1])

    ours = ["journal", "observations", "artifacts"]
    silent = [{"pluginId": one, "ok": True, "value": None} for one in ours]
    note = {"id": "1", "text": "Tide tables hang in the office"}
    assert told["plugins"] == [*([one, "MemDock"] for one in ours), ["notes", "memdock-notes"]]
    assert told["update"] == [*silent[:2], {"pluginId": "notes", "ok": True, "value": {"id": "1"}}]
    assert told["retrieve"] == [*silent, {"pluginId": "notes", "ok": True, "value": [note]}]
    for word, code, error in (
        ("crash", "error", "the notes have burned"),
        ("garble", "bad_result", "memory plugin notes answered no JSON: the result.when is nan, which JSON cannot say"),
        ("hang", "timeout", "memory plugin notes did not retrieve within 1000 ms"),
    ):
        assert told[word] == [*silent, {"pluginId": "notes", "ok": False, "error": error, "code": code}]
    assert told["relayed"] == [["plugin:notes/2", "The harbour master has the keys", "harbor"]]
