"""Reads PROJECT.md and USER.md."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Literal

from memory.disk import DiskError, Missing, Tree
from memory.documents import decoding
from memory.problems import Problem

type Name = Literal["PROJECT.md", "USER.md"]

NAMES: tuple[Name, ...] = ("PROJECT.md", "USER.md")
LIMIT = 1024 * 1024
"""Bytes of a document that are read."""

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True)
class DocumentText:
    """One document as it is on disk.

    `text` has no byte order mark and no carriage returns; `content_hash` is the SHA-256 (hex) of the bytes that
    were read; `size` counts all bytes of the file, also those above the limit; `modified` is in UTC; each of
    `problems` is one sentence.
    """

    name: Name
    text: str
    content_hash: str
    size: int
    modified: datetime
    problems: tuple[str, ...]


def read(tree: Tree) -> tuple[list[DocumentText], list[Problem]]:
    """Read the documents that are there, and say why one that is there could not be read.

    What is wrong with a document that could be read is in its own `problems`.
    """
    documents, problems = [], []
    for name in NAMES:
        try:
            documents.append(_document(tree, name))
        except Missing:
            continue
        except DiskError as exc:
            problems.append(Problem(name, str(exc)))
    return documents, problems


def _document(tree: Tree, name: Name) -> DocumentText:
    content = tree.read(name, limit=LIMIT)
    is_cut = content.size > len(content.data)
    text, flaws = decoding.decode(content.data, complete=not is_cut)
    problems = [f"{name} {flaw}" for flaw in flaws]
    if is_cut:
        problems.append(f"{name} has {content.size:,} bytes, of which the first {len(content.data):,} were read.")
    return DocumentText(
        name=name,
        text=text,
        content_hash=hashlib.sha256(content.data).hexdigest(),
        size=content.size,
        modified=_moment(content.modified_ns),
        problems=tuple(problems),
    )


def _moment(nanoseconds: int) -> datetime:
    try:
        return _EPOCH + timedelta(microseconds=nanoseconds // 1000)
    except OverflowError:  # anybody may set a file's time to a year that Python does not know
        return _EPOCH
