"""`memdock capture`: takes in one capture document."""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.capture import document
from memory.capture.accept import Accepted, accept
from memory.management.base import MemdockCommand, add_json
from memory.transcripts.conversation import Json


class Command(MemdockCommand):
    help = "take in one capture document from standard input"
    expected = (document.BadDocument,)

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--platform", default="", help="the agent, where the document does not name it")
        add_json(parser)

    def handle(self, *, platform: str, as_json: bool, **options: object) -> None:
        accepted = accept(document.parse(_read(platform)), at=timezone.now())
        self.report(_facts(accepted), _lines(accepted), as_json=as_json)


def _read(platform: str) -> Json:
    data = sys.stdin.buffer.read(document.LARGEST + 1)
    if len(data) > document.LARGEST:
        raise CommandError(f"The document is larger than {document.LARGEST // 1024**2} MB.")
    try:
        found: Json = json.loads(data)
    except (ValueError, RecursionError) as exc:
        raise CommandError(f"Standard input holds no JSON: {exc}.") from exc
    return {"platform": platform, **found} if platform and isinstance(found, dict) else found


def _facts(accepted: Accepted) -> dict[str, object]:
    captures = [
        {"turn": taken.turn, "state": taken.state, "reason": taken.reason, "ref": taken.ref}
        for taken in accepted.captures
    ]
    return {
        "session": accepted.session,
        "next_seq": accepted.next_seq,
        "stored": accepted.stored,
        "captures": captures,
    }


def _lines(accepted: Accepted) -> Iterator[str]:
    yield f"{accepted.session}: {accepted.stored} events taken in"
    for taken in accepted.captures:
        yield f"turn {taken.turn}: {taken.state}" + (f" ({taken.reason})" if taken.reason else "")
