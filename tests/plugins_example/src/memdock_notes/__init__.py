"""A memory plugin that keeps notes in a file, one JSON object a line: `{"id", "scope", "text"}`."""

from __future__ import annotations

import asyncio
import json
import os
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path

from memory.service.plugins import EVERYWHERE, PluginChange
from memory.service.types import Call, Meta, Operation, Request
from memory.service.values import Json

LOOK_EVERY_S = 0.05


def path() -> Path:
    return Path(os.environ.get("NOTES_FILE", "~/.memdock-notes.jsonl")).expanduser()


@dataclass(frozen=True)
class Note:
    id: str
    scope: str
    text: str


class NotesPlugin:
    id = "notes"

    def accepts(self, call: Call) -> bool:
        """Take everything but the model's own updates, which are no notes."""
        return call.operation is not Operation.UPDATE or call.meta.attributes.get("point") != "tool/memory-update"

    async def update(self, request: Request) -> Json:
        """Keep `data.note`; None for data without one. The same request id again keeps nothing."""
        if not isinstance(request.data, dict) or not isinstance(text := request.data.get("note"), str):
            return None
        note_id = request.meta.request_id or str(len(notes()) + 1)
        if all(note.id != note_id for note in notes()):
            await asyncio.to_thread(_append, Note(note_id, request.meta.scope, text))
        return {"id": note_id}

    async def retrieve(self, request: Request) -> Json:
        """Return the notes of the scope that hold every word of `data.query`."""
        query = request.data.get("query") if isinstance(request.data, dict) else None
        if query == "hang":
            await asyncio.Event().wait()
        if query == "crash":
            raise RuntimeError("the notes have burned")
        if query == "garble":
            return {"when": float("nan")}
        words = query.lower().split() if isinstance(query, str) else []
        own = [note for note in notes() if note.scope == request.meta.scope]
        found = [note for note in own if words and all(word in note.text.lower() for word in words)]
        return [{"id": note.id, "text": note.text} for note in found] or None

    @asynccontextmanager
    async def open_changes(self, meta: Meta, after: str | None) -> AsyncIterator[Feed]:
        """Follow the file; a cursor is the number of its lines."""
        yield Feed(meta.scope, str(len(notes())) if after is None else after)


@dataclass(frozen=True)
class Feed:
    """Tells notes of a scope after a cursor."""

    scope: str
    cursor: str

    async def __aiter__(self) -> AsyncIterator[PluginChange]:
        place = int(self.cursor)
        while True:
            for note in notes()[place:]:
                place += 1
                if self.scope in {EVERYWHERE, note.scope}:
                    yield PluginChange(str(place), note.id, {"title": note.text[:80], "scope": note.scope})
            await asyncio.sleep(LOOK_EVERY_S)


def notes() -> list[Note]:
    try:
        return [Note(**json.loads(line)) for line in path().read_text(encoding="utf-8").splitlines()]
    except FileNotFoundError:
        return []


def _append(note: Note) -> None:
    with path().open("a", encoding="utf-8") as file:
        file.write(json.dumps(note.__dict__) + "\n")
