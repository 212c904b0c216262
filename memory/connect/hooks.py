"""Our commands among an agent's hooks: lists of groups by event, each with a list of handlers (Claude Code, Codex)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import PurePosixPath, PureWindowsPath

from memory.connect.document import Document
from memory.connect.refusals import Unreadable
from memory.connect.steps import Part
from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject

_KEY = "hooks"
_WAYS = {"args", "commandWindows"}


def part(platform: str, handlers: Mapping[str, JsonObject]) -> Part:
    """Return how one handler an event gets into a file of strict JSON, and out of it."""
    return Part(partial(_put, platform, handlers), partial(_take, platform))


def is_ours(handler: JsonObject, platform: str) -> bool:
    """Tell whether a handler runs `memdock hook PLATFORM`, with arguments or as a line for a shell."""
    command, arguments = fields.text(handler.get("command")), handler.get("args")
    if isinstance(arguments, list):
        names = {PurePosixPath(command).name, PureWindowsPath(command).name}
        return bool(names & {"memdock", "memdock.exe"}) and arguments[:2] == ["hook", platform]
    line = rf"(^|[\s\"'/\\])memdock(\.exe)?[\"']?\s+hook\s+{re.escape(platform)}(?![\w-])"
    return re.search(line, command) is not None


def _put(platform: str, handlers: Mapping[str, JsonObject], text: str | None) -> str | None:
    """Add our handlers at the end of their events, or bring those that are there up to date, in their place."""
    document = Document(text, is_strict=True)
    for event, handler in handlers.items():
        ours = list(_ours(document, platform, event))
        if not ours:
            document.append((_KEY, event), {_KEY: [handler]})
        elif (current := _updated(fields.record(document.get(ours[0])), handler)) != document.get(ours[0]):
            document.set(ours[0], current)
        for path in reversed(ours[1:]):
            _remove(document, path)
    return document.text


def _updated(known: JsonObject, handler: JsonObject) -> JsonObject:
    """Keep what a person added to our handler, but no words of another way to call us."""
    return {key: value for key, value in known.items() if key in handler or key not in _WAYS} | handler


def _take(platform: str, text: str | None) -> str | None:
    document = Document(text, is_strict=True)
    events = fields.record(document.get((_KEY,)))
    for path in reversed([path for event in events for path in _ours(document, platform, event)]):
        _remove(document, path)
    return document.text


type _Place = tuple[str, str, int, str, int]


def _ours(document: Document, platform: str, event: str) -> Iterator[_Place]:
    groups = document.get((_KEY, event))
    if groups is not None and not isinstance(groups, list):
        raise Unreadable(f"hooks.{event} is not a list.")
    for number, group in enumerate(groups or []):
        inner = fields.record(group).get(_KEY)
        for place, handler in enumerate(inner if isinstance(inner, list) else []):
            if is_ours(fields.record(handler), platform):
                yield (_KEY, event, number, _KEY, place)


def _remove(document: Document, path: _Place) -> None:
    """Take out a handler, with its group where there is nothing else in it."""
    group: Json = document.get(path[:3])
    is_alone = len(list(fields.records(fields.record(group).get(_KEY)))) == 1
    if is_alone and len(fields.record(group)) == 1:
        document.remove(path[:3])
    elif is_alone:
        document.set(path[:4], [])
    else:
        document.remove(path)
