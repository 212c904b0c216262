"""`/events`, `/recall` and the agent's inbox: the doors of agents that are captured."""

from __future__ import annotations

from typing import cast

from django.http import HttpRequest
from django.utils.timezone import now
from ninja import Query, Router, Schema, Status
from pydantic import Field

from memory.api.auth import may
from memory.api.errors import ApiError, documented
from memory.api.v1 import paths
from memory.api.v1.schemas.capture import Answer, Captured, Cursor, Delivery, Inbox, Message, Question, Receipt
from memory.capture import accept, document, inbox
from memory.models.token import Scope
from memory.recall import injection
from memory.transcripts.conversation import Json

router = Router(tags=["capture"])

WRITE = may(Scope.WRITE, permission="memory.add_capture")


@router.post(
    "/events",
    operation_id="deliver_events",
    summary="Deliver an agent's events",
    description="202 when a turn was queued. The same delivery again changes nothing.",
    auth=WRITE,
    response=documented({200: Receipt, 202: Receipt}, 400, 413, 415, 422),
    exclude_unset=True,
)
def deliver(request: HttpRequest, delivery: Delivery) -> Status[Receipt]:
    try:
        parsed = document.parse(cast("Json", delivery.dict(exclude_unset=True)))
    except document.BadDocument as exc:
        raise ApiError(422, str(exc), field=exc.field) from exc
    accepted = accept.accept(parsed, at=now())
    receipt = Receipt(
        session=accepted.session,
        next_seq=accepted.next_seq,
        stored=accepted.stored,
        captures=[Captured.of(taken) for taken in accepted.captures],
    )
    return Status(202 if any(taken.state == "queued" for taken in accepted.captures) else 200, receipt)


@router.get(
    "/sessions/{anything:key}/cursor",
    operation_id="get_cursor",
    summary="Tell which event of a session is expected next",
    response=documented({200: Cursor}),
)
def cursor(request: HttpRequest, key: str) -> Cursor:
    return Cursor(next_seq=max(accept.cursor(reading) for reading in paths.readings(key)))


@router.post(
    "/recall",
    operation_id="recall",
    summary="Ask what an agent should know before its next step",
    auth=WRITE,
    response=documented({200: Answer}, 400, 413, 415, 422),
    exclude_unset=True,
)
def recall(request: HttpRequest, asked: Question) -> Answer:
    return Answer.of(injection.recall(**asked.dict(), at=now()))


class Addressee(Schema):
    """Whose inbox is read."""

    session: str = Field(description="The agent's own id of its session.")


@router.get(
    "/agent-inbox",
    operation_id="read_inbox",
    summary="Read the messages that wait for a session",
    auth=WRITE,
    response=documented({200: Inbox}, 422),
)
def waiting(request: HttpRequest, addressee: Query[Addressee]) -> Inbox:
    return Inbox(items=[Message.of(row) for row in inbox.waiting(addressee.session, at=now())])


@router.post(
    "/agent-inbox/{int:pk}/ack",
    operation_id="acknowledge",
    summary="Say that the agent has a message",
    auth=WRITE,
    response=documented({200: Message}, 404),
)
def acknowledge(request: HttpRequest, pk: int) -> Message:
    found = inbox.acknowledge(pk=pk, at=now())
    if found is None:
        raise ApiError(404, "There is no such message.")
    return Message.of(found)
