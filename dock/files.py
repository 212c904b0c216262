"""What the read-only `.memsearch` browser shows of a project's memory folder.

Visible is every name that does not start with `.` and is not `opencode-turns.db` or one of its companions (`-wal`,
`-shm`): this leaves out `.git`, and the pid, lock and state files of the tools, all of which start with `.`. What is not
visible is neither listed nor opened, at any level, and is answered exactly as a file that does not exist.
"""

from __future__ import annotations

import codecs
import os
import posixpath
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import BinaryIO, Literal

from memory.descriptors import ABSENT
from memory.disk import Content, DiskError, Item, Missing, Tree

type Part = Literal["head", "tail"]
type Type = Literal["markdown", "text", "json", "toml", "yaml", "code", "empty", "binary"]

PREVIEW_LIMIT = 262_144
"""Bytes, of the file and of the UTF-8 content made of it; the cap of MemSearch's own browser (specs/memsearch.md, 7.6)."""

LISTING_LIMIT = 5_000
"""Rows of one folder."""

_TYPES: dict[str, tuple[Type, str]] = {
    ".md": ("markdown", "markdown"),
    ".markdown": ("markdown", "markdown"),
    ".json": ("json", "json"),
    ".jsonl": ("json", "json"),
    ".toml": ("toml", "toml"),
    ".yaml": ("yaml", "yaml"),
    ".yml": ("yaml", "yaml"),
}
_CODE = {
    ".bash": "bash", ".c": "c", ".cfg": "ini", ".cjs": "js", ".cpp": "cpp", ".css": "css", ".diff": "diff", ".go": "go",
    ".h": "c", ".html": "html", ".ini": "ini", ".java": "java", ".js": "js", ".jsx": "js", ".kt": "kotlin", ".lua": "lua",
    ".mjs": "js", ".patch": "diff", ".php": "php", ".pl": "perl", ".py": "python", ".rb": "ruby", ".rs": "rust",
    ".scss": "scss", ".sh": "bash", ".sql": "sql", ".swift": "swift", ".ts": "typescript", ".tsx": "typescript",
    ".xml": "xml", ".zsh": "bash",
}  # fmt: skip
_BINARY = {
    ".7z", ".bin", ".bmp", ".bz2", ".class", ".db", ".dll", ".dylib", ".exe", ".gif", ".gz", ".ico", ".jpeg", ".jpg",
    ".mp3", ".mp4", ".npy", ".ogg", ".otf", ".pdf", ".png", ".pyc", ".so", ".sqlite", ".sqlite3", ".tar", ".ttf", ".wasm",
    ".wav", ".webm", ".webp", ".woff", ".woff2", ".xz", ".zip", ".zst", ".zstd",
}  # fmt: skip

NO_PREVIEW = "Binary file, no preview."
EMPTY = "This file is empty."
LINK_INSIDE = "link, not followed"
LINK_OUTSIDE = "link leaves the project, not shown"
SPECIAL = "not a regular file"
ODD_NAME = "name cannot be opened"

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
_EARLIEST = (datetime.min.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)
_LATEST = (datetime.max.replace(tzinfo=UTC) - _EPOCH) // timedelta(microseconds=1)


@dataclass(frozen=True, slots=True)
class Row:
    """One name in a folder; `size` is in bytes, `path` is relative to the memory folder."""

    name: str
    path: str
    kind: Literal["dir", "file", "link"]
    size: int
    modified: datetime
    previewable: bool
    note: str


@dataclass(frozen=True, slots=True)
class Listing:
    """One folder: its rows in order, how many names it hides, and whether rows are left out (`truncated`)."""

    path: str
    items: tuple[Row, ...]
    hidden: int
    truncated: bool


@dataclass(frozen=True, slots=True)
class Preview:
    """The start or the end of one file.

    `size` and `shown` are bytes of the file; `first_line` is the number of the first line shown, `None` where the start
    of the file is not. `content` may have more bytes than `shown` says, never more than `PREVIEW_LIMIT`: bytes that are
    not UTF-8 are replaced, one by one.
    """

    path: str
    name: str
    type: Type
    language: str
    size: int
    modified: datetime
    shown: int
    truncated: bool
    first_line: int | None
    content: str
    note: str


def listing(root: Path, path: str = "") -> Listing:
    """List one folder of the memory folder `root`; raise `Missing` or `Refused`."""
    with _visible(root, path) as tree:
        items = tree.scan(path)
        shown = [item for item in items if not _is_hidden(item.name)]
        rows = tuple(_row(tree, path, item) for item in shown[:LISTING_LIMIT])
    return Listing(path, rows, len(items) - len(shown), len(shown) > LISTING_LIMIT)


def preview(root: Path, path: str, *, part: Part = "head") -> Preview:
    """Read the start or the end of one file; raise `Missing` or `Refused` (a folder, a link, a special file)."""
    with _visible(root, path) as tree:
        content = tree.read(path, limit=PREVIEW_LIMIT, offset=-PREVIEW_LIMIT if part == "tail" else 0)
    return of_content(path, content, part=part)


