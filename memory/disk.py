"""Opens the files of one `.memsearch` tree: never through a link, never outside of it, never anything but a plain file."""

from __future__ import annotations

import os
import re
import stat
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO, Literal, Self

from memory import descriptors
from memory.descriptors import DiskError, Missing, Refused

__all__ = ["Content", "DiskError", "Item", "Kind", "Missing", "Refused", "Tree"]

type Kind = Literal["dir", "file", "link", "other"]

_KINDS: dict[int, Kind] = {stat.S_IFDIR: "dir", stat.S_IFREG: "file", stat.S_IFLNK: "link"}


@dataclass(frozen=True, slots=True)
class Item:
    """One name in a folder; times are in nanoseconds since 1970.

    `name` is readable: bytes that are not UTF-8 are replaced. Such a name cannot be opened (`openable` is false),
    nor can one with a backslash, which would mean two things on two systems.
    """

    name: str
    kind: Kind
    size: int
    modified_ns: int
    openable: bool = True


@dataclass(frozen=True, slots=True)
class Content:
    """Bytes of a file from `offset` on, and what the open file said of itself."""

    data: bytes
    offset: int
    size: int
    modified_ns: int
    device: int
    inode: int


class Tree:
    """An open `.memsearch` tree. Paths are relative, with `/`; the root is `""`.

    The root may itself be a link (a git worktree's, say); below it no link is followed. Every part of a path is opened
    from the descriptor of the part before, and what was opened is asked what it is: nothing can be swapped in between.
    All methods raise `Missing` or `Refused`.
    """

    def __init__(self, root: Path) -> None:
        """Open the root folder; raise `Missing` where there is none and `Refused` where it is no readable folder."""
        self._root = descriptors.open_root(root)
        self.root = Path(os.path.realpath(root))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the descriptor back; what `open` returned stays open."""
        if self._root >= 0:
            os.close(self._root)
        self._root = -1

    def scan(self, path: str = "") -> list[Item]:
        """List one folder: folders first, then the rest, by name without regard to case, numbers by value."""
        with self._opened(descriptors.parts(path)) as folder:
            descriptors.expect(folder, stat.S_IFDIR, otherwise=descriptors.FILE)
            items = list(_items(folder))
        return sorted(items, key=lambda item: (item.kind != "dir", _natural(item.name), item.name))

    def stat(self, path: str) -> Item:
        """Describe one name without opening it; a link is described as a link."""
        *parents, name = descriptors.parts(path) or ("",)
        if not name:
            return _item("", os.fstat(self._root))
        with self._opened(parents) as folder:
            return _item(name, descriptors.look(name, folder))

    def target(self, path: str) -> str:
        """Read where a link says it leads, without going there."""
        *parents, name = descriptors.parts(path) or ("",)
        with self._opened(parents) as folder, descriptors.spoken():
            return os.readlink(name, dir_fd=folder)

    def read(self, path: str, *, limit: int, offset: int = 0) -> Content:
        """Read at most `limit` bytes from `offset` on; a negative offset counts from the end, as `seek` does."""
        with self._opened(descriptors.parts(path)) as file:
            facts = descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
            start = max(0, facts.st_size + offset) if offset < 0 else offset
            data = descriptors.read_at(file, limit, start)
        size = max(facts.st_size, start + len(data) if data else 0)  # it may have grown since
        return Content(data, start, size, facts.st_mtime_ns, facts.st_dev, facts.st_ino)

    def open(self, path: str) -> BinaryIO:
        """Open a whole file for reading in pieces; the caller closes it."""
        with self._opened(descriptors.parts(path)) as file:
            descriptors.expect(file, stat.S_IFREG, otherwise=descriptors.FOLDER)
            return os.fdopen(os.dup(file), "rb")

    @contextmanager
    def _opened(self, names: Iterable[str]) -> Iterator[int]:
        """Hold a descriptor of what lies at `names`."""
        handle = os.dup(self._root)
        try:
            for name in names:
                deeper = descriptors.open_part(name, handle)
                os.close(handle)
                handle = deeper
            yield handle
        finally:
            os.close(handle)


def _items(folder: int) -> Iterator[Item]:
    with descriptors.spoken(), os.scandir(folder) as entries:
        for entry in entries:
            try:
                yield _item(entry.name, entry.stat(follow_symlinks=False))
            except FileNotFoundError:  # removed while we looked
                continue


def _item(name: str, facts: os.stat_result) -> Item:
    readable = os.fsencode(name).decode("utf-8", "replace")
    kind = _KINDS.get(stat.S_IFMT(facts.st_mode), "other")
    openable = not name or descriptors.is_plain(name)
    return Item(readable, kind, facts.st_size, facts.st_mtime_ns, openable)


def _natural(name: str) -> list[str | int]:
    """Split a name so that `note-9` comes before `note-10`: text and numbers in turn."""
    pieces = re.split(r"([0-9]+)", name)
    return [int(piece) if index % 2 else piece.casefold() for index, piece in enumerate(pieces)]
