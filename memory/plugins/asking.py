"""What a retrieval asks, and what is found for it, in the words of the wire."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from memory.api.shapes import iso
from memory.configuration import memsearch
from memory.models import Project
from memory.plugins.scopes import name_of
from memory.recall import relevance, snippets
from memory.search.query import search
from memory.search.types import Filters, Hit
from memory.service.types import Request
from memory.service.values import Json

USUAL, MOST = 10, 50
"""Hits that are told, and that may be asked for."""

_SOUGHT = 60
"""Hits that are looked at, since those of other plugins' kinds are among them."""
_LONGEST = 2000


@dataclass(frozen=True, slots=True)
class Question:
    """A text to look for; `is_explicit` when somebody asked it, and not when it is what a person said to an agent."""

    text: str
    limit: int
    is_explicit: bool


def question(request: Request) -> Question | None:
    """Read `data.query`, or a text that is the whole data, else the last message of a person; None where nobody asks.

    Messages of tools and of recall are no questions. Source: the conventions of dsh-patchouli's plugins.
    """
    data = request.data
    if isinstance(data, str):
        return _made(data, USUAL, is_explicit=True)
    if not isinstance(data, dict):
        return None
    if isinstance(query := data.get("query"), str):
        return _made(query, _limit(data.get("limit")), is_explicit=True)
    return _made(_last_said(data.get("messages")), _limit(data.get("limit")), is_explicit=False)


def answer(request: Request, asked: Question, kinds: Collection[str]) -> Json:
    """Return `{"items": [hit], "total": n}` of the scope's project, or None where there is nothing to tell.

    An explicit question gets what the search finds, best first. One that is read from the conversation gets what
    recall would tell: only where recall is on, only sure hits, none of the session that asks.
    """
    name = name_of(request.meta.scope)
    if not name or not (asked.is_explicit or _is_recalled(name)):
        return None
    found = search(asked.text, filters=Filters(project=name), limit=_SOUGHT).items
    hits = [hit for hit in found if hit.kind in kinds]
    if not asked.is_explicit:
        session = request.meta.attributes.get("sessionId")
        hits = [hit for hit in hits if hit.relevance >= relevance.WEAK and not (session and hit.session == session)]
    return {"items": [_as_json(hit) for hit in hits[: asked.limit]], "total": len(hits)} if hits else None


def _is_recalled(project: str) -> bool:
    row = Project.objects.filter(name=project).first()
    return memsearch.effective(row).flag("recall.enabled")


def _made(text: str, limit: int, *, is_explicit: bool) -> Question | None:
    wanted = text.strip()[:_LONGEST]
    return Question(wanted, limit, is_explicit) if wanted else None


def _limit(value: Json) -> int:
    is_number = isinstance(value, int) and not isinstance(value, bool)
    return min(value, MOST) if is_number and value > 0 else USUAL  # type: ignore[operator, return-value, type-var]


def _last_said(messages: Json) -> str:
    for message in reversed(messages if isinstance(messages, list) else []):
        if isinstance(message, dict) and message.get("role") == "user" and _is_of_a_person(message.get("source")):
            return _text(message.get("content"))
    return ""


def _is_of_a_person(source: Json) -> bool:
    return isinstance(source, dict) and source.get("kind") == "user"


def _text(content: Json) -> str:
    """Join the texts of a message's content, which is a text itself or a list of blocks."""
    if isinstance(content, str):
        return content
    blocks = [block for block in content if isinstance(block, dict)] if isinstance(content, list) else []
    texts = [block.get("text") for block in blocks if block.get("type") == "text"]
    return "\n".join(text for text in texts if isinstance(text, str))


def _as_json(hit: Hit) -> Json:
    """Tell a hit as contract section 5 has it, with plain text where a page has marked HTML."""
    return {
        "ref": hit.ref,
        "kind": hit.kind,
        "project": hit.project,
        "title": hit.title,
        "text": snippets.plain(hit.snippet),
        "when": iso(hit.when),
        "session": hit.session,
        "type": hit.type,
        "platform": hit.platform,
        "score": float(hit.score),
        "relevance": float(hit.relevance),
    }
