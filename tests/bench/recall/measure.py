"""How well a searcher answers: recall, mean reciprocal rank, and what a threshold of relevance lets through."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from tests.bench.recall.questions import Question
from tests.bench.recall.searchers import Searcher

THRESHOLDS = tuple(step / 100 for step in range(5, 100, 5))


@dataclass(frozen=True, slots=True)
class Answer:
    """What came for a question: `rank` of the first right entry (0 for none), and the first hit's relevance."""

    question: Question
    rank: int
    relevance: float


@dataclass(frozen=True, slots=True)
class Score:
    """Means over `count` questions that have an answer."""

    count: int
    recall_1: float
    recall_5: float
    reciprocal_rank: float


@dataclass(frozen=True, slots=True)
class Cut:
    """What a threshold does: shares of right first hits kept, and of unanswerable questions with any hit over it."""

    threshold: float
    kept: float
    foreign: float
    own_vocabulary: float

    @property
    def unanswerable(self) -> float:
        """Both kinds alike: in use there is no telling how many questions of which kind come."""
        return (self.foreign + self.own_vocabulary) / 2


def ask(searcher: Searcher, questions: Iterable[Question]) -> list[Answer]:
    return [_answer(question, searcher(question.question)) for question in questions]


def _answer(question: Question, found: list[tuple[str, float]]) -> Answer:
    ranks = (rank for rank, (key, _) in enumerate(found, 1) if key in question.answers)
    return Answer(question, next(ranks, 0), max((relevance for _, relevance in found), default=0.0))


def score(answers: Sequence[Answer]) -> Score:
    """Return the means; 0 for no questions at all."""
    ranks = [answer.rank for answer in answers if answer.question.answers]
    count = max(len(ranks), 1)
    return Score(
        count=len(ranks),
        recall_1=sum(rank == 1 for rank in ranks) / count,
        recall_5=sum(1 <= rank <= 5 for rank in ranks) / count,
        reciprocal_rank=sum(1 / rank for rank in ranks if rank) / count,
    )


def groups(answers: Sequence[Answer], name: Callable[[Question], str]) -> dict[str, Score]:
    """Return one score a group of answerable questions."""
    names = sorted({name(answer.question) for answer in answers if answer.question.answers})
    return {group: score([answer for answer in answers if name(answer.question) == group]) for group in names}


def curve(answers: Sequence[Answer], thresholds: Iterable[float] = THRESHOLDS) -> list[Cut]:
    """Return what each threshold would keep and let through."""
    right = [answer.relevance for answer in answers if answer.rank == 1]
    foreign = [answer.relevance for answer in answers if answer.question.style == "foreign"]
    own = [answer.relevance for answer in answers if answer.question.style == "own-vocabulary"]
    return [Cut(limit, _over(right, limit), _over(foreign, limit), _over(own, limit)) for limit in thresholds]


def _over(values: Sequence[float], threshold: float) -> float:
    return sum(value >= threshold for value in values) / max(len(values), 1)
