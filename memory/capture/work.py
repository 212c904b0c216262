"""One step of the outbox: claim a turn, summarise it, append it to the journal, and have it read at once."""

from __future__ import annotations

import logging
import time
from datetime import datetime, timedelta

from django.utils import timezone

from memory.capture import outbox, places, transcripts, usage
from memory.capture.platforms import registry
from memory.capture.summarizers import choice
from memory.capture.summarizers.base import Summary, Unavailable
from memory.capture.usage import LimitReached
from memory.configuration.memsearch import Unset
from memory.journal import writer
from memory.journal.anchors import Anchor
from memory.models import Capture, Entry
from memory.models.capture import CaptureState
from memory.projects import sync

logger = logging.getLogger("memdock.capture")

UNAVAILABLE = (
    "- Memory summary unavailable: {reason}; transcript content was omitted. "
    "Use the transcript anchor for progressive disclosure."
)
"""MemSearch's note, which its readers and ours know."""


PAUSE = timedelta(minutes=10)
"""How long a project's turns of the past wait after one that got no summary."""


class _Later(Exception):
    """A turn of the past gets no summary now; `until` is when it can, None where only trying again tells."""

    def __init__(self, reason: str, until: datetime | None) -> None:
        super().__init__(reason)
        self.reason = reason
        self.until = until


def step(*, at: datetime) -> bool:
    """Bring one captured turn into its journal; tell whether there was one."""
    capture = outbox.claim(worker=outbox.claimant(), at=at)
    if capture is None:
        return False
    try:
        _work(capture)
    except _Later as later:
        _wait(capture, later)
    except (writer.CannotWrite, places.NoPlace) as exc:
        outbox.again(capture, str(exc), at=timezone.now())
    except Exception:  # our own mistake on one turn must neither stop the others nor lose this one
        logger.exception("Turn %s of session %s could not be captured.", capture.turn, capture.session_id)
        outbox.again(capture, "MemDock failed on this turn; its log says why.", at=timezone.now())
    return True


def _wait(capture: Capture, later: _Later) -> None:
    """Let the project's turns of the past wait: for the next day, or as a summarizer that fails may fail on all."""
    now = timezone.now()
    if later.until is None:
        outbox.again(capture, later.reason, at=now)
    if capture.state != CaptureState.SKIPPED:
        reason = f"Waits: {later.reason}."
        outbox.put_off(capture, reason, until=later.until or now + PAUSE)


def _work(capture: Capture) -> None:
    if capture.is_in_transcript:
        transcripts.complete(capture)
        if not capture.question:
            return outbox.skip(capture, "Nobody asked anything in this turn.", at=timezone.now())
    memory_dir = places.memory_dir(capture)
    body, reason = _body(capture)
    anchor = _anchor(capture)
    writer.append(memory_dir, anchor=anchor, body=body, occurred_at=capture.occurred_at, copies=capture.version)
    sync.sync(capture.project, at=timezone.now())
    return outbox.written(capture, _entry(capture, anchor), reason=reason, at=timezone.now())


def _body(capture: Capture) -> tuple[str, str]:
    """Return what is written, and the reason where that is only the note; a summary that was paid for is not asked again."""
    if capture.summary:
        return capture.summary, ""
    started = time.monotonic()
    agent_name = registry.of(capture.platform).agent_name
    try:
        summarizer = choice.choose(capture)
        if summarizer.name not in usage.FREE:
            usage.check(capture, at=timezone.now())
        summary = summarizer.summarize(capture, agent_name=agent_name)
    except (Unavailable, Unset) as exc:
        if capture.is_backfilled:  # it has waited for so long that it can wait for a summary
            raise _Later(str(exc), exc.until if isinstance(exc, LimitReached) else None) from exc
        return UNAVAILABLE.format(reason=" ".join(str(exc).split())), str(exc)
    _remember(capture, summarizer.name, summary, time.monotonic() - started)
    return summary.text, ""


def _remember(capture: Capture, summarizer: str, summary: Summary, seconds: float) -> None:
    outbox.keep(
        capture,
        summary=summary.text,
        summarizer=summarizer,
        model=summary.model[:200],
        input_tokens=summary.input_tokens,
        output_tokens=summary.output_tokens,
        cost_usd=summary.cost_usd,
        duration_ms=round(seconds * 1000),
    )


def _anchor(capture: Capture) -> Anchor:
    return Anchor(
        session=capture.session.external_id,
        turn=capture.anchor_turn or capture.turn,
        has_turn=True,
        kind=registry.of(capture.platform).anchor_kind,
        path=capture.anchor_path,
    )


def _entry(capture: Capture, anchor: Anchor) -> Entry | None:
    """Return the newest entry of the turn, as the journal was read just now."""
    rows = Entry.objects.filter(project=capture.project, session__external_id=anchor.session, turn=anchor.turn)
    return rows.order_by("-date", "-ordinal").first()
