"""`memdock export`: writes everything that agents and people saved as Engram's export."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.engram.exchange import exporting
from memory.management.base import MemdockCommand, add_json
from memory.models import Project
from memory.projects import queries


class Command(MemdockCommand):
    help = "write everything that was saved as an export of Engram (JSON 0.2.0)"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--project", default="", help="one project only")
        parser.add_argument("-o", "--output", default="", metavar="FILE", help="a file instead of standard output")
        add_json(parser)

    def handle(self, *, project: str, output: str, as_json: bool, **options: object) -> None:
        pieces = exporting.pieces(_project(project), at=timezone.now())
        if not output:
            for piece in pieces:
                self.stdout.write(piece, ending="")
            return
        try:
            size = _write(Path(output).expanduser(), pieces)
        except OSError as exc:
            raise CommandError(f"{output} cannot be written: {exc.strerror}.") from exc
        self.report({"file": output, "bytes": size}, [f"{output}: {size:,} bytes"], as_json=as_json)


def _project(name: str) -> Project | None:
    if not name:
        return None
    found = queries.find(name)
    if found is None:
        raise CommandError(f"There is no project {name}.")
    return found


def _write(path: Path, pieces: Iterator[str]) -> int:
    """Write a file that only its owner reads, and put it in its place when it is whole; return its size."""
    handle, part = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    try:
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as file:
            file.writelines(pieces)
            size = file.tell()
        Path(part).replace(path)
    except BaseException:
        with suppress(FileNotFoundError):
            Path(part).unlink()
        raise
    return size
