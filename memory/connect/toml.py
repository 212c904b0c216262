"""Our entry among the MCP servers of a TOML file (Codex): a table of its own, at the end of the file."""

from __future__ import annotations

import re
import tomllib
from functools import partial
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from memory.connect import servers
from memory.connect.refusals import Unreadable
from memory.connect.servers import NAME
from memory.connect.steps import Part
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject

_KEY = "mcp_servers"
_PLACE = re.compile(r"\(at line (\d+), column (\d+)\)")


def part(server: JsonObject) -> Part:
    """Return how a server gets into a file, and out of it."""
    return Part(partial(_put, server), _take)


def read(text: str | None) -> JsonObject:
    """Read a file. Raises Unreadable with line and column."""
    try:
        found: JsonObject = tomllib.loads((text or "").removeprefix("\ufeff"))
    except tomllib.TOMLDecodeError as exc:
        place = _PLACE.search(str(exc))
        line, column = (int(place[1]), int(place[2])) if place else (0, 0)
        raise Unreadable(f"{_PLACE.sub('', str(exc)).strip()}.", line=line, column=column) from exc
    return found


def _put(server: JsonObject, text: str | None) -> str | None:
    known = _known(text)
    wanted = servers.merged(known, server)
    if wanted == known:
        return text
    changed = _edited(text or "", wanted) if known else _appended(text or "", server)
    return _checked(text, changed, wanted)


def _take(text: str | None) -> str | None:
    known = _known(text)
    if text is None or not servers.is_ours(known):
        return text
    exact = next((original for original in _originals(text, known) if _appended(original, known) == text), None)
    if exact is not None:
        return exact or None
    return _checked(text, _edited(text, {}), {})


def _known(text: str | None) -> JsonObject:
    return fields.record(fields.record(read(text).get(_KEY)).get(NAME))


def _appended(text: str, server: JsonObject) -> str:
    """Put a table behind everything else; a file without a line's end at its end stays one."""
    newline = "\r\n" if "\r\n" in text else "\n"
    written = tomlkit.dumps({_KEY: {NAME: server}}).strip("\n").replace("\n", newline)
    if not text:
        return written + newline
    return f"{text}{newline}{written}{newline}" if text.endswith("\n") else f"{text}{newline * 2}{written}"


def _originals(text: str, server: JsonObject) -> list[str]:
    """Return what the text may have been before the table was put at its end."""
    newline = "\r\n" if "\r\n" in text else "\n"
    written = tomlkit.dumps({_KEY: {NAME: server}}).strip("\n").replace("\n", newline)
    head = text.rpartition(written)[0]
    return [head, head.removesuffix(newline), head.removesuffix(newline * 2)]


def _edited(text: str, server: JsonObject) -> str:
    """Bring the table up to date where it stands, or take it out for an empty one."""
    mark = "\ufeff" if text.startswith("\ufeff") else ""
    try:
        document: Any = tomlkit.parse(text.removeprefix("\ufeff"))
        if server:
            table = document[_KEY][NAME]
            for key in [key for key in table if key not in server]:
                del table[key]
            table.update({key: value for key, value in server.items() if table.get(key) != value})
        else:
            del document[_KEY][NAME]
            if not document[_KEY]:
                del document[_KEY]
        return mark + tomlkit.dumps(document)
    except (TOMLKitError, KeyError, TypeError) as exc:
        raise Unreadable(f"{_KEY}.{NAME} cannot be changed safely here.") from exc


def _checked(before: str | None, after: str, server: JsonObject) -> str:
    """Return the new text if it says what the old one said, except for our table. Raises Unreadable."""
    old, new = read(before), read(after)
    expected = {name: value for name, value in fields.record(old.get(_KEY)).items() if name != NAME}
    found = dict(fields.record(new.get(_KEY)))
    ours = fields.record(found.pop(NAME, {}))
    others_are_same = {key: value for key, value in old.items() if key != _KEY} == {
        key: value for key, value in new.items() if key != _KEY
    }
    if not others_are_same or found != expected or ours != server:
        raise Unreadable(f"{_KEY}.{NAME} cannot be added safely here.")
    return after