def of_content(path: str, content: Content, *, part: Part = "head") -> Preview:
    """Make a preview of bytes that were read already, at most `PREVIEW_LIMIT` of them from the start or the end."""
    name = posixpath.basename(path)
    kept = _decoded(content, part)
    if content.size == 0 or _is_binary(content, kept):
        return _without_content(path, content)
    shown = len(kept.encode("utf-8", "surrogateescape"))
    kind, language = _type(name)
    first_line = 1 if part == "head" or shown == content.size else None
    modified = _moment(content.modified_ns)
    text, cut = _readable(kept), shown < content.size
    return Preview(path, name, kind, language, content.size, modified, shown, cut, first_line, text, "")


def download(root: Path, path: str) -> tuple[BinaryIO, str, int]:
    """Open one whole file; give it (the caller closes it), its name and its size in bytes."""
    with _visible(root, path) as tree:
        file = tree.open(path)
    return file, posixpath.basename(path), os.fstat(file.fileno()).st_size


def size_words(size: int) -> str:
    """Say a size as people do: `812 B`, `6.1 KB`, `1.0 MB` (of 1,024)."""
    if size < 1024:
        return f"{size} B"
    amount, unit = size / 1024, "KB"
    for larger in ("MB", "GB", "TB"):
        if round(amount, 1) < 1024:
            break
        amount, unit = amount / 1024, larger
    return f"{amount:.1f} {unit}"


@contextmanager
def _visible(root: Path, path: str) -> Iterator[Tree]:
    """Open the tree, unless the path goes through something hidden."""
    with Tree(root) as tree:
        if any(_is_hidden(name) for name in path.split("/")):
            raise Missing(ABSENT)
        yield tree


def _is_hidden(name: str) -> bool:
    return name.startswith(".") or name.casefold().startswith("opencode-turns.db")


def _row(tree: Tree, folder: str, item: Item) -> Row:
    path = posixpath.join(folder, item.name)
    note = _note(tree, path, item)
    kind: Literal["dir", "file", "link"] = "file" if item.kind == "other" else item.kind
    return Row(item.name, path, kind, item.size, _moment(item.modified_ns), kind == "file" and not note, note)


def _note(tree: Tree, path: str, item: Item) -> str:
    if item.kind == "link":
        return LINK_OUTSIDE if item.openable and _leaves(tree, path) else LINK_INSIDE
    if item.kind == "other":
        return SPECIAL
    if not item.openable:
        return ODD_NAME
    return NO_PREVIEW if item.kind == "file" and _suffix(item.name) in _BINARY else ""


def _leaves(tree: Tree, path: str) -> bool:
    """Tell by its text alone whether a link leads out of the tree; only the wording hangs on it, nothing is opened."""
    try:
        target = os.path.normpath(tree.root / posixpath.dirname(path) / tree.target(path))
    except DiskError:  # gone, or no link any more
        return False
    return not Path(target).is_relative_to(tree.root)


def _decoded(content: Content, part: Part) -> str:
    """Decode what was read with one surrogate for each bad byte, and cut it so that the readable text fits the limit.

    A character that our own cut went through is left out: its bytes are not bad.
    """
    data = content.data
    if content.offset:
        data = re.sub(rb"\A[\x80-\xbf]{1,3}", b"", data)
    decoder = codecs.getincrementaldecoder("utf-8")("surrogateescape")
    text = decoder.decode(data, final=content.offset + len(content.data) >= content.size)
    encoded = _readable(text).encode()
    if len(encoded) <= PREVIEW_LIMIT:
        return text
    if part == "tail":
        return text[-len(encoded[-PREVIEW_LIMIT:].decode("utf-8", "ignore")) :]
    return text[: len(encoded[:PREVIEW_LIMIT].decode("utf-8", "ignore"))]


def _readable(text: str) -> str:
    return re.sub("[\udc80-\udcff]", "\ufffd", text)


def _is_binary(content: Content, text: str) -> bool:
    """Tell text from the rest: no NUL byte, no mark of UTF-16, at most 3 of 10 characters undecodable."""
    has_mark = content.offset == 0 and content.data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    bad_count = len(re.findall("[\udc80-\udcff]", text))
    return has_mark or b"\0" in content.data or bad_count > len(text) * 0.3


def _without_content(path: str, content: Content) -> Preview:
    kind: Type = "binary" if content.size else "empty"
    note, modified = (NO_PREVIEW if content.size else EMPTY), _moment(content.modified_ns)
    return Preview(
        path, posixpath.basename(path), kind, "", content.size, modified, 0, content.size > 0, None, "", note
    )


def _type(name: str) -> tuple[Type, str]:
    suffix = _suffix(name)
    if suffix in _CODE:
        return "code", _CODE[suffix]
    return _TYPES.get(suffix, ("text", ""))


def _suffix(name: str) -> str:
    return posixpath.splitext(name)[1].lower()


def _moment(nanoseconds: int) -> datetime:
    """Give a file's time in UTC; a time that no calendar has (anybody may set one) becomes the nearest that it has."""
    return _EPOCH + timedelta(microseconds=min(max(nanoseconds // 1000, _EARLIEST), _LATEST))
