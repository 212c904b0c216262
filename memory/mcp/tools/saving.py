"""Tools that save: memories, summaries of sessions, requests of people, and what a text says was learned."""

from __future__ import annotations

import logging

from django.db import DatabaseError
from pydantic import Field

from memory.api.engram import shapes
from memory.engram import drafts, observations, prompts, relations, sessions, topics
from memory.engram.relations import Candidate
from memory.engram.text import preview
from memory.mcp import choosing, warnings
from memory.mcp.answers import Answer, Json, cut_warning, enveloped, quoted, truncation
from memory.mcp.arguments import Line, Text
from memory.mcp.caller import Call
from memory.mcp.choosing import Placed
from memory.mcp.places import Place
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models import Observation
from memory.models.token import Scope

logger = logging.getLogger("memdock.mcp")

_SHOWN = 80


class Save(Placed):
    title: Line = Field(description="Short and searchable, such as 'Leases moved from SQLite to Redis'.")
    content: Text = Field("", description="What is to be remembered: **What**, **Why**, **Where**, **Learned**.")
    observation: Text = Field("", description="The same as content, for older clients.")
    type: Line = Field(
        "",
        description="decision, architecture, bugfix, pattern, config, discovery, learning, preference or policy; manual "
        "where none fits.",
    )
    scope: Line = Field("", description="project (the usual), personal or global.")
    topic_key: Line = Field(
        "",
        description="Name of a subject that goes on, such as architecture/auth: a later save with the same key revises "
        "the memory instead of adding one.",
    )
    capture_prompt: bool = Field(
        default=True, description="Kept for Engram's clients: requests are saved by mem_save_prompt."
    )


@tool("Save Memory", needs=Scope.WRITE, failing="Failed to save: ")
def mem_save(call: Call, asked: Save) -> Answer:
    """Save something worth remembering. Do it unasked, right after a decision, a fixed bug with its cause, a
    discovery, a convention, a change of configuration, or a preference of the user.

    Write the content so that a stranger can use it: **What** was done or decided, **Why**, **Where** (paths below the
    repository), **Learned** (gotchas; leave it out when there are none). When the answer has judgment_required, call
    mem_judge once for each of its candidates.
    """
    content = asked.content if asked.content.strip() else asked.observation
    if not content.strip():
        raise Refusal("content is required for mem_save (use content, or observation for backward-compatible clients)")
    # Before a session is made for it: what is refused leaves nothing behind.
    drafts.required("title", asked.title)
    drafts.required("content", content)
    place = choosing.for_writing(call, asked)
    similar = warnings.similar(place.name)
    row = observations.save(
        session_id=_session(call, place, asked),
        title=asked.title,
        content=content,
        type=asked.type,
        scope=asked.scope,
        topic_key=asked.topic_key,
        project=_owner(place, asked),
        at=call.at,
    ).observation
    call.caller.activity.saved(call.key(place.name), at=call.at)
    candidates = _candidates(call, row)
    lines = [
        f"Memory saved: {quoted(row.title)} ({row.type})",
        "" if asked.topic_key.strip() else f"\nSuggested topic_key: {topics.suggest(row.type, row.title, content)}",
        cut_warning(row.full_size),
        warnings.absolute_path(row.content),
        choosing.normalization(asked.project),
        similar,
        _review(candidates),
    ]
    extra = _saved(call, row) | {"truncation": truncation(row.content, row.full_size)} | _judgment(candidates)
    return enveloped(place, "".join(lines), extra)


class Summary(Placed):
    content: Text = Field(
        description="The summary: ## Goal, ## Instructions, ## Discoveries, ## Accomplished, ## Next Steps, "
        "## Relevant Files; leave out what is empty."
    )


