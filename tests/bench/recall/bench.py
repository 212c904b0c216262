"""The held-out numbers of our search as lines of `memdock bench`."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from tests.bench.recall import corpora, fit, measure, searchers
from tests.bench.recall.measure import Answer
from tests.bench.recall.questions import Half
from tests.bench.result import Result


def run() -> Iterator[Result]:
    for name, answers in answered("held").items():
        score = measure.score(answers)
        yield Result("recall", f"{name}, R@1 of {score.count} held-out questions", score.recall_1 * 100, "%")
        yield Result("recall", f"{name}, R@5", score.recall_5 * 100, "%")
        yield Result("recall", f"{name}, MRR", score.reciprocal_rank * 100, "%")


def answered(half: Half) -> dict[str, list[Answer]]:
    """Load the corpora into the empty database and let every searcher answer the questions of a half."""
    with tempfile.TemporaryDirectory() as directory:
        corpus = corpora.load(Path(directory))
        asked = [question for question in corpus.questions if question.half == half]
        return {name: measure.ask(search, asked) for name, search in searchers.everyone(corpus).items()}


def fitted() -> dict[str, Any]:
    """Load the corpora into the empty database and fit the coefficients of relevance on the half to tune on."""
    with tempfile.TemporaryDirectory() as directory:
        return fit.fitted(corpora.load(Path(directory)))
