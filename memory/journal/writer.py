"""Appends entries to day files, in the bytes of MemSearch's plugins: under a lock, whole or not at all, never rewriting.

Format: specs of MemSearch's dsh and claude-code plugins. A new file gets `# DATE` and a session heading; a session that
is new to the day gets a heading of its own. Dates and times are local.
"""

from __future__ import annotations

import fcntl
import os
import re
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path

from django.utils import timezone

from memory import descriptors
from memory.descriptors import FOLDER, Missing, Refused
from memory.journal import grammar
from memory.journal.anchors import Anchor, line
from memory.journal.sync import DIRECTORY

_DAY_FILE = re.compile(r"\d{4}-\d{2}-\d{2}\.md", re.ASCII)
_OPEN = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC


@dataclass(frozen=True, slots=True)
class Appended:
    """Where an entry stands, below `.memsearch`; `was_there` tells that nothing had to be written."""

    path: str
    was_there: bool


class CannotWrite(Exception):
    """The journal refuses the entry; the message is one sentence that names no path."""


def append(memory_dir: Path, *, anchor: Anchor, body: str, occurred_at: datetime, copies: int = 1) -> Appended:
    """Append one entry to the day file of a local date, unless its turn stands in a journal `copies` times already.

    The folder `memory` is made where it is missing. Writers of MemDock wait for one another; what another tool appends
    at the same moment stays. Raises CannotWrite, after which the file is as it was.
    """
    moment = timezone.localtime(occurred_at)
    name = f"{moment:%Y-%m-%d}.md"
    try:
        with _folder(memory_dir) as folder:
            found = _find(folder, _needle(anchor), copies)
            if found:
                return Appended(f"{DIRECTORY}/{found}", was_there=True)
            with _day(name, folder) as file:
                before = descriptors.read_at(file, os.fstat(file).st_size, 0)
                _write(file, _entry(before, moment, anchor, body), len(before))
            os.fsync(folder)
    except (Missing, Refused) as exc:
        raise CannotWrite(str(exc)) from exc
    except OSError as exc:
        raise CannotWrite(f"The journal cannot be written: {exc.strerror}.") from exc
    return Appended(f"{DIRECTORY}/{name}", was_there=False)


@contextmanager
def _folder(memory_dir: Path) -> Iterator[int]:
    """Hold the folder of the day files, and its lock; no file is left behind for that."""
    root = descriptors.open_root(memory_dir)
    try:
        try:
            os.mkdir(DIRECTORY, dir_fd=root)
        except FileExistsError:
            pass
        folder = descriptors.open_part(DIRECTORY, root)
    finally:
        os.close(root)
    try:
        descriptors.expect(folder, stat.S_IFDIR, otherwise=descriptors.FILE)
        fcntl.flock(folder, fcntl.LOCK_EX)
        yield folder
    finally:
        os.close(folder)


@contextmanager
def _day(name: str, folder: int) -> Iterator[int]:
    with descriptors.spoken():
        file = os.open(name, _OPEN, 0o644, dir_fd=folder)
    try:
        descriptors.expect(file, stat.S_IFREG, otherwise=FOLDER)
        yield file
    finally:
        os.close(file)


def _needle(anchor: Anchor) -> bytes:
    """What MemSearch itself looks for (`captureExists`): the blank keeps turn 1 apart from turn 11."""
    return line(anchor).partition(f" {anchor.kind or 'db'}:")[0].encode() + b" "


def _find(folder: int, needle: bytes, copies: int) -> str:
    """Return the newest day file that completes `copies` entries of this turn, or "". Reads all day files."""
    count = 0
    for name in sorted(name for name in os.listdir(folder) if _DAY_FILE.fullmatch(name)):
        try:
            file = descriptors.open_part(name, folder)
        except (Missing, Refused):  # a link, say: not ours, and nothing that we wrote stands in it
            continue
        try:
            facts = os.fstat(file)
            if stat.S_ISREG(facts.st_mode):
                count += descriptors.read_at(file, facts.st_size, 0).count(needle)
        finally:
            os.close(file)
        if count >= copies:
            return name
    return ""


def _entry(before: bytes, moment: datetime, anchor: Anchor, body: str) -> bytes:
    """Return what is appended to a file that holds `before`, in the line ends of that file."""
    text = f"### {moment:%H:%M}\n{line(anchor)}\n{_harmless(body)}\n\n"
    if f"session:{anchor.session} ".encode() not in before:
        text = f"## Session {moment:%H:%M}\n\n{text}"
    content = before.removeprefix(grammar.BOM)
    if not content:
        text = f"# {moment:%Y-%m-%d}\n\n{text}"
    else:
        unix = content[-4:].replace(b"\r\n", b"\n")
        text = "\n" * (2 - min(2, len(unix) - len(unix.rstrip(b"\n")))) + text
    newline = "\r\n" if content.count(b"\r\n") * 2 > content.count(b"\n") else "\n"
    return text.replace("\n", newline).encode()


def _harmless(body: str) -> str:
    """Return a body that can pass for no heading and no anchor, so that it neither forges nor hides an entry."""
    text = grammar.clean(body).replace("<!--", "&lt;!--").strip()
    if not text:
        raise CannotWrite("There is nothing to write.")
    return "\n".join(f" {one}" if grammar.is_boundary(one) else one.rstrip() for one in text.split("\n"))


def _write(file: int, data: bytes, size: int) -> None:
    """Write all, and have it on disk; or, when the disk refuses, take back what was written of it."""
    done = 0
    try:
        while done < len(data):
            done += os.write(file, data[done:])
        os.fsync(file)
    except OSError:
        if done and os.fstat(file).st_size == size + done:
            os.ftruncate(file, size)
        raise
