"""Our entry among an agent's MCP servers, under the key `memdock`."""

from __future__ import annotations

import re
from functools import partial

from memory.connect.document import Document, Path
from memory.connect.refusals import Unreadable
from memory.connect.steps import Part
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject

NAME = "memdock"

_WAYS = {"type", "command", "args", "url", "httpUrl", "serverUrl", "headers", "transport", "oauth"}
"""Keys that say how a server is reached; a person's other keys, as a time limit, are kept."""


def part(keys: Path, server: JsonObject, *, is_strict: bool) -> Part:
    """Return how a server gets into the object at `keys` of a JSON file, and out of it."""
    return Part(partial(_put, (*keys, NAME), server, is_strict), partial(_take, (*keys, NAME), is_strict))


def merged(known: JsonObject, server: JsonObject) -> JsonObject:
    """Return an entry brought up to date. Raises Unreadable for one that is no MemDock: it is somebody else's."""
    if known and not is_ours(known):
        raise Unreadable(f"there is another server named {NAME}.")
    if known | server == known:
        return known
    return server | {key: value for key, value in known.items() if key not in _WAYS and key not in server}


def is_ours(known: JsonObject) -> bool:
    """Tell whether an entry starts `memdock mcp`, or speaks to an address that ends with /mcp."""
    command, arguments = known.get("command"), known.get("args")
    words = [
        *(command if isinstance(command, list) else [command]),
        *(arguments if isinstance(arguments, list) else []),
    ]
    line = " ".join(fields.text(word) for word in words)
    addresses = (fields.text(known.get(key)) for key in ("url", "httpUrl", "serverUrl"))
    return bool(re.search(r"memdock(\.exe)? mcp\b", line)) or any(url.rstrip("/").endswith("/mcp") for url in addresses)


def _put(path: Path, server: JsonObject, is_strict: bool, text: str | None) -> str | None:  # noqa: FBT001 - by partial
    document = Document(text, is_strict=is_strict)
    known = fields.record(document.get(path))
    wanted = merged(known, server)
    if wanted != known:
        document.set(path, wanted)
    return document.text


def _take(path: Path, is_strict: bool, text: str | None) -> str | None:  # noqa: FBT001 - by partial
    document = Document(text, is_strict=is_strict)
    if is_ours(fields.record(document.get(path))):
        document.remove(path)
    return document.text
