"""`mem_search`: memories by words."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from pydantic import Field

from memory.api.engram import shapes
from memory.engram import naming, relations
from memory.engram.search import USUAL, Found, MatchMode, search
from memory.mcp import choosing
from memory.mcp.answers import Answer, Json, enveloped, local, quoted
from memory.mcp.arguments import Arguments, Line, Number
from memory.mcp.caller import Call
from memory.mcp.places import EVERYWHERE
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.models import Observation, Relation
from memory.models.observation import Judgment, Verb

_PREVIEW = 300
_HINT = (
    "---\nResults above are previews (300 chars). To read the full content of a specific memory, "
    "call mem_get_observation(id: <ID>).\n"
)
_VERBS = {
    (Verb.SUPERSEDES, True): "supersedes",
    (Verb.SUPERSEDES, False): "superseded_by",
    (Verb.CONFLICTS_WITH, True): "conflicts",
}
"""What is said of a judged relation, by its verb and whether the memory is its source."""

type Relations = dict[int, list[Relation]]


class Search(Arguments):
    query: Line = Field(description="Words, or a question.")
    type: Line = Field("", description="Only memories of this type, such as decision or bugfix.")
    project: Line = Field("", description="Only this project; without one, the project that you work in.")
    all_projects: bool = Field(default=False, description="Search every project; project is ignored then.")
    scope: Line = Field("", description="Only project, personal or global memories.")
    match_mode: Line = Field(
        "",
        description="all (every word must occur) or any (one is enough). Without it every word is wanted, and where no "
        "memory has them all, those with most are found.",
    )
    limit: Number = Field(USUAL, description="Most memories: 10 unless given, 20 at most.")
    response_format: Line = Field("", description="compact: previews as data instead of text.")


@tool("Search Memory")
def mem_search(call: Call, asked: Search) -> Answer:
    """Search what was saved in all sessions: decisions, fixed bugs, conventions, preferences, summaries.

    Use it before work on something that may have been touched before, and when the user refers to the past. It shows
    previews; mem_get_observation has the whole text. memory_retrieve finds journals of sessions as well.
    """
    _check(asked)
    place = EVERYWHERE if asked.all_projects else choosing.for_reading(call, asked.project)
    is_everybodys = asked.scope.strip().lower() == "personal" and not asked.project.strip()
    key = call.key(place.name)
    call.caller.activity.called(key, at=call.at)
    found = search(
        q=asked.query,
        project=None if is_everybodys else place.project,
        type=asked.type,
        scope=asked.scope,
        limit=asked.limit,
        match_mode=cast("MatchMode", asked.match_mode),
    )
    if not found:
        return enveloped(place, f"No memories found for: {quoted(asked.query)}")
    is_compact, related = bool(asked.response_format), _related(found)
    text = f"Found {len(found)} memories." if is_compact else _listed(call, found, related)
    results = [_result(call, one.observation, related if is_compact else None) for one in found]
    return enveloped(place, text + call.caller.activity.nudge(key, at=call.at), {"results": results})


def _check(asked: Search) -> None:
    if not asked.query.strip():
        raise Refusal("query is required")
    if asked.match_mode not in {"", "all", "any"}:
        raise Refusal(f'invalid match_mode {quoted(asked.match_mode[:60])}: must be "all" or "any"')
    if asked.response_format not in {"", "compact"}:
        raise Refusal(f'invalid response_format {quoted(asked.response_format[:60])}: must be "compact"')


def _listed(call: Call, found: list[Found], related: Relations) -> str:
    hits = [_hit(call, number, one.observation, related) for number, one in enumerate(found, 1)]
    is_cut = any(len(one.observation.content) > _PREVIEW for one in found)
    return f"Found {len(found)} memories:\n\n" + "".join(f"{hit}\n" for hit in hits) + (_HINT if is_cut else "")


def _hit(call: Call, number: int, row: Observation, related: Relations) -> str:
    more = " [preview]" if len(row.content) > _PREVIEW else ""
    name = naming.wire_name(row.project)
    facts = [local(row.created_at), f"project: {name}" if name else "", f"scope: {row.scope}"]
    if row.needs_review(call.at):
        facts.append("state: needs_review")
    lines = [
        f"[{number}] #{row.pk} ({row.type}) — {row.title}",
        f"    {row.content[:_PREVIEW]}{more}",
        f"    {' | '.join(filter(None, facts))}",
        *(f"    {said}" for said in _relations(row, related)),
    ]
    return "".join(f"{line}\n" for line in lines)


def _related(found: list[Found]) -> Relations:
    """Read the relations of all hits by memory. One query."""
    related: Relations = {one.observation.pk: [] for one in found}
    for row in relations.of(related).exclude(judgment_status=Judgment.ORPHANED):
        for end in {row.source_id, row.target_id}:
            if end in related:
                related[end].append(row)
    return related


def _relations(row: Observation, related: Relations) -> Iterator[str]:
    for one in related[row.pk]:
        is_source = one.source_id == row.pk
        if one.judgment_status == Judgment.PENDING:
            yield f"conflict: contested by #{one.target_sync_id if is_source else one.source_sync_id} (pending)"
        elif verb := _VERBS.get((Verb(one.relation), is_source)):
            yield f"{verb}: {_end(one.target if is_source else one.source)}"


def _end(row: Observation | None) -> str:
    if row is None:
        return "#0 (deleted)"
    return f"#{row.pk} ({'deleted' if row.deleted_at else row.title})"


def _result(call: Call, row: Observation, related: Relations | None) -> Json:
    told = shapes.review_item(row, call.at) | {"scope": row.scope, "pinned": row.is_pinned}
    if row.topic_key:
        told["topic_key"] = row.topic_key
    if related is not None:
        told |= {"preview": row.content[:_PREVIEW], "truncated": len(row.content) > _PREVIEW}
        told["relations"] = {
            "as_source": [shapes.relation(one) for one in related[row.pk] if one.source_id == row.pk],
            "as_target": [shapes.relation(one) for one in related[row.pk] if one.target_id == row.pk],
        }
    return told