@tool("Save Session Summary", needs=Scope.WRITE, failing="Failed to save session summary: ")
def mem_session_summary(call: Call, asked: Summary) -> Answer:
    """Save what a session came to, for the sessions after it. Call it when the work is done, or before you stop.

    Say what and why rather than how, keep names of files and messages of errors, and be brief: what was discovered is
    worth most.
    """
    drafts.required("content", asked.content)
    place = choosing.for_writing(call, asked)
    row = observations.save(
        session_id=_session(call, place, asked),
        title=f"Session summary: {place.name}",
        content=asked.content,
        type="session_summary",
        project=_owner(place, asked),
        at=call.at,
    ).observation
    key = call.key(place.name)
    call.caller.activity.saved(key, at=call.at)
    text = f"Session summary saved for project {quoted(place.name)}\n{call.caller.activity.score(key, at=call.at)}"
    text += cut_warning(row.full_size) + choosing.normalization(asked.project)
    return enveloped(place, text, {"judgment_required": False} | _saved(call, row))


class Prompt(Placed):
    content: Text = Field(description="What the user asked for, in their words.")


@tool("Save User Prompt", needs=Scope.WRITE, failing="Failed to save prompt: ")
def mem_save_prompt(call: Call, asked: Prompt) -> Answer:
    """Save what the user asked for, so that later sessions know their intent."""
    if not asked.content.strip():
        raise Refusal("content is required")
    place = choosing.for_writing(call, asked)
    row = prompts.save(
        session_id=_session(call, place, asked),
        content=asked.content,
        project=_owner(place, asked),
        at=call.at,
    )
    text = f"Prompt saved: {quoted(preview(row.content, _SHOWN))}{cut_warning(row.full_size)}"
    return enveloped(place, text, {"truncation": truncation(row.content, row.full_size)})


class Passive(Placed):
    content: Text = Field(description="A text with a '## Key Learnings:' section of numbered or bulleted items.")
    source: Line = Field("", description="Where the text is from, such as subagent-stop.")


@tool("Capture Learnings", needs=Scope.WRITE, failing="Passive capture failed: ", is_idempotent=True)
def mem_capture_passive(call: Call, asked: Passive) -> Answer:
    """Save each item below a heading such as '## Key Learnings:' of a text as a memory of its own.

    What the project has already is not saved twice.
    """
    if not asked.content.strip():
        raise Refusal("content is required — include text with a '## Key Learnings:' section")
    place = choosing.for_writing(call, asked)
    call.caller.activity.called(call.key(place.name), at=call.at)
    captured = observations.capture_passive(
        session_id=_session(call, place, asked),
        content=asked.content,
        project=_owner(place, asked),
        source=asked.source or "mcp-passive",
        at=call.at,
    )
    counts = f"extracted={captured.extracted} saved={captured.saved} duplicates={captured.duplicates}"
    return enveloped(place, f"Passive capture complete: {counts}")


def _session(call: Call, place: Place, asked: Placed) -> str:
    """Return the session to write to; without one that is named, the one that lives in the client's directory."""
    if asked.session_id.strip():
        return asked.session_id
    return sessions.writer(project=place.name, directory=call.caller.directory, at=call.at).external_id


def _owner(place: Place, asked: Placed) -> str:
    """Return the project as it was spelled; a session that is named alone brings its own."""
    return asked.project or ("" if asked.session_id.strip() else place.name)


def _saved(call: Call, row: Observation) -> Json:
    due = {"review_after": shapes.stamp(row.review_after)} if row.review_after else {}
    return {"id": row.pk, "sync_id": row.sync_id, "state": shapes.state(row, call.at)} | due


def _candidates(call: Call, row: Observation) -> list[Candidate]:
    """What the memory may contradict; it is saved already, so a failure here must not look like one of the save."""
    try:
        return relations.candidates(row, at=call.at)
    except DatabaseError as exc:
        logger.warning("No candidates were looked for: %s", exc)
        return []


def _review(candidates: list[Candidate]) -> str:
    if not candidates:
        return ""
    return f"\nCONFLICT REVIEW PENDING — {len(candidates)} candidate(s); use mem_judge to record verdicts."


def _judgment(candidates: list[Candidate]) -> Json:
    if not candidates:
        return {"judgment_required": False}
    return {
        "judgment_required": True,
        "judgment_status": "pending",
        "judgment_id": candidates[0].judgment_id,
        "candidates": [shapes.candidate(one) for one in candidates],
    }
