"""One hit of a search as a row: where it leads, what of it was found, and how sure that is."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from dock.contexts import excerpts, links, transcripts
from memory import refs
from memory.journal import queries
from memory.models import Entry
from memory.recall import relevance, snippets
from memory.recall.snippets import Part
from memory.search.types import Hit
from memory.skills.store import FOLDER


@dataclass(frozen=True, slots=True)
class Kind:
    """How a kind of record is called and drawn."""

    label: str
    icon: str


KINDS = {
    "entry": Kind("entry", "document-text"),
    "observation": Kind("memory", "bookmark"),
    "session": Kind("session", "chat-bubble-left-right"),
    "skill": Kind("skill", "academic-cap"),
    "document": Kind("document", "document-duplicate"),
    "prompt": Kind("prompt", "chat-bubble-left"),
}


@dataclass(frozen=True, slots=True)
class HitRow:
    """One hit. `level` is 1 (weak) to 4 (strong), 0 without words; `why` names what spoke for it; `project` is empty within one."""

    id: str
    ref: str
    url: str
    icon: str
    title: str
    snippet: list[Part]
    is_weak: bool
    level: int
    relevance: str
    why: list[str]
    kind: str
    project: str
    type: str
    platform: str
    when: datetime
    place: str
    file_url: str
    expand_url: str
    transcript_url: str


def rows(hits: Sequence[Hit], *, is_of_many: bool, is_ranked: bool) -> list[HitRow]:
    """Describe hits; without words that rank them nothing is said about relevance. One query, for places in files."""
    entries = _entries(hit.ref for hit in hits)
    return [
        _row(number, hit, entries.get(hit.ref), is_of_many=is_of_many, is_ranked=is_ranked)
        for number, hit in enumerate(hits, 1)
    ]


def _entries(found: Iterable[str]) -> dict[str, Entry]:
    ids = [int(ref.removeprefix("entry:")) for ref in found if ref.startswith("entry:")]
    return {refs.entry(row): row for row in queries.entries().filter(pk__in=ids).defer("body")} if ids else {}


def _row(number: int, hit: Hit, entry: Entry | None, *, is_of_many: bool, is_ranked: bool) -> HitRow:
    kind = KINDS.get(hit.kind, Kind(hit.kind, "document"))
    place, file_url = _place(hit, entry)
    return HitRow(
        id=f"hit-{number}",
        ref=hit.ref,
        url=refs.url(hit.ref),
        icon=kind.icon,
        title=hit.title.strip() or f"Untitled {kind.label}",
        snippet=excerpts.readable(snippets.parts(hit.snippet)),
        is_weak=hit.relevance < relevance.WEAK,
        level=relevance.level(hit.relevance) if is_ranked else 0,
        # Never rounded up: 0.799 is not strong, so it must not read 0.80.
        relevance=f"{relevance.word(hit.relevance).capitalize()} {math.floor(hit.relevance * 100) / 100:.2f}",
        why=[name for name, share in (("words", hit.why.lexical), ("meaning", hit.why.semantic)) if share > 0],
        kind=kind.label,
        project=hit.project if is_of_many else "",
        type=hit.type,
        platform=hit.platform,
        when=hit.when,
        place=place,
        file_url=file_url,
        expand_url=links.to("search-expand", ref=hit.ref),
        transcript_url=_transcript_url(hit, entry),
    )


def _transcript_url(hit: Hit, entry: Entry | None) -> str:
    """Return the address of the conversation that a hit came from, where it names one."""
    if entry:
        return links.to("entry-transcript", entry.pk) if entry.anchor_path or entry.session_id else ""
    return transcripts.session_url(hit.ref.removeprefix("session:"), hit.platform) if hit.kind == "session" else ""


def _place(hit: Hit, entry: Entry | None) -> tuple[str, str]:
    """Name the place of a hit in its file, and its address; both empty for what has no file."""
    if entry:
        name = entry.journal.path.rpartition("/")[2]
        file = links.to("file-browser", hit.project, path=entry.journal.path, view="text")
        return f"{name}, line {entry.start_line}", f"{file}#L{entry.start_line}"
    kind, _, rest = hit.ref.partition(":")
    name = rest.rpartition("/")[2]
    path = {"file": name, "skill": f"{FOLDER}/{name}/SKILL.md"}.get(kind)
    if not path:
        return "", ""
    return path.removeprefix(f"{FOLDER}/"), links.to("file-browser", hit.project, path=path)
