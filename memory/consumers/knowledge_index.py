"""The consumer "knowledge-index": what is remembered, as one JSON file that any program can read.

A sample of a consumer: it writes down how a memory is now rather than what happened to it, so that a change that
comes again changes nothing, and the file is replaced whole, so that nobody ever reads half of it.
"""

from __future__ import annotations

import json
import os
import secrets
from pathlib import Path

from django.conf import settings

from memory import refs
from memory.api.shapes import iso
from memory.models import Observation
from memory.plugins.desk import desk
from memory.plugins.kinds import OBSERVATIONS
from memory.service.consumers import consumer
from memory.service.types import MemoryChange

type Knowledge = dict[str, dict[str, str]]
"""By ref: project, type, title and when it was changed last."""

_PREFIX = "observation:"


def path() -> Path:
    return Path(settings.DATA_DIR) / "knowledge.json"


async def resync(plugin_id: str) -> None:
    """Write the file anew from all memories."""
    if plugin_id == OBSERVATIONS:
        await desk.do(_write_all)


@consumer("knowledge-index", resync=resync)
async def handle(change: MemoryChange) -> None:
    """Bring one memory in the file up to date."""
    if change.plugin_id == OBSERVATIONS and change.memory_id.startswith(_PREFIX):
        await desk.do(_update, change.memory_id)


def read() -> Knowledge:
    """Return what the file says, nothing where there is none."""
    try:
        known: Knowledge = json.loads(path().read_text(encoding="utf-8"))
    except FileNotFoundError:
        return {}
    return known


def _update(ref: str) -> None:
    known = read()
    row = Observation.objects.live().filter(pk=ref.removeprefix(_PREFIX)).select_related("project").first()
    told = {ref: _described(row)} if row else {}
    if told.get(ref) != known.get(ref):
        _write({key: value for key, value in known.items() if key != ref} | told)


def _write_all() -> None:
    rows = Observation.objects.live().select_related("project").order_by("pk")
    _write({refs.observation(row): _described(row) for row in rows})


def _described(row: Observation) -> dict[str, str]:
    return {"project": row.project.name, "type": row.type, "title": row.title, "at": iso(row.updated_at)}


def _write(known: Knowledge) -> None:
    draft = path().with_name(f".{path().name}.{os.getpid()}.{secrets.token_hex(4)}")
    draft.write_text(json.dumps(known, ensure_ascii=False, indent=1), encoding="utf-8")
    draft.replace(path())
