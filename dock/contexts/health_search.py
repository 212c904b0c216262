"""What the health page says about the search index: how far it is, and whether it is being made anew."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from dock.contexts import links
from memory.jobs import reindex
from memory.jobs.reindex import State
from memory.search import meaning


@dataclass(frozen=True, slots=True)
class SearchIndex:
    """The panel; while it `is_busy` it asks for itself again. `state` is of the last rebuild, empty without one."""

    documents: int
    model: str
    vectors: int
    reason: str
    state: State | str
    since: datetime | None
    made: int
    is_busy: bool
    is_embedding: bool
    rebuild_url: str


def search_index(*, can_rebuild: bool) -> SearchIndex:
    """Build the panel. Three queries."""
    progress, rebuild = meaning.progress(), reindex.last()
    is_open = bool(rebuild and rebuild.is_open)
    is_embedding = not progress.reason and progress.done < progress.total
    return SearchIndex(
        documents=progress.total,
        model=progress.model,
        vectors=progress.done,
        reason=progress.reason,
        state=rebuild.state if rebuild else "",
        since=rebuild.since if rebuild else None,
        made=rebuild.documents if rebuild else 0,
        is_busy=is_open or is_embedding,
        is_embedding=is_embedding,
        rebuild_url=links.to("health-rebuild") if can_rebuild and not is_open else "",
    )
