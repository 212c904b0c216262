"""What a person names to be imported: a directory or a file, and what is in it; or the agents of this machine."""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from memory.capture.backfill import sources as stores
from memory.capture.backfill.sources import AGENTS
from memory.descriptors import DiskError, Missing
from memory.disk import Tree
from memory.engram.exchange import folder
from memory.engram.exchange.database import MAGIC, DatabaseDocument
from memory.engram.exchange.documents import Document, JsonDocument
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.report import Note, Tally
from memory.projects.registration import MEMORY_DIRECTORY
from memory.transcripts import databases

DATABASE = "engram.db"


@dataclass(slots=True)
class Source:
    """What there is to import.

    `kind` is None where only reading the one document tells; `journals` is the directory to register, "" for none.
    `stores` are agents' own, with conversations; then there is nothing else.
    """

    name: str
    kind: str | None = None
    documents: Sequence[Document] = ()
    journals: str = ""
    stores: Sequence[stores.Source] = ()
    tally: Tally = field(default_factory=Tally)


@contextmanager
def opened(text: str) -> Iterator[Source]:
    """Open what lies at a path, through a link or not; nothing below it is reached through one.

    AGENTS stands for the stores of all agents of this machine. Raises CannotImport for what is not there, cannot be
    read or holds nothing.
    """
    with ExitStack() as stack, databases.copied_once():
        try:
            yield _of_agents() if text == AGENTS else _at(text, _path(text), stack)
        except DiskError as exc:
            raise CannotImport(f"{text} cannot be imported: {exc}") from exc


def _of_agents() -> Source:
    found = stores.known()
    if not found:
        raise CannotImport("No agent that MemDock can read has kept conversations on this machine.")
    return Source(AGENTS, kind=stores.kind(found), stores=found)


def _at(text: str, path: Path, stack: ExitStack) -> Source:
    """Look for what MemDock and its forebears write; then for conversations, which may lie in any folder."""
    if path.is_dir() and (found := _directory(text, path, stack)):
        return found
    if conversations := stores.recognised(path):
        return Source(text, kind=stores.kind(conversations), stores=conversations)
    if path.is_dir():
        raise CannotImport(
            f"{text} holds nothing to import: no {folder.DIRECTORY} with chunks, no {DATABASE}, no {MEMORY_DIRECTORY},"
            " no conversations of an agent."
        )
    return _file(text, path, stack)


def _path(text: str) -> Path:
    if not text.strip() or "\0" in text:
        raise CannotImport("An import needs the path of what is to be imported.")
    try:
        path = Path(os.path.realpath(Path(text).expanduser()))
        path.stat()
    except RuntimeError as exc:  # ~somebody
        raise CannotImport(f"{text} names a person whom this machine does not know.") from exc
    except FileNotFoundError as exc:
        raise CannotImport(f"{text} does not exist.") from exc
    except OSError as exc:
        raise CannotImport(f"{text} cannot be read: {exc.strerror}.") from exc
    return path


def _file(text: str, path: Path, stack: ExitStack) -> Source:
    tree = stack.enter_context(Tree(path.parent))
    if tree.read(path.name, limit=len(MAGIC)).data == MAGIC:
        return Source(text, documents=[DatabaseDocument(tree, path.name)])
    return Source(text, documents=[JsonDocument.at(tree, path.name)])


def _directory(text: str, path: Path, stack: ExitStack) -> Source | None:
    tree = stack.enter_context(Tree(path))
    found = Source(text)
    if path.name == MEMORY_DIRECTORY or _is_directory(tree, MEMORY_DIRECTORY):
        found.kind, found.journals = "memsearch", str(path)
    prefix = "" if folder.is_one(tree) else f"{folder.DIRECTORY}/"
    if not prefix or _has_chunks(tree):
        found.kind = "directory" if found.journals else "engram-directory"
        found.documents = folder.documents(tree, found.tally, prefix=prefix)
        if not found.documents and not found.tally.skipped:
            found.tally.problems.append(Note(folder.MANIFEST, "It names no chunk, so there is nothing to import."))
    if _is_file(tree, DATABASE) and (found.kind is None or not prefix):
        found.kind = found.kind or "engram-database"
        found.documents = [*found.documents, DatabaseDocument(tree, DATABASE)]
    return found if found.kind else None


def _has_chunks(tree: Tree) -> bool:
    try:
        return folder.is_one(tree, folder.DIRECTORY)
    except Missing:
        return False


def _is_directory(tree: Tree, name: str) -> bool:
    return _kind(tree, name) in {"dir", "link"}


def _is_file(tree: Tree, name: str) -> bool:
    return _kind(tree, name) == "file"


def _kind(tree: Tree, name: str) -> str:
    try:
        return tree.stat(name).kind
    except DiskError:
        return ""
