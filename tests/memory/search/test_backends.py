"""The text index of the database in use, against the formula that it is to follow."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta

import pytest
from django.db import connection
from hypothesis import given, settings
from hypothesis import strategies as st

from memory.models import Project, SearchDocument
from memory.search import backends
from memory.search.backends.base import K1, TITLE_WEIGHT, B, Match, Where, Words

pytestmark = pytest.mark.django_db

NOON = datetime(2026, 3, 14, 12, tzinfo=UTC)
WORDS = ["berth", "crane", "gate", "lease", "tide"]

type Text = tuple[Sequence[str], Sequence[str]]
type Texts = Sequence[Text]

texts = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=2), st.lists(st.sampled_from(WORDS), min_size=1, max_size=9)),
    min_size=1,
    max_size=8,
)


def make_documents(texts: Texts, *, name: str = "harbor", kind: str = "entry") -> list[int]:
    """Index one document a pair of title and text, each an hour newer than the one before; return their ids."""
    project, _ = Project.objects.get_or_create(name=name)
    rows = [
        SearchDocument.objects.create(
            key=f"{name}:{kind}:{n}",
            ref=f"{name}:{kind}:{n}",
            kind=kind,
            project=project,
            when=NOON + timedelta(hours=n),
            length=len(title) + len(body),
        )
        for n, (title, body) in enumerate(texts)
    ]
    backends.current().write([Words(row.pk, *text) for row, text in zip(rows, texts, strict=True)])
    return [row.pk for row in rows]


def scores(texts: Texts, asked: list[str]) -> dict[int, float]:
    """BM25 as SQLite has it (https://sqlite.org/fts5.html#the_bm25_function), by the place of the document."""
    average = sum(len(title) + len(body) for title, body in texts) / len(texts)
    found: dict[int, float] = {}
    for term in asked:
        holders = [place for place, (title, body) in enumerate(texts) if term in title or term in body]
        weight = max(math.log((len(texts) - len(holders) + 0.5) / (len(holders) + 0.5)), 1e-6)
        for place in holders:
            title, body = Counter(texts[place][0]), Counter(texts[place][1])
            frequency = TITLE_WEIGHT * title[term] + body[term]
            size = K1 * (1 - B + B * (title.total() + body.total()) / average)
            found[place] = found.get(place, 0) + weight * frequency * (K1 + 1) / (frequency + size)
    return found


@settings(max_examples=30, deadline=None)
@given(texts=texts, asked=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3, unique=True))
def test_scores_by_bm25(texts: Texts, asked: list[str]) -> None:
    SearchDocument.objects.all().delete()
    backends.current().clear()
    places = {pk: place for place, pk in enumerate(make_documents(texts))}
    found = backends.current().candidates(Match(any=tuple(asked)), sort="relevance", limit=20)
    assert {places[pk]: score for pk, score in found} == pytest.approx(scores(texts, asked), rel=1e-6)


def test_gives_the_newest_of_equals() -> None:
    pks = make_documents([([], ["lease"])] * 9 + [([], ["gate"])])
    found = backends.current().candidates(Match(any=("lease",)), sort="relevance", limit=3)
    assert [pk for pk, _ in found] == pks[8:5:-1]


def test_a_filter_leaves_the_order_as_it_is() -> None:
    near = make_documents([([], ["lease", "tide"]), (["lease"], ["lease"]), ([], ["gate"])])
    make_documents([(["lease"], ["lease"])] * 3, name="pilot")
    project = Project.objects.get(name="harbor")
    match = Match(any=("lease",), where=Where("d.project_id = %s", (project.pk,)))
    for limit in (1, 5):
        found = backends.current().candidates(match, sort="relevance", limit=limit)
        assert [pk for pk, _ in found] == [near[1], near[0]][:limit]
    assert backends.current().facets(match, limit=10) == [(project.pk, "entry", "", "", 2)]


def test_counts_each_match_once_whatever_it_has_of_the_question() -> None:
    make_documents([(["lease"], ["tide", "lease"]), ([], ["tide"]), ([], ["gate"])])
    (row,) = backends.current().facets(Match(any=("lease", "tide")), limit=10)
    assert row[-1] == 2
    (row,) = backends.current().facets(Match(any=("lease", "tide")), limit=1)
    assert row[-1] == 1


def test_knows_its_size_after_whatever_changed_it() -> None:
    """Rows also go with their project, or in a statement of their own, without the index being asked."""
    texts: Texts = [([], ["lease"] * n) for n in range(1, 5)]
    kept = make_documents(texts)
    make_documents([(["crane"], ["gate"])] * 3, name="pilot")
    Project.objects.get(name="pilot").delete()
    SearchDocument.objects.filter(pk=kept[0]).delete()
    backends.current().remove([kept[0]])
    SearchDocument.objects.filter(pk=kept[1]).update(length=3)
    backends.current().write([Words(kept[1], ["gate"], ["lease", "lease"])])
    left: Texts = [(["gate"], ["lease"] * 2), *texts[2:]]
    found = backends.current().candidates(Match(any=("gate",)), sort="relevance", limit=5)
    if connection.vendor == "postgresql":  # FTS5 keeps counting what went with its project, until it is made anew
        assert [score for _, score in found] == pytest.approx(list(scores(left, ["gate"]).values()))
        assert backends.current().document_ids() == set(kept[1:])
    assert [pk for pk, _ in found] == [kept[1]]
