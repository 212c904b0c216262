"""The search index, for the stats: how much can be found."""

from __future__ import annotations

from dataclasses import dataclass

from dock.contexts import links
from dock.contexts.hits import KINDS
from dock.contexts.stats_asked import Asked
from dock.contexts.stats_bars import Bar, bars
from memory.search import meaning
from memory.search.meaning import Progress
from memory.stats import index


@dataclass(frozen=True, slots=True)
class IndexPart:
    """What can be found by kind, always all of it; `vectors` are told over all projects only."""

    documents: int
    kinds: list[Bar]
    vectors: Progress | None


def part(asked: Asked) -> IndexPart:
    """Build the panel. One query, over all projects three."""
    counts = index.documents(asked.project)
    kinds = {KINDS[kind].label if kind in KINDS else kind: kind for kind in counts}
    return IndexPart(
        documents=sum(counts.values()),
        kinds=bars(
            {label: counts[kind] for label, kind in kinds.items()},
            lambda label: links.to("search", kind=kinds[label], project=asked.owner),
        ),
        vectors=None if asked.project else meaning.progress(),
    )
