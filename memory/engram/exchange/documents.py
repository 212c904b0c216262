"""Files of Engram that hold one JSON object each: exports, and the chunks of `.engram`."""

from __future__ import annotations

import gzip
import hashlib
import zlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Literal, Protocol

from memory.descriptors import DiskError
from memory.disk import Tree
from memory.engram.exchange import jsonstream
from memory.engram.exchange.errors import CannotImport
from memory.engram.exchange.jsonstream import Member
from memory.engram.exchange.parts import SECTIONS

type Kind = Literal[
    "engram-directory", "engram-chunk", "engram-export", "engram-database", "memdock-export", "memsearch", "directory"
]

VERSIONS = ("", "0.1.0", "0.2.0")
GZIP = b"\x1f\x8b"
PRODUCT = "memdock"
"""The key by which an export of MemDock is told from one of Engram; its value is the version that wrote it."""

LARGEST = 512 * 1024 * 1024
"""Bytes of a compressed file after decompression; more is taken for a bomb, and none of it is read."""

_BLOCK = 1024 * 1024
_CORE = {"sessions", "observations", "prompts", "mutations"}


@dataclass(frozen=True, slots=True)
class Survey:
    """What a first reading of a file tells: that all of it can be read, and how many rows it has.

    `digest` is the SHA-256 of its uncompressed bytes, "" for a database.
    """

    kind: Kind
    rows: int
    digest: str = ""


class Document(Protocol):
    """A file whose rows can be read any number of times; everything raises CannotImport."""

    @property
    def name(self) -> str:
        """Return what a report calls it."""
        ...

    def survey(self) -> Survey: ...

    def members(self) -> Iterator[Member]: ...


type Opener = Callable[[], AbstractContextManager[BinaryIO]]


@dataclass(frozen=True, slots=True)
class JsonDocument:
    """An export or a chunk, compressed or not, as its first bytes say."""

    name: str
    opener: Opener

    @classmethod
    def at(cls, tree: Tree, path: str, *, name: str = "") -> JsonDocument:
        """Return the document of a file in a tree."""
        return cls(name or path, lambda: tree.open(path))

    def survey(self) -> Survey:
        """Read all of it once, so that nothing is imported of what breaks off."""
        keys: dict[str, object] = {}
        rows = 0
        with _opened(self.opener) as stream:
            for key, value in jsonstream.members(stream):
                rows += key in SECTIONS and value is not None
                keys[key] = value if isinstance(value, str | int | float) else None
            return Survey(_kind(keys, is_packed=stream.is_packed), rows, stream.digest())

    def members(self) -> Iterator[Member]:
        with _opened(self.opener) as stream:
            yield from jsonstream.members(stream)


class _Counted:
    """The uncompressed bytes of a file, counted against the limit and hashed."""

    def __init__(self, file: BinaryIO) -> None:
        head = file.read(len(GZIP))
        file.seek(0)
        self.is_packed = head == GZIP
        self._stream: BinaryIO | gzip.GzipFile = gzip.GzipFile(fileobj=file) if self.is_packed else file
        self._hash = hashlib.sha256()
        self._size = 0

    def read(self, size: int, /) -> bytes:
        data = self._stream.read(min(size, _BLOCK))
        self._hash.update(data)
        self._size += len(data)
        if self.is_packed and self._size > LARGEST:
            raise CannotImport(f"It unpacks to more than {LARGEST // 1024**2} MB, which no chunk of Engram does.")
        return data

    def digest(self) -> str:
        return self._hash.hexdigest()


@contextmanager
def _opened(opener: Opener) -> Iterator[_Counted]:
    try:
        with opener() as file:
            yield _Counted(file)
    except (gzip.BadGzipFile, EOFError, zlib.error) as exc:
        raise CannotImport("It is damaged: its compressed data end too early or are not whole.") from exc
    except DiskError as exc:
        raise CannotImport(str(exc)) from exc
    except OSError as exc:
        raise CannotImport(f"It cannot be read: {exc.strerror}.") from exc


def _kind(keys: dict[str, object], *, is_packed: bool) -> Kind:
    """Tell what an object is by its keys. Raises CannotImport."""
    if not keys.keys() & _CORE:
        raise CannotImport("It is no export of Engram: it has neither sessions nor observations.")
    if "version" not in keys:
        if is_packed or len(keys.keys() & _CORE) > 1:
            return "engram-chunk"
        raise CannotImport("It is no export of Engram: it does not tell its version.")
    if keys["version"] not in VERSIONS:
        version = str(keys["version"])[:40]
        raise CannotImport(f"It is an export in version {version}; MemDock knows 0.1.0 and 0.2.0 of Engram's.")
    return "memdock-export" if PRODUCT in keys else "engram-export"
