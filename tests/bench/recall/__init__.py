"""How well search finds: labelled questions over journals in six languages, asked of grep, plain FTS5 and ours."""

from __future__ import annotations

from tests.bench.result import Result


def run() -> list[Result]:
    """Run the benchmark; its parts need Django, which the runner sets up first."""
    from tests.bench.recall import bench

    return list(bench.run())
