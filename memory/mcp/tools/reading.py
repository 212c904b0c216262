"""Tools that read memories: the context of a session, one memory, what stands around it, and how much there is."""

from __future__ import annotations

from pydantic import Field

from memory.engram import naming, queries, stats, timeline
from memory.engram.context import MOST_BYTES, context
from memory.engram.errors import NotFound
from memory.engram.text import preview
from memory.engram.timeline import USUAL, Timeline
from memory.mcp import choosing
from memory.mcp.answers import Answer, enveloped, local
from memory.mcp.arguments import Arguments, Line, Number
from memory.mcp.caller import Call
from memory.mcp.places import EVERYWHERE, stored
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models import Observation

_BYTES = 16_384
_PINNED = 20
_NAMES = 8
_SUMMARY, _NEIGHBOUR, _FOCUS = 100, 150, 500
_MOST_NEIGHBOURS = 100
_CUT = "\n[truncated]\n"


class Context(Arguments):
    project: Line = Field("", description="Only this project; without one, the project that you work in.")
    scope: Line = Field("", description="Only project, personal or global memories.")
    max_bytes: Number = Field(_BYTES, description="Most bytes of the answer: 16384 unless given, 65536 at most.")
    compact: bool = Field(default=False, description="Titles of memories without their texts.")


@tool("Get Memory Context")
def mem_context(call: Call, asked: Context) -> Answer:
    """Show what previous sessions were about: their summaries, what the user asked for, pinned and recent memories.

    Call it at the start of a session and after a compaction.
    """
    place = choosing.for_reading(call, asked.project)
    is_everybodys = asked.scope.strip().lower() == "personal" and not asked.project.strip()
    key = call.key(place.name)
    call.caller.activity.called(key, at=call.at)
    limit = min(asked.max_bytes, MOST_BYTES) if asked.max_bytes > 0 else _BYTES
    closing = f"\n---\nMemory stats: {_totals()}{call.caller.activity.nudge(key, at=call.at)}"
    told = context(
        project=None if is_everybodys else place.project,
        scope=asked.scope,
        pinned=_PINNED,
        compact=asked.compact,
        max_bytes=max(limit - len(closing.encode()), 1),
    )
    return enveloped(place, _within(told + closing if told else "No previous session memories found.", limit))


class Stats(Arguments):
    project: Line = Field("", description="A project to name in the answer; the numbers are those of all.")


@tool("Memory Stats")
def mem_stats(call: Call, asked: Stats) -> Answer:
    """Show how many sessions, memories and requests of users are kept, and for which projects."""
    is_named = asked.project.strip() or call.caller.override
    place = choosing.for_reading(call, asked.project) if is_named else EVERYWHERE
    found = stats.stats()
    lines = [
        "Memory System Stats:",
        f"- Sessions: {found.total_sessions}",
        f"- Observations: {found.total_observations}",
        f"- Prompts: {found.total_prompts}",
        f"- Projects: {', '.join(found.projects) or 'none yet'}",
    ]
    return enveloped(place, "\n".join(lines))


class Around(Arguments):
    observation_id: Number = Field(description="Id of the memory in the middle.")
    before: Number = Field(USUAL, description="Memories before it: 5 unless given.")
    after: Number = Field(USUAL, description="Memories after it: 5 unless given.")
    project: Line = Field("", description="The project that it must belong to; without one, any.")


@tool("Memory Timeline", failing="Timeline error: ")
def mem_timeline(call: Call, asked: Around) -> Answer:
    """Show what was saved before and after a memory in the same session."""
    before, after = min(asked.before, _MOST_NEIGHBOURS), min(asked.after, _MOST_NEIGHBOURS)
    found = timeline.around(asked.observation_id, before=before, after=after)
    place = choosing.for_reading(call, asked.project) if asked.project.strip() else stored(found.focus)
    if place.project and place.project.pk != found.focus.project_id:
        raise NotFound("observation not found in resolved project")
    return enveloped(place, _surroundings(found))


class Get(Arguments):
    id: Number = Field(description="Id of the memory, as mem_search shows it.")
    project: Line = Field("", description="A project to name in the answer; the memory is found by its id alone.")


@tool("Get Observation")
def mem_get_observation(call: Call, asked: Get) -> Answer:
    """Show the whole text of a memory, which searches only show the start of."""
    row = queries.find(asked.id)
    if row is None:
        raise Refusal(f"Observation #{asked.id} not found")
    place = choosing.for_reading(call, asked.project) if asked.project.strip() else stored(row)
    return enveloped(place, whole(row))


def whole(row: Observation) -> str:
    """Return a memory with everything that is known of it."""
    facts = {
        "Session": row.session.external_id,
        "Project": naming.wire_name(row.project),
        "Scope": row.scope,
        "Topic": row.topic_key,
        "Tool": row.tool_name,
        "Duplicates": str(row.duplicate_count),
        "Revisions": str(row.revision_count),
        "Created": local(row.created_at),
    }
    said = [f"{name}: {value}" for name, value in facts.items() if value]
    return "\n".join([f"#{row.pk} [{row.type}] {row.title}", row.content, *said])


def _totals() -> str:
    found = stats.stats()
    names = ", ".join(found.projects[:_NAMES]) or "none"
    more = f", +{len(found.projects) - _NAMES} more" if len(found.projects) > _NAMES else ""
    return f"{found.total_sessions} sessions, {found.total_observations} observations across projects: {names}{more}"


def _within(text: str, limit: int) -> str:
    """Cut on a character so that the text with its note has at most `limit` bytes."""
    raw = text.encode()
    if len(raw) <= limit:
        return text
    note = _CUT if limit >= len(_CUT) else ""
    return raw[: limit - len(note)].decode(errors="ignore") + note


def _surroundings(found: Timeline) -> str:
    session, focus = found.session, found.focus
    summary = f" — {preview(session.summary, _SUMMARY)}" if session.summary else ""
    parts = [
        f"Session: {naming.wire_name(session.project)} ({local(session.started_at)}){summary}\n",
        f"Total observations in session: {found.total_in_range}\n\n",
        _neighbours("Before", found.before, end="\n"),
        f">>> #{focus.pk} [{focus.type}] {focus.title} <<<\n",
        f"    {preview(focus.content, _FOCUS)}\n    {local(focus.created_at)}\n\n",
        _neighbours("After", found.after),
    ]
    return "".join(parts)


def _neighbours(heading: str, rows: list[Observation], end: str = "") -> str:
    lines = [f"  #{row.pk} [{row.type}] {row.title} — {preview(row.content, _NEIGHBOUR)}\n" for row in rows]
    return f"─── {heading} ───\n{''.join(lines)}{end}" if lines else ""
