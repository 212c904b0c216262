"""Recall in three layers: find anything that is remembered, read it whole, read the conversation behind it."""

from __future__ import annotations

from pydantic import Field

from memory.api.v1.schemas import recall as schemas
from memory.engram import queries
from memory.mcp import choosing
from memory.mcp.answers import Answer, Json, enveloped, local, quoted, told
from memory.mcp.arguments import Arguments, Line, Number
from memory.mcp.caller import Call
from memory.mcp.places import EVERYWHERE
from memory.mcp.refusals import Refusal
from memory.mcp.tool import tool
from memory.mcp.tools.reading import whole
from memory.recall import relevance, snippets
from memory.recall.expand import CannotExpand, NotFound, expand
from memory.recall.transcript import CONTEXT, transcript
from memory.search.query import search
from memory.search.types import Filters, Hit
from memory.transcripts.places import Unavailable

_USUAL = 10
_MOST = 50


class Retrieve(Arguments):
    query: Line = Field(
        description='Words, or a question. "exact words", -word, kind:, type:, since: and until: are understood.'
    )
    project: Line = Field("", description="Only this project; without one, the project that you work in.")
    all_projects: bool = Field(default=False, description="Search every project; project is ignored then.")
    kind: Line = Field("", description="Only entry, observation, prompt, session, skill or file.")
    limit: Number = Field(_USUAL, description="Most hits: 10 unless given, 50 at most.")


@tool("Retrieve Memories")
def memory_retrieve(call: Call, asked: Retrieve) -> Answer:
    """Search everything that is remembered: journals of past sessions, saved memories, requests, summaries, skills.

    Each hit has a ref; memory_expand shows it whole, memory_transcript the conversation that it comes from.
    """
    if not asked.query.strip():
        raise Refusal("query is required")
    place = EVERYWHERE if asked.all_projects else choosing.for_reading(call, asked.project)
    limit = min(asked.limit, _MOST) if asked.limit > 0 else _USUAL
    found = search(asked.query, filters=Filters(project=place.name, kind=asked.kind.strip()), limit=limit)
    if not found.items:
        return enveloped(place, f"Nothing found for: {quoted(asked.query)} {found.hint}".rstrip())
    hits = "\n".join(_hit(number, hit) for number, hit in enumerate(found.items, 1))
    results = [_result(hit) for hit in found.items]
    return enveloped(place, f"Found {len(found.items)} of {found.total}:\n\n{hits}", {"results": results})


class Expand(Arguments):
    ref: Line = Field(description="Ref of a hit, such as entry:12.")


@tool("Expand Memory")
def memory_expand(call: Call, asked: Expand) -> Answer:
    """Show a hit of memory_retrieve whole, with what stands around it."""
    try:
        return told(schemas.Expansion.of(expand(asked.ref.strip())).model_dump(mode="json", exclude_unset=True))
    except CannotExpand as exc:
        if section := _saved(asked.ref.strip()):
            return told({"ref": asked.ref.strip(), "section": section})
        raise Refusal(str(exc)) from exc
    except NotFound as exc:
        raise Refusal(str(exc)) from exc


class Transcript(Arguments):
    ref: Line = Field(description="Ref of an entry or a session, such as entry:12.")
    context: Number = Field(CONTEXT, description="Turns on each side: 3 unless given, 20 at most.")


@tool("Read Transcript")
def memory_transcript(call: Call, asked: Transcript) -> Answer:
    """Show the conversation that an entry or a session comes from, as the agent itself kept it."""
    try:
        found = transcript(asked.ref.strip(), context=max(asked.context, 0))
    except (NotFound, CannotExpand, Unavailable) as exc:
        raise Refusal(str(exc)) from exc
    return told(schemas.Transcript.of(found).model_dump(mode="json"))


def _hit(number: int, hit: Hit) -> str:
    facts = [local(hit.when), f"project: {hit.project}", f"relevance: {relevance.word(hit.relevance)}"]
    title = " ".join(hit.title.split()) or "Untitled"
    return f"[{number}] {hit.ref} — {title}\n    {snippets.plain(hit.snippet)}\n    {' | '.join(facts)}\n"


def _result(hit: Hit) -> Json:
    return {"ref": hit.ref, "kind": hit.kind, "project": hit.project, "title": hit.title, "relevance": hit.relevance}


def _saved(ref: str) -> str:
    """Return a memory or a request that was saved, which no file holds; "" where it is none of them."""
    kind, _, rest = ref.partition(":")
    pk = int(rest) if rest.isascii() and rest.isdigit() and len(rest) < 19 else 0
    if kind == "observation" and (row := queries.find(pk)):
        return whole(row)
    if kind == "prompt" and (prompt := queries.find_prompt(pk)):
        return prompt.content
    return ""
