"""The file of a backup: a compressed tar with the database, the files beside it, and last a list with their hashes."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tarfile
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO, Any

from memory.backup.errors import CannotRestore

FORMAT = "memdock-backup@1"
MANIFEST = "manifest.json"
DATABASE = "database"
FILES = PurePosixPath("files")
"""The folder in which the data directory's files are."""

_LARGEST_MANIFEST = 256 * 1024 * 1024
_PIECE = 1024 * 1024
_NOT_WHOLE = "{} is damaged or was not written to its end."


@dataclass(frozen=True, slots=True)
class Member:
    """One file of a backup: bytes, and their SHA-256 in hex."""

    size: int
    sha256: str


@dataclass(frozen=True, slots=True)
class Manifest:
    """What a backup holds; `engine` is the vendor of its database, `migrations` those that were applied to it."""

    engine: str
    created_at: str
    migrations: list[str]
    members: dict[str, Member]


def write(
    target: Path, members: Mapping[str, Path], *, engine: str, created_at: str, migrations: list[str]
) -> Manifest:
    """Write a backup of files by their names in it; one that is gone meanwhile is left out. Raises OSError."""
    told: dict[str, Member] = {}
    with tarfile.open(target, "x:gz", compresslevel=6) as tar:
        for name, path in members.items():
            try:
                file = path.open("rb")
            except FileNotFoundError:
                continue
            with file:
                told[name] = _add(tar, name, file)
        manifest = Manifest(engine, created_at, migrations, told)
        text = json.dumps({"format": FORMAT} | asdict(manifest), indent=1).encode()
        _add(tar, MANIFEST, io.BytesIO(text), size=len(text))
    return manifest


def check(source: Path) -> Manifest:
    """Read a whole backup and compare it with its list. Raises CannotRestore."""
    found: dict[str, Member] = {}
    text = b""
    with _opened(source) as tar:
        for info, file in _members(tar, source):
            if info.name == MANIFEST:
                text = file.read(_LARGEST_MANIFEST)
            else:
                hashed = _Hashed(file)
                while hashed.read(_PIECE):
                    pass
                found[info.name] = hashed.member
    manifest = _manifest(text, source)
    if found != manifest.members or DATABASE not in found:
        raise CannotRestore(_NOT_WHOLE.format(source))
    return manifest


def unpack(source: Path, place: Path, manifest: Manifest) -> None:
    """Write the members of a checked backup below a new folder. Raises CannotRestore and OSError."""
    with _opened(source) as tar:
        for info, file in _members(tar, source):
            if info.name != MANIFEST and _unpack(file, place / info.name) != manifest.members.get(info.name):
                raise CannotRestore(_NOT_WHOLE.format(source))


def _unpack(file: IO[bytes], target: Path) -> Member:
    target.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    hashed = _Hashed(file)
    with target.open("xb") as out:
        target.chmod(0o600)
        while piece := hashed.read(_PIECE):
            out.write(piece)
    return hashed.member


@contextmanager
def _opened(source: Path) -> Iterator[tarfile.TarFile]:
    """Open a backup; whatever cannot be read of it while it is open becomes a CannotRestore."""
    if not source.is_file():
        raise CannotRestore(f"There is no file {source}.")
    try:
        with tarfile.open(source, "r:gz") as tar:
            yield tar
    except (tarfile.TarError, EOFError, zlib.error, gzip.BadGzipFile) as exc:
        raise CannotRestore(_NOT_WHOLE.format(source)) from exc


def _members(tar: tarfile.TarFile, source: Path) -> Iterator[tuple[tarfile.TarInfo, IO[bytes]]]:
    """Yield the regular files; whoever made them may have meant harm. Raises CannotRestore."""
    for info in tar:
        file = tar.extractfile(info) if info.isreg() and _is_inside(info.name) else None
        if file is None:
            raise CannotRestore(f"{source} is no backup of MemDock: it holds more than plain files.")
        yield info, file


def _is_inside(name: str) -> bool:
    parts = PurePosixPath(name).parts
    return bool(parts) and "\0" not in name and not name.startswith("/") and ".." not in parts


def _manifest(text: bytes, source: Path) -> Manifest:
    try:
        data: dict[str, Any] = json.loads(text)
        if data.pop("format") != FORMAT:
            raise CannotRestore(f"{source} is a backup of a kind that this MemDock does not know.")
        members = {name: Member(**member) for name, member in data.pop("members").items()}
        return Manifest(**data, members=members)
    except (ValueError, TypeError, KeyError, AttributeError) as exc:
        raise CannotRestore(_NOT_WHOLE.format(source)) from exc


def _add(tar: tarfile.TarFile, name: str, file: IO[bytes], *, size: int | None = None) -> Member:
    info = tarfile.TarInfo(name)
    info.size, info.mode = size if size is not None else _size(file), 0o600
    hashed = _Hashed(file)
    tar.addfile(info, hashed)
    return hashed.member


def _size(file: IO[bytes]) -> int:
    size = file.seek(0, io.SEEK_END)
    file.seek(0)
    return size


class _Hashed:
    """A file that is hashed while it is read."""

    def __init__(self, file: IO[bytes]) -> None:
        self._file, self._hash, self._size = file, hashlib.sha256(), 0

    def read(self, size: int = -1) -> bytes:
        piece = self._file.read(size)
        self._hash.update(piece)
        self._size += len(piece)
        return piece

    @property
    def member(self) -> Member:
        return Member(self._size, self._hash.hexdigest())
