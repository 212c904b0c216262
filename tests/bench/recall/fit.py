"""Fits the coefficients of relevance on the half to tune on: `python -m tests.bench.recall --fit`."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import Any
from unittest.mock import patch

import numpy as np

from memory.search import query, relevance
from memory.search.relevance import Coefficients, Features
from tests.bench.recall import logistic
from tests.bench.recall.corpora import Corpus
from tests.bench.recall.questions import Question
from tests.bench.recall.searchers import ENTRIES, row

LOOKED_AT = 5
"""Hits of a question that are learnt from."""
PENALTY = 5.0
MOST_TERMS = 12
"""As in relevance(): more terms than these say no more."""
ALLOWED = 0.20
"""Share of unanswerable questions that may get any hit, and of those about foreign subjects:"""
ALLOWED_FOREIGN = 0.02


@dataclass(frozen=True, slots=True)
class Sample:
    """One hit: whether it answers its question, which is the `number`th, and at what place it came."""

    number: int
    question: Question
    place: int
    is_right: bool
    features: Features


def fitted(corpus: Corpus) -> dict[str, Any]:
    """Return coefficients for questions in scripts with and without blanks, how good they are, and a threshold."""
    samples = list(_samples([question for question in corpus.questions if question.half == "tune"], corpus.keys))
    found: dict[str, Any] = {}
    guesses = np.zeros(len(samples))
    for name, is_paired in (("SPACED", False), ("PAIRED", True)):
        own = np.array([sample.features.is_paired == is_paired for sample in samples])
        chosen = [sample for sample in samples if sample.features.is_paired == is_paired]
        found[name], guesses[own] = _fit(chosen)
        found[name]["area"] = _area(chosen, guesses[own])
    return found | _threshold(samples, guesses)


def _samples(questions: Sequence[Question], keys: Mapping[int, str]) -> Iterator[Sample]:
    for number, question in enumerate(questions):
        with patch.object(relevance, "relevance", wraps=relevance.relevance) as judged:
            hits = query.search(question.question, filters=ENTRIES, limit=LOOKED_AT).items
        for place, (hit, call) in enumerate(zip(hits, judged.call_args_list, strict=True), 1):
            yield Sample(number, question, place, keys[row(hit)] in question.answers, call.args[0])


def _fit(samples: Sequence[Sample]) -> tuple[dict[str, Any], logistic.Numbers]:
    names = [field.name for field in fields(Coefficients) if field.name != "bias"]
    rows = np.array([[_value(sample.features, name) for name in names] for sample in samples])
    labels = np.array([sample.is_right for sample in samples], dtype=float)
    groups = np.array([sample.number for sample in samples])
    weights = logistic.fit(rows, labels, penalty=PENALTY)
    named = dict(zip(["bias", *names], (round(float(weight), 3) for weight in weights), strict=True))
    return named, logistic.cross_validated(rows, labels, groups, penalty=PENALTY)


def _value(features: Features, name: str) -> float:
    value = float(getattr(features, name))
    return min(value, MOST_TERMS) if name == "terms" else value


def _area(samples: Sequence[Sample], guesses: logistic.Numbers) -> float:
    """How often a right first hit stands above the best hit of an unanswerable question."""
    right, none = _best(samples, guesses)
    values = np.array([*right, *none.values()])
    return round(logistic.area(values, np.array([1.0] * len(right) + [0.0] * len(none))), 3)


def _best(samples: Sequence[Sample], guesses: logistic.Numbers) -> tuple[list[float], dict[Question, float]]:
    right: list[float] = []
    none: dict[Question, float] = {}
    for sample, guess in zip(samples, guesses, strict=True):
        if sample.is_right and sample.place == 1:
            right.append(float(guess))
        if not sample.question.answers:
            none[sample.question] = max(none.get(sample.question, 0.0), float(guess))
    return right, none


def _threshold(samples: Sequence[Sample], guesses: logistic.Numbers) -> dict[str, float]:
    """The lowest threshold that lets through no more than is allowed, and the share of right first hits it keeps."""
    right, none = _best(samples, guesses)
    foreign = [guess for question, guess in none.items() if question.style == "foreign"]
    own = [guess for question, guess in none.items() if question.style != "foreign"]
    for threshold in np.arange(0.01, 1, 0.01):
        over = [float(np.mean(np.array(part) >= threshold)) for part in (foreign, own)]
        if over[0] <= ALLOWED_FOREIGN and sum(over) / 2 <= ALLOWED:
            break
    kept = float(np.mean(np.array(right) >= threshold))
    return {"threshold": round(float(threshold), 2), "kept": kept, "foreign": over[0], "own_vocabulary": over[1]}
