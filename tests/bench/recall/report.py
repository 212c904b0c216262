"""The numbers as text and as JSON."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Any

from tests.bench.recall import measure
from tests.bench.recall.measure import Answer, Score

WITH_RELEVANCE = "both"
"""The searcher that is in use, and that claims to know how relevant a hit is."""


def as_json(answers: dict[str, list[Answer]]) -> dict[str, Any]:
    return {name: _one(given, with_curve=name == WITH_RELEVANCE) for name, given in answers.items()}


def _one(answers: Sequence[Answer], *, with_curve: bool) -> dict[str, Any]:
    scores = {"all": measure.score(answers)} | _groups(answers)
    numbers: dict[str, Any] = {"scores": {group: asdict(score) for group, score in scores.items()}}
    if with_curve:
        numbers["curve"] = [asdict(cut) for cut in measure.curve(answers)]
    return numbers


def as_text(answers: dict[str, list[Answer]]) -> Iterator[str]:
    yield f"{'':28} {'n':>4} " + " ".join(f"{name:^18}" for name in answers)
    yield f"{'':28} {'':>4} " + " ".join(f"{'R@1   R@5   MRR':^18}" for _ in answers)
    scores = {name: {"all": measure.score(given)} | _groups(given) for name, given in answers.items()}
    for group, first in next(iter(scores.values())).items():
        yield f"{group:28} {first.count:4} " + " ".join(_cells(scores[name][group]) for name in answers)
    yield from _curve(answers[WITH_RELEVANCE])


def _groups(answers: Sequence[Answer]) -> dict[str, Score]:
    return measure.groups(answers, lambda question: question.style) | measure.groups(
        answers, lambda question: question.language
    )


def _cells(score: Score) -> str:
    return f"{score.recall_1:5.2f} {score.recall_5:5.2f} {score.reciprocal_rank:5.2f} "


def _curve(answers: Sequence[Answer]) -> Iterator[str]:
    yield ""
    yield "threshold   right first hits kept   unanswerable with a hit   foreign   own vocabulary"
    for cut in measure.curve(answers):
        yield (
            f"{cut.threshold:9.2f} {cut.kept:23.2f} {cut.unanswerable:25.2f} "
            f"{cut.foreign:9.2f} {cut.own_vocabulary:16.2f}"
        )
