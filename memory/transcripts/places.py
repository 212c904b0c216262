"""Places of conversations: a path below a known root, and the reasons why there is none."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from memory import disk
from memory.disk import Item, Tree

type Reason = Literal["elsewhere", "unknown", "outside", "gone", "refused"]

_WINDOWS = re.compile(r"[A-Za-z]:[\\/]|\\\\")


class Unavailable(Exception):
    """A conversation cannot be shown; the message is a sentence for people and `reason` says which kind of trouble."""

    def __init__(self, reason: Reason, message: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True, slots=True)
class Location:
    """A conversation's file, below the root of its agent; `pages` are all files of it in their order.

    `by_path` tells whether the path that was asked for is the one that is read.
    """

    platform: str
    session: str
    root: Path
    pages: tuple[str, ...]
    by_path: bool

    @property
    def path(self) -> str:
        return self.pages[0]


def below(path: str, root: Path, mark: str) -> Iterator[str]:
    """Yield where a path lies below a root: as it says, and as it would on this machine.

    `mark` is what the root ends with in any home, `.codex/` say: what follows it counts even when the home is
    another one or is written as on Windows. The paths are not made safe; `Tree` refuses those that are not.
    """
    for known in dict.fromkeys((str(root.absolute()), os.path.realpath(root))):
        if path.startswith(known.rstrip("/") + "/"):
            yield path[len(known.rstrip("/")) + 1 :]
    _, found, rest = path.replace("\\", "/").rpartition(f"/{mark}")
    if found:
        yield rest


def why_absent(path: str, roots: tuple[Path, ...], mark: str) -> Unavailable:
    """Say why a path leads to nothing, after the session was looked for as well."""
    if not any(root.is_dir() for root in roots):
        return Unavailable("elsewhere", "This agent has no conversations here; they may be on another machine.")
    if not path:
        return Unavailable(
            "gone", "The file is gone: no conversation of this session is in the known transcript folders."
        )
    if any(path.startswith(f"{known}/") for root in roots for known in (root.absolute(), os.path.realpath(root))):
        return Unavailable("gone", "The file is gone, and no other file of this session is in its place.")
    if _WINDOWS.match(path) or f"/{mark}" in path.replace("\\", "/"):
        return Unavailable("elsewhere", "The conversation is on another machine, or in another home.")
    return Unavailable("outside", "The path is outside the known transcript folders; it is not opened.")


def folders(tree: Tree, path: str = "") -> list[str]:
    """Name the folders in a folder, by path; none where it is absent or cannot be read."""
    return [f"{path}/{item.name}".lstrip("/") for item in items(tree, path) if item.kind == "dir" and item.openable]


def files(tree: Tree, path: str = "") -> list[Item]:
    """List the plain files in a folder; none where it is absent or cannot be read."""
    return [item for item in items(tree, path) if item.kind == "file" and item.openable]


def items(tree: Tree, path: str) -> list[Item]:
    try:
        return tree.scan(path)
    except disk.DiskError:
        return []


def is_file(tree: Tree, path: str) -> bool:
    """Tell whether a plain file lies there. Raises `disk.Refused` for anything else that does, a link say."""
    try:
        kind = tree.stat(path).kind
    except disk.Missing:
        return False
    if kind != "file":
        raise disk.Refused(
            "This is a link; links are not followed." if kind == "link" else "This is not a regular file."
        )
    return True
