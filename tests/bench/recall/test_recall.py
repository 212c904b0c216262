"""The labelled set and the arithmetic of its numbers."""

from __future__ import annotations

import re
from collections import Counter

import numpy as np
import pytest

from memory.journal import grammar
from tests.bench.recall import logistic, measure, questions
from tests.bench.recall.measure import Answer
from tests.bench.recall.questions import DATA, NO_ANSWER, Question
from tests.bench.recall.searchers import fts5, grep

TEXTS = {"a/2026-01-01/1": "The lease race is fixed", "a/2026-01-01/2": "Tides of the quay", "a/2026-01-02/1": "race"}


def _bodies() -> dict[str, str]:
    days = {path: grammar.parse(path.read_bytes()) for path in DATA.glob("*/*.md")}
    return {
        f"{path.parent.name}/{path.stem}/{ordinal}": entry.body
        for path, day in days.items()
        for ordinal, entry in enumerate(day.entries, 1)
    }


def _question(style: str = "paraphrase", *answers: str) -> Question:
    return Question("1", "which race?", answers, style, "en")


def test_asks_enough_of_each_kind_in_both_halves() -> None:
    for half in ("tune", "held"):
        asked = [question for question in questions.own() if question.half == half]
        styles = Counter(question.style for question in asked)
        assert sum(styles.values()) - sum(styles[style] for style in NO_ANSWER) >= 100
        assert all(styles[style] >= 25 for style in NO_ANSWER)
        assert {question.language for question in asked} == {"en", "zh", "ko", "es", "ru", "de"}


def test_asks_nothing_twice_and_answers_only_what_has_an_answer() -> None:
    asked = questions.own()
    assert len({question.id for question in asked}) == len({question.question for question in asked}) == len(asked)
    assert all(bool(question.answers) is (question.style not in NO_ANSWER) for question in asked)


def test_names_entries_that_exist() -> None:
    bodies = _bodies()
    assert len(bodies) > 250
    assert {key for question in questions.own() for key in question.answers} <= bodies.keys()


def test_lists_every_entry_that_has_an_identifier_or_a_word_of_two_characters() -> None:
    bodies = _bodies()
    for question in questions.own():
        if question.style in {"identifier", "two-character"}:
            holding = {key for key, body in bodies.items() if question.question.lower() in body.lower()}
            assert holding == set(question.answers), question


def test_keeps_each_id_in_its_half() -> None:
    tune = {name for name in "abcdef" if Question(name, "", (), "", "").half == "tune"}
    assert tune == {"e", "f"}


def test_counts_ranks() -> None:
    answers = [Answer(_question("error", "k"), rank, 0.5) for rank in (1, 2, 6, 0)]
    score = measure.score([*answers, Answer(_question("foreign"), 0, 0.9)])
    assert (score.count, score.recall_1, score.recall_5) == (4, 0.25, 0.5)
    assert score.reciprocal_rank == pytest.approx((1 + 1 / 2 + 1 / 6) / 4)
    assert measure.score([]).count == 0


def test_draws_the_curve_from_right_first_hits_and_from_any_hit_where_there_is_no_answer() -> None:
    answers = [
        Answer(_question("error", "k"), 1, 0.8),
        Answer(_question("error", "k"), 1, 0.2),
        Answer(_question("error", "k"), 2, 0.9),
        Answer(_question("foreign"), 0, 0.1),
        Answer(_question("own-vocabulary"), 0, 0.6),
    ]
    [cut] = measure.curve(answers, [0.5])
    assert (cut.kept, cut.foreign, cut.own_vocabulary, cut.unanswerable) == (0.5, 0.0, 1.0, 0.5)


def test_takes_the_first_right_entry_and_the_highest_relevance() -> None:
    question = _question("error", "b", "c")
    [answer] = measure.ask(lambda _: [("a", 0.4), ("c", 0.7), ("b", 0.1)], [question])
    assert (answer.rank, answer.relevance) == (2, 0.7)


def test_ranks_as_grep_and_fts5_do() -> None:
    assert [key for key, _ in grep(TEXTS)("lease race?")] == ["a/2026-01-01/1", "a/2026-01-02/1"]
    assert [key for key, _ in fts5(TEXTS, "OR")("lease race?")] == ["a/2026-01-01/1", "a/2026-01-02/1"]
    assert [key for key, _ in fts5(TEXTS, "AND")("lease race?")] == ["a/2026-01-01/1"]
    assert fts5(TEXTS, "OR")("?!") == grep(TEXTS)("?!") == []


def test_fits_what_the_labels_were_made_from() -> None:
    chance = np.random.default_rng(7)
    rows = chance.normal(size=(4000, 2))
    labels = (chance.random(4000) < logistic.predict(np.array([-1.0, 2.0, 0.0]), rows)).astype(float)
    assert logistic.fit(rows, labels, penalty=0.01) == pytest.approx([-1, 2, 0], abs=0.2)


def test_measures_the_area_under_the_curve() -> None:
    assert logistic.area(np.array([0.9, 0.4, 0.4, 0.1]), np.array([1.0, 1.0, 0.0, 0.0])) == pytest.approx(0.875)


def test_speaks_of_no_person() -> None:
    for path in DATA.rglob("*.md"):
        assert not re.search(r"[\w.]+@\w+\.\w+", re.sub(r"gateway@[\d.]+", "", path.read_text(encoding="utf-8"))), path
