"""`/recall`: the layers below a search."""

from __future__ import annotations

from django.http import HttpRequest
from ninja import Query, Router, Schema
from pydantic import Field

from memory.api.errors import ApiError, documented
from memory.api.v1.schemas.recall import Expansion, Transcript
from memory.recall.expand import CannotExpand, NotFound, expand
from memory.recall.transcript import CONTEXT, MOST, transcript
from memory.transcripts.places import Unavailable

router = Router(tags=["recall"])


class Asked(Schema):
    """What is to be expanded."""

    ref: str = Field(description="Ref of a hit.", examples=["entry:12"])


@router.get(
    "/recall/expand",
    operation_id="expand",
    summary="Read a whole section and what stands around it",
    response=documented({200: Expansion}, 404, 422),
    exclude_unset=True,
)
def section(request: HttpRequest, asked: Query[Asked]) -> Expansion:
    try:
        return Expansion.of(expand(asked.ref))
    except NotFound as exc:
        raise ApiError(404, str(exc), field="ref") from exc
    except CannotExpand as exc:
        raise ApiError(422, str(exc), field="ref") from exc


class AskedTranscript(Asked):
    """Whose conversation is wanted, and how much of it."""

    context: int = Field(CONTEXT, ge=0, le=MOST, description="Turns on each side of the one that is asked for.")


@router.get(
    "/recall/transcript",
    operation_id="transcript",
    summary="Read the conversation that a memory was made from",
    description="404 `unavailable` says in words why the agent's own file cannot be had.",
    response=documented({200: Transcript}, 404, 422),
)
def conversation(request: HttpRequest, asked: Query[AskedTranscript]) -> Transcript:
    try:
        return Transcript.of(transcript(asked.ref, context=asked.context))
    except NotFound as exc:
        raise ApiError(404, str(exc), field="ref") from exc
    except CannotExpand as exc:
        raise ApiError(422, str(exc), field="ref") from exc
    except Unavailable as exc:
        raise ApiError(404, str(exc), code="unavailable", field="ref") from exc
