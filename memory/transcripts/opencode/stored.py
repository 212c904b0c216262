"""Sessions of OpenCode before 1.2: a JSON file each for the session, its messages and their parts."""

from __future__ import annotations

import re
from collections.abc import Iterator

from memory import disk
from memory.disk import Tree
from memory.transcripts import fields, lines, places
from memory.transcripts.conversation import JsonObject
from memory.transcripts.limits import MIB
from memory.transcripts.lines import Tally
from memory.transcripts.opencode.rows import Session

SESSION = re.compile(r"storage/session/[^/]+/ses_[^/]+\.json")

_LARGEST = 64 * MIB


def find(tree: Tree, session: str) -> str:
    """Return the path of a session's own file; empty when there is none."""
    paths = (f"{folder}/{session}.json" for folder in places.folders(tree, "storage/session"))
    return next((path for path in paths if SESSION.fullmatch(path) and places.is_file(tree, path)), "")


class Files:
    """A session in files; they are written one by one, so a message may be there before its parts."""

    def __init__(self, tree: Tree, path: str, session: str, tally: Tally) -> None:
        self._tree = tree
        self._path = path
        self._id = session
        self._tally = tally

    def session(self) -> Session:
        data = self._read(self._path)
        created = fields.number(fields.record(data.get("time")).get("created"))
        reverted = fields.text(fields.record(data.get("revert")).get("messageID"))
        return Session(fields.text(data.get("title")), created or 0, reverted)

    def messages(self) -> Iterator[str]:
        return self._names(f"storage/message/{self._id}")

    def message(self, ident: str) -> JsonObject:
        data = self._read(f"storage/message/{self._id}/{ident}.json")
        time = fields.record(data.get("time"))
        return {**data, "updated": time.get("completed") or time.get("created")}

    def parts(self, message: str) -> Iterator[JsonObject]:
        folder = f"storage/part/{message}"
        return (self._read(f"{folder}/{name}.json") for name in self._names(folder))

    def _names(self, folder: str) -> Iterator[str]:
        """Yield the ids in a folder; they sort by time."""
        names = sorted(item.name for item in places.files(self._tree, folder))
        return (name.removesuffix(".json") for name in names if name.endswith(".json"))

    def _read(self, path: str) -> JsonObject:
        try:
            content = self._tree.read(path, limit=_LARGEST + 1)
        except disk.DiskError:
            self._tally.skipped += 1
            return {}
        if len(content.data) > _LARGEST:
            self._tally.skipped += 1
            return {}
        return lines.parsed(content.data, self._tally) or {}
