"""`/agent-loop`: what an agent's connector tells the memory plugins, asks them, and lets the model do with them."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.http import HttpRequest
from django.utils.timezone import now
from ninja import Query, Router, Status

from memory.agent_loop import asking, points, policy, queue, tools
from memory.agent_loop.errors import BadObservation, SwitchedOff
from memory.agent_loop.points import Observation
from memory.api.auth import may
from memory.api.errors import ApiError, documented
from memory.api.v1.schemas.agent_loop import (
    Answer,
    Flush,
    Flushed,
    Message,
    Observed,
    Output,
    Policy,
    RecallPolicy,
    Taken,
    ToolCall,
    Whose,
)
from memory.models.token import Scope
from memory.service.errors import BadRequest, RequestBusy, RequestConflict

router = Router(tags=["agent loop"])

WRITE = may(Scope.WRITE, permission="memory.add_capture")


@router.get(
    "/agent-loop/policy",
    operation_id="get_loop_policy",
    summary="Tell which moments of a session's loop the plugins take part in",
    auth=WRITE,
    response=documented({200: Policy}, 422),
)
def held(request: HttpRequest, whose: Query[Whose]) -> Policy:
    with _refused():
        session = points.session(whose.session, whose.cwd)
    found = policy.of_scope(session.scope).as_json()
    return Policy(
        retrieve=found["retrieve"],
        store=found["store"],
        modelTools=found["modelTools"],
        recall=RecallPolicy.model_validate(found["recall"]),
        nextSeq=queue.next_seq(session.id),
    )


@router.post(
    "/agent-loop/retrieve",
    operation_id="retrieve_in_loop",
    summary="Ask all plugins at a moment of the loop",
    auth=WRITE,
    response=documented({200: Answer}, 400, 413, 415, 422),
)
def retrieve(request: HttpRequest, seen: Observed) -> Answer:
    with _refused():
        found = asking.ask(_observation(seen, is_asked=True))
    return Answer(message=Message.model_validate(found.message) if found.message else None, reason=found.reason)


@router.post(
    "/agent-loop/updates",
    operation_id="tell_in_loop",
    summary="Tell all plugins what happened in the loop",
    description="202: it is durable, and delivered in its session's order. The same one again changes nothing.",
    auth=WRITE,
    response=documented({200: Taken, 202: Taken}, 400, 413, 415, 422),
)
def update(request: HttpRequest, seen: Observed) -> Status[Taken]:
    with _refused():
        observed = _observation(seen, is_asked=False)
        if not policy.of_scope(observed.session.scope).has(*observed.point.switch):
            return Status(200, Taken(state="off"))
        is_new = queue.take(observed, request_id=seen.requestId, at=now())
    return Status(202, Taken(state="queued")) if is_new else Status(200, Taken(state="known"))


@router.post(
    "/agent-loop/flush",
    operation_id="flush_loop",
    summary="Wait until a session's updates are delivered",
    auth=WRITE,
    response=documented({200: Flushed}, 400, 413, 415, 422),
)
def flush(request: HttpRequest, asked: Flush) -> Flushed:
    return Flushed(flushed=queue.flush(asked.session, within=asked.seconds))


@router.post(
    "/agent-loop/tools/memory_retrieve",
    operation_id="memory_retrieve",
    summary="Let a model ask all plugins",
    auth=WRITE,
    response=documented({200: Output}, 400, 413, 415, 422),
)
def memory_retrieve(request: HttpRequest, call: ToolCall) -> Output:
    with _refused():
        session = points.session(call.session.id, call.session.cwd)
        return Output(output=tools.retrieve(session, call.arguments))


@router.post(
    "/agent-loop/tools/memory_update",
    operation_id="memory_update",
    summary="Let a model tell all plugins messages and files",
    auth=WRITE,
    response=documented({200: Output}, 400, 409, 413, 415, 422),
)
def memory_update(request: HttpRequest, call: ToolCall) -> Output:
    with _refused():
        session = points.session(call.session.id, call.session.cwd)
        return Output(output=tools.update(session, call.arguments, call_id=call.callId))


def _observation(seen: Observed, *, is_asked: bool) -> Observation:
    observed = points.observation(seen.point, seen.data)
    if observed.point.is_asked != is_asked:
        raise BadObservation(f"plugins are {'told' if is_asked else 'asked'} there", "point")
    return observed


@contextmanager
def _refused() -> Iterator[None]:
    """Answer what cannot be taken with 422, and the rest with what fits."""
    try:
        yield
    except BadObservation as exc:
        raise ApiError(422, str(exc), field=exc.field) from exc
    except BadRequest as exc:
        raise ApiError(422, str(exc)) from exc
    except SwitchedOff as exc:
        raise ApiError(403, str(exc), code="switched_off") from exc
    except RequestConflict as exc:
        raise ApiError(409, str(exc), field="callId") from exc
    except RequestBusy as exc:
        raise ApiError(503, str(exc)) from exc
