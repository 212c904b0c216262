"""DSH's files: a folder a session, and in it one file a generation of the format; the newest one counts."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import contextmanager

from memory.disk import Tree
from memory.transcripts import lines, places
from memory.transcripts.drafts import Draft
from memory.transcripts.dsh.turns import DshParser
from memory.transcripts.limits import Limits
from memory.transcripts.lines import Tally
from memory.transcripts.places import Location, is_file
from memory.transcripts.readers import Pages, Pass, Reader

_NAME = re.compile(r"session(?:\.v(\d{1,4}))?\.jsonl(?:\.zstd)?")
_ODD = re.compile(r"[^A-Za-z0-9._-]")


def _at(tree: Tree, path: str, session: str) -> Pages:
    """Read the newest generation, whichever one an anchor names; it may also name just the folder."""
    folder, _, name = path.rstrip("/").rpartition("/")
    if _NAME.fullmatch(name) and folder.count("/") == 1:
        return newest(tree, folder)
    return newest(tree, f"{folder}/{name}") if folder and "/" not in folder else ()


def _find(tree: Tree, session: str, hint: str) -> Pages:
    name = escaped(session)
    found = (newest(tree, f"{project}/{name}") for project in places.folders(tree) if name not in {".", ".."})
    return next(filter(None, found), ())


def escaped(session: str) -> str:
    """Name the folder of a session: signs that are odd in a name become `~` and their UTF-16 code."""
    return _ODD.sub(lambda sign: "".join(f"~{unit:04x}" for unit in _units(sign[0])), session)


def _units(sign: str) -> list[int]:
    data = sign.encode("utf-16-be", "surrogatepass")
    return [int.from_bytes(data[at : at + 2], "big") for at in range(0, len(data), 2)]


def newest(tree: Tree, folder: str) -> Pages:
    """Pick the highest generation; of two files of one the later written."""
    found = [
        (int(match[1] or 0), item.modified_ns, f"{folder}/{item.name}")
        for item in places.items(tree, folder)
        if item.openable and (match := _NAME.fullmatch(item.name))
    ]
    path = max(found)[-1] if found else ""
    return (path,) if path and is_file(tree, path) else ()


@contextmanager
def _opened(tree: Tree, location: Location, limits: Limits) -> Iterator[Pass]:
    def drafts(tally: Tally) -> Iterator[Draft]:
        return DshParser(limits, tally).drafts(lines.objects(tree, location.path, limits, tally))

    yield drafts


DSH = Reader(mark=".dsh/sessions/", at=_at, find=_find, opened=_opened)
