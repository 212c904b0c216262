"""Tools that change memories which are there."""

from __future__ import annotations

from pydantic import Field

from memory.api.engram import shapes
from memory.engram import observations, review
from memory.engram.observations import Edit
from memory.mcp import choosing
from memory.mcp.answers import Answer, Json, cut_warning, enveloped, quoted, told, truncation
from memory.mcp.arguments import Arguments, Line, Number, Text
from memory.mcp.caller import Call
from memory.mcp.places import EVERYWHERE, stored
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models import Observation
from memory.models.token import Scope

_LISTED = 10
_MOST = 100


class Update(Arguments):
    id: Number = Field(description="Id of the memory.")
    expected_project: Line = Field("", description="The project that it must belong to, else nothing is changed.")
    title: Line | None = Field(None, description="New title.")
    content: Text | None = Field(None, description="New content; not together with find and replace.")
    find: Text | None = Field(None, description="Text of the content to replace wherever it stands; needs replace.")
    replace: Text | None = Field(None, description="What comes in its place.")
    type: Line | None = Field(None, description="New type.")
    scope: Line | None = Field(None, description="New scope: project, personal or global.")
    topic_key: Line | None = Field(None, description="New topic key.")


@tool("Update Memory", needs=Scope.WRITE, failing="Failed to update memory: ")
def mem_update(call: Call, asked: Update) -> Answer:
    """Correct a memory by its id; only what is given changes, and what it said before is kept as a version."""
    edit = Edit(**asked.model_dump(exclude={"id", "expected_project"}))
    row = observations.update(pk=asked.id, edit=edit, expected_project=asked.expected_project, at=call.at)
    text = f"Memory updated: #{row.pk} {quoted(row.title)} ({row.type}, scope={row.scope})"
    if asked.content is None:
        return enveloped(stored(row), text)
    return enveloped(
        stored(row), text + cut_warning(row.full_size), {"truncation": truncation(row.content, row.full_size)}
    )


class Delete(Arguments):
    id: Number = Field(description="Id of the memory.")
    expected_project: Line = Field("", description="The project that it must belong to, else nothing is deleted.")
    hard_delete: bool = Field(default=False, description="Delete it for good; otherwise a person can bring it back.")


@tool("Delete Memory", needs=Scope.WRITE, failing="Failed to delete memory: ", is_destructive=True)
def mem_delete(call: Call, asked: Delete) -> Answer:
    """Delete a memory by its id, so that a person can bring it back, or for good."""
    expected = asked.expected_project
    observations.delete(pk=asked.id, hard=asked.hard_delete, expected_project=expected, at=call.at)
    return Answer(f"Memory #{asked.id} {'permanently deleted' if asked.hard_delete else 'soft-deleted'}")


class Pin(Arguments):
    id: Number = Field(description="Id of the memory.")


@tool("Pin Memory", needs=Scope.WRITE, failing="Failed to update pin state: ", is_idempotent=True)
def mem_pin(call: Call, asked: Pin) -> Answer:
    """Pin a memory: it comes before recent ones in mem_context and ranks higher in searches."""
    return _pinned(observations.pin(pk=asked.id, is_pinned=True, at=call.at))


@tool("Unpin Memory", needs=Scope.WRITE, failing="Failed to update pin state: ", is_idempotent=True)
def mem_unpin(call: Call, asked: Pin) -> Answer:
    """Take the pin off a memory: it is found and listed like any other again."""
    return _pinned(observations.pin(pk=asked.id, is_pinned=False, at=call.at))


class Review(Arguments):
    action: Line = Field(description="list or mark_reviewed.")
    observation_id: Number = Field(0, description="Id of the memory that is still right, for mark_reviewed.")
    id: Number = Field(0, description="The same as observation_id, for older clients.")
    limit: Number = Field(_LISTED, description="Most memories of a list: 10 unless given.")
    project: Line = Field("", description="List only this project; without one, all of them.")


@tool("Review Memories", needs=Scope.WRITE, failing="Failed to mark reviewed: ")
def mem_review(call: Call, asked: Review) -> Answer:
    """List memories whose time for a review has come (decisions, policies, preferences), or say that one still holds."""
    match asked.action.strip():
        case "list":
            return _due(call, asked)
        case "mark_reviewed":
            return _reviewed(call, asked.observation_id or asked.id)
    raise Refusal("action must be one of: list, mark_reviewed")


def _pinned(row: Observation) -> Answer:
    state = "pinned" if row.is_pinned else "unpinned"
    return told({"result": f"Memory #{row.pk} {state}", "id": row.pk, "sync_id": row.sync_id, "pinned": row.is_pinned})


def _due(call: Call, asked: Review) -> Answer:
    place = choosing.for_reading(call, asked.project) if asked.project.strip() else EVERYWHERE
    limit = min(asked.limit, _MOST) if asked.limit > 0 else _LISTED
    rows = review.due(project=place.project, limit=limit, now=call.at)
    items = [shapes.review_item(row, call.at) for row in rows]
    if not items:
        return enveloped(place, "No memories need review.", {"observations": []})
    lines = [_line(number, item) for number, item in enumerate(items, 1)]
    text = f"Found {len(items)} memories needing review:\n\n{''.join(lines)}"
    return enveloped(place, text, {"observations": items})


def _line(number: int, item: Json) -> str:
    facts = [f"{name}: {item[name]}" for name in ("state", "project", "review_after") if item.get(name)]
    return f"[{number}] #{item['id']} ({item['type']}) — {item['title']}\n    {' | '.join(facts)}\n"


def _reviewed(call: Call, pk: int) -> Answer:
    if pk <= 0:
        raise Refusal("observation_id is required for mark_reviewed")
    row = review.mark_reviewed(pk=pk, at=call.at)
    item = shapes.review_item(row, call.at)
    extra: Json = {name: item[name] for name in ("id", "sync_id", "state", "review_after") if name in item}
    return enveloped(stored(row), f"Memory marked reviewed: #{row.pk} {quoted(row.title)} ({row.type})", extra)
