"""`memdock expand`: what a search found, in full."""

from __future__ import annotations

from collections.abc import Iterator

from django.core.management.base import CommandParser

from memory.api.v1.schemas import recall as schemas
from memory.journal.grammar import clean
from memory.management.base import MemdockCommand, add_json
from memory.recall.expand import CannotExpand, Expansion, Neighbour, NotFound, expand


class Command(MemdockCommand):
    help = "show what a search found in full, and what stands around it"
    expected = (NotFound, CannotExpand)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ref", help="a ref as memdock search prints it, such as entry:12")
        add_json(parser)

    def handle(self, *, ref: str, as_json: bool, **options: object) -> None:
        found = expand(ref)
        data = schemas.Expansion.of(found).model_dump(mode="json", exclude_unset=True)
        self.report(data, [clean(line) for line in _lines(found)], as_json=as_json)


def _lines(found: Expansion) -> Iterator[str]:
    if found.source:
        yield f"{found.source.path}, lines {found.source.start_line} to {found.source.end_line}"
    if found.note:
        yield found.note
    yield from ("", found.section, "")
    if found.anchor:
        yield f"conversation: {found.anchor.path}"
    yield from (f"before: {_neighbour(one)}" for one in found.before)
    yield from (f"after: {_neighbour(one)}" for one in found.after)


def _neighbour(one: Neighbour) -> str:
    return f"{one.ref} · {one.date.isoformat()} {one.time} · {one.title}"
