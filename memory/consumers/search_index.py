"""The consumer "search-index": keeps the search index where no worker does."""

from __future__ import annotations

from memory.plugins.desk import desk
from memory.search import index
from memory.service.consumers import consumer
from memory.service.types import MemoryChange


async def resync(_plugin_id: str) -> None:
    """Take up everything; where the feed does not reach back that far, the index is made anew."""
    await desk.do(index.follow)


@consumer("search-index", resync=resync)
async def handle(_change: MemoryChange) -> None:
    """Let the index take up what it does not know yet: one time does for all that was committed by then.

    The index has a cursor of its own, so whatever another process took up is not done again.
    """
    await desk.do(_take_up)


def _take_up() -> None:
    if index.lag():
        index.follow()
