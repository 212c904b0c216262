"""Search beside memsearch (Milvus Lite) and plain FTS5, over the same entries and with the same vectors.

Each system works in processes of its own: one that builds, then a fresh one that is asked, whose memory counts.
"""

from __future__ import annotations

from collections.abc import Iterator

from tests.bench.result import Result


def run() -> Iterator[Result]:
    """See tests.bench.search.bench, which needs Django: the other systems' processes must not load it."""
    from tests.bench.search import bench

    return bench.run()
