"""DeepSeek Harness: session events of both generations, numbered by DSH itself."""

from __future__ import annotations

from collections.abc import Sequence

from memory.capture.document import Document
from memory.capture.platforms.base import Compaction, Ended, Event, Reading
from memory.journal.anchors import Kind
from memory.transcripts import fields
from memory.transcripts.conversation import JsonObject
from memory.transcripts.dsh.turns import DshParser
from memory.transcripts.limits import LIMITS
from memory.transcripts.lines import Tally

anchor_kind: Kind = "db"
agent_name = "DeepSeek Harness"

_KEPT = {"turn/start", "turn/end", "user/message", "assistant/message", "tool/call", "tool/result"}
_COMPACTION = "compaction/summary"


def place(document: Document, *, after: int) -> Sequence[Event]:
    """Number by `seq`. Events without one come from no DSH and are left out."""
    numbered = ((fields.number(event.get("seq")), event) for event in document.events)
    return [
        Event(seq, _slim(event))
        for seq, event in numbered
        if seq is not None and event.get("type") in _KEPT | {_COMPACTION}
    ]


def read(events: Sequence[Event], document: Document) -> Reading:
    """Read turns from `turn/start` to `turn/end`; what came before the first start belongs to none."""
    parser = DshParser(LIMITS, Tally())
    turns = [draft.freeze(draft.sketch) for draft in parser.drafts(event.data for event in events)]
    ended = [
        Ended(turn=turn, anchor_path=document.transcript) for turn in turns if turn.id and turn.status != "running"
    ]
    starts = [event.seq for event in events if event.data.get("type") == "turn/start"]
    is_open = bool(parser.sketches) and parser.sketches[-1].status == "running"
    return Reading(
        ended=tuple(ended),
        compactions=tuple(_compaction(event) for event in events if event.data.get("type") == _COMPACTION),
        open_from=starts[-1] if is_open and starts else None,
    )


def _compaction(event: Event) -> Compaction:
    return Compaction(fields.joined(fields.record(event.data.get("data")).get("summary")))


def _slim(event: JsonObject) -> JsonObject:
    """Leave out what was streamed: the message holds it all."""
    data = fields.record(event.get("data"))
    return event | {"data": {key: value for key, value in data.items() if key != "stream"}}
