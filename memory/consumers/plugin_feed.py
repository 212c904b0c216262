"""The consumer "plugin-feed": carries what changes in other people's plugins into MemDock's feed; the worker runs it."""

from __future__ import annotations

from django.db import transaction
from django.utils import timezone

from memory import changes
from memory.changes import Note
from memory.engram.redaction import redact
from memory.plugins.desk import desk
from memory.plugins.feed import RELAY
from memory.plugins.kinds import FOREIGN, foreign_ref
from memory.plugins.scopes import project_of
from memory.service.consumers import consumer
from memory.service.types import MemoryChange
from memory.service.values import Json

NAME = "plugin-feed"


@consumer(NAME, attributes={RELAY: True})
async def handle(change: MemoryChange) -> None:
    """Append a change; one that comes again is appended again, and says no more than "look anew" a second time."""
    await desk.do(append, change)


def append(change: MemoryChange) -> None:
    """Append what a plugin told: `metadata.title` is for people, `metadata.scope` says in which project."""
    metadata = change.metadata or {}
    title, scope = _text(metadata.get("title")), _text(metadata.get("scope"))
    ref = foreign_ref(change.plugin_id, _text(change.memory_id))
    project = project_of(scope) if scope else None
    with transaction.atomic():
        changes.append([Note(FOREIGN, ref, title or change.plugin_id)], project=project, at=timezone.now())


def _text(value: Json) -> str:
    return redact(value) if isinstance(value, str) else ""
