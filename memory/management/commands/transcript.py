"""`memdock transcript`: the conversation behind a memory."""

from __future__ import annotations

import json
from collections.abc import Iterator

from django.core.management.base import CommandParser

from memory.api.v1.schemas import recall as schemas
from memory.journal.grammar import clean
from memory.management.base import MemdockCommand, add_json
from memory.recall.expand import CannotExpand, NotFound
from memory.recall.transcript import CONTEXT, transcript
from memory.transcripts.conversation import Message, Tool, Transcript, messages
from memory.transcripts.places import Unavailable


class Command(MemdockCommand):
    help = "show the conversation that an entry or session comes from"
    expected = (NotFound, CannotExpand, Unavailable)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("ref", help="entry:12 or session:KEY")
        parser.add_argument("--context", type=int, default=CONTEXT, help="turns on each side (3)")
        add_json(parser)

    def handle(self, *, ref: str, context: int, as_json: bool, **options: object) -> None:
        found = transcript(ref, context=max(context, 0))
        data = schemas.Transcript.of(found).model_dump(mode="json")
        self.report(data, [clean(line) for line in _lines(found.transcript)], as_json=as_json)


def _lines(found: Transcript) -> Iterator[str]:
    yield f"{found.platform}, session {found.session}, {len(found.turns)} of {found.total} turns"
    yield from found.notes
    for message in messages(found):
        yield from _message(message)


def _message(message: Message) -> Iterator[str]:
    yield from ("", f"{'User' if message.role == 'user' else 'Assistant'}, turn {message.turn}:", message.text)
    for tool in message.tools:
        yield from _tool(tool)


def _tool(tool: Tool) -> Iterator[str]:
    yield f"  [{tool.name}] {json.dumps(tool.input, ensure_ascii=False)}"
    if tool.output:
        yield f"  → {tool.output}"
