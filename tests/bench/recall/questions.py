"""The labelled questions: each with the entries that answer it, and the half it belongs to."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DATA = Path(__file__).parent / "data"
NO_ANSWER = ("foreign", "own-vocabulary")
"""Styles of questions that nothing answers: about other subjects, and in the words of the projects themselves."""

type Half = Literal["tune", "held"]


@dataclass(frozen=True, slots=True)
class Question:
    """A question and the keys (`project/YYYY-MM-DD/ordinal`) of the entries that answer it; none for NO_ANSWER."""

    id: str
    question: str
    answers: tuple[str, ...]
    style: str
    language: str

    @property
    def half(self) -> Half:
        """Which half the id falls into: coefficients are chosen on `tune`, numbers reported on `held`."""
        return "tune" if hashlib.sha256(self.id.encode()).digest()[0] % 2 else "held"


def own() -> list[Question]:
    """Return the questions over the journals beside this file."""
    lines = (DATA / "questions.jsonl").read_text(encoding="utf-8").splitlines()
    return [Question(**{**fields, "answers": tuple(fields["answers"])}) for fields in map(json.loads, lines)]


def planted(facts: Path, project: str) -> list[Question]:
    """Return the questions of a generated tree's facts.jsonl."""
    lines = facts.read_text(encoding="utf-8").splitlines()
    return [_planted(json.loads(line), f"{project}-{number}", project) for number, line in enumerate(lines, 1)]


def absent(facts: Path, project: str) -> list[Question]:
    """Return the questions of a tree that is not read: the same words as in `project`, about names that it never had."""
    lines = facts.read_text(encoding="utf-8").splitlines()
    return [
        Question(f"{project}-absent-{number}", fact["question"], (), "own-vocabulary", fact["language"])
        for number, fact in enumerate(map(json.loads, lines), 1)
    ]


def _planted(fact: dict[str, str], identifier: str, project: str) -> Question:
    key = f"{project}/{fact['date']}/{fact['ordinal']}"
    return Question(identifier, fact["question"], (key,), f"planted {fact['style']}", fact["language"])
