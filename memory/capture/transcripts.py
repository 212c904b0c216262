"""Completes a turn from the agent's own transcript, where its hooks told only how it began and ended."""

from __future__ import annotations

import time
from dataclasses import replace

from memory.capture import outbox, rendering
from memory.models import Capture
from memory.transcripts import find, reading
from memory.transcripts.conversation import Turn
from memory.transcripts.places import Unavailable

PATIENCE = 2.0
"""Seconds that the last lines of a turn are waited for; the file may lag behind its hook."""
_PAUSE = 0.1


def complete(capture: Capture) -> None:
    """Fill in what the transcript says of the turn; without it the prompt and the last answer are the turn."""
    told = rendering.final(capture.rendered)
    until = time.monotonic() + PATIENCE
    turn = _turn(capture)
    while (turn is None or not _has(turn, told)) and time.monotonic() < until:
        time.sleep(_PAUSE)
        turn = _turn(capture)
    if turn is None:
        return
    whole = turn if _has(turn, told) else replace(turn, assistant=(*turn.assistant, told))
    outbox.keep(
        capture,
        question=rendering.question(whole) or capture.question,
        rendered=rendering.render(whole),
        anchor_turn=turn.id[:300],
        is_in_transcript=False,
    )


def _turn(capture: Capture) -> Turn | None:
    try:
        location = find.locate(platform=capture.platform, path=capture.anchor_path, session=capture.session.external_id)
        transcript = reading.read(location, turn=capture.turn, context=0)
    except Unavailable:
        return None
    if transcript.found_by != "id":
        return None
    return next((turn for turn in transcript.turns if turn.number == transcript.asked), None)


def _has(turn: Turn, told: str) -> bool:
    """Tell whether the last answer is there, as the hook told it."""
    return not told or any(told[:200] in text for text in turn.assistant)
