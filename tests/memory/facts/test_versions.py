"""Writing facts: versions, heads, conflicts."""

from __future__ import annotations

from typing import Any
from uuid import uuid4

import pytest
from django.utils import timezone

from memory import paging
from memory.facts import actions, queries
from memory.facts.actions import MOST_HEADS, Written
from memory.facts.errors import FactNotFound, InvalidFact, VersionConflict
from memory.facts.queries import FactState
from memory.models import Change, Fact, FactVersion, Project
from tests.memory.facts.parts import make_artifact, make_knowledge, make_relation

pytestmark = pytest.mark.django_db

SCOPE = "/work/harbor"


def create(text: str = "one", **over: Any) -> Written:
    given: dict[str, Any] = {"scope": SCOPE, "type": "knowledge", "value": make_knowledge(text), "at": timezone.now()}
    return actions.create(**given | over)


def update(id: str, text: str, *bases: str, **over: Any) -> Written:  # noqa: A002
    given = {"scope": SCOPE, "type": "knowledge", "id": id, "value": make_knowledge(text), "bases": list(bases)}
    return actions.update(**given | {"at": timezone.now()} | over)


def delete(id: str, *bases: str, **over: Any) -> Written:  # noqa: A002
    given: dict[str, Any] = {"scope": SCOPE, "type": "knowledge", "id": id, "bases": list(bases), "at": timezone.now()}
    return actions.delete(**given | over)


def read(id: str, **over: Any) -> FactState:  # noqa: A002
    return queries.read(**{"scope": SCOPE, "type": "knowledge", "id": id} | over)


def texts(id: str) -> list[str | None]:  # noqa: A002
    """What the heads say; None for a deletion."""
    values: list[Any] = [variant.value for variant in read(id).variants]
    return [value and value["content"]["text"] for value in values]


def told() -> list[str]:
    return list(Change.objects.order_by("pk").values_list("kind", flat=True))


def test_create_update_delete_are_three_versions_three_changes_and_one_head() -> None:
    first = create()
    second = update(first.id, "two", first.version)
    assert (read(first.id).state, texts(first.id)) == ("active", ["two"])
    third = delete(first.id, second.version)

    found = read(first.id)
    assert (found.state, found.variants) == ("deleted", [queries.Variant(third.version, None)])
    rows = FactVersion.objects.order_by("number")
    assert [(row.number, row.bases, row.is_head) for row in rows] == [
        (1, [], False),
        (2, [first.version], False),
        (3, [second.version], True),
    ]
    assert told() == ["fact.created", "fact.updated", "fact.deleted"]
    assert [one.change for one in (first, second, third)] == ["created", "updated", "deleted"]


def test_a_version_never_changes() -> None:
    first = create()
    update(first.id, "two", first.version)
    row = FactVersion.objects.get(version=first.version)
    assert row.value == make_knowledge("one")


def test_an_id_is_given_out_once_in_a_scope_even_when_the_fact_is_gone() -> None:
    first = create(id="k1")
    with pytest.raises(VersionConflict) as refused:
        create(id="k1")
    assert (refused.value.reason, refused.value.current) == ("VERSION_CONFLICT", (first.version,))
    gone = delete("k1", first.version)
    with pytest.raises(VersionConflict) as refused:
        create(id="k1")
    assert refused.value.current == (gone.version,)
    assert create(id="k1", scope="/work/other").id == "k1"
    assert create(id="k1", type="knowledge-relation", value=make_relation()).id == "k1"


def test_a_write_that_knows_an_old_state_stands_beside_the_new_one() -> None:
    first = create()
    second = update(first.id, "mine", first.version)
    third = update(first.id, "yours", first.version)
    assert (read(first.id).state, texts(first.id)) == ("conflicted", ["mine", "yours"])

    fourth = update(first.id, "yours, better", third.version)
    assert texts(first.id) == ["mine", "yours, better"]

    last = update(first.id, "ours", second.version, fourth.version)
    assert (read(first.id).state, texts(first.id)) == ("active", ["ours"])
    assert [one.change for one in (second, third, fourth, last)] == ["updated", "conflicted", "conflicted", "resolved"]


def test_a_deletion_may_contradict_a_change() -> None:
    first = create()
    second = update(first.id, "still needed", first.version)
    gone = delete(first.id, first.version)
    assert (read(first.id).state, texts(first.id)) == ("conflicted", ["still needed", None])
    assert delete(first.id, second.version, gone.version).change == "resolved"
    assert (read(first.id).state, Fact.objects.get().is_deleted) == ("deleted", True)


def test_a_deleted_fact_may_be_taken_up_again() -> None:
    first = create()
    gone = delete(first.id, first.version)
    assert update(first.id, "after all", gone.version).change == "updated"
    assert (read(first.id).state, Fact.objects.get().is_deleted) == ("active", False)


@pytest.mark.parametrize("write", ["update", "delete"])
def test_the_strategy_reject_needs_exactly_the_heads(write: str) -> None:
    def try_it(*bases: str) -> Written:
        if write == "update":
            return update(first.id, "new", *bases, strategy="reject")
        return delete(first.id, *bases, strategy="reject")

    first = create()
    mine = update(first.id, "mine", first.version)
    yours = update(first.id, "yours", first.version)
    for bases in ([first.version], [mine.version], [yours.version], [first.version, mine.version, yours.version]):
        with pytest.raises(VersionConflict) as refused:
            try_it(*bases)
        assert refused.value.current == (mine.version, yours.version)
    assert len(told()) == 3
    assert try_it(yours.version, mine.version).change == "resolved"


def test_bases_are_named_once_each_and_are_versions_of_the_fact() -> None:
    first, other = create(), create()
    for bases in ([], [first.version, first.version]):
        with pytest.raises(InvalidFact, match="bases"):
            update(first.id, "x", *bases)
    for base in (other.version, str(uuid4()), "v1", ""):
        with pytest.raises(VersionConflict, match="no version of this fact"):
            update(first.id, "x", base)
    assert texts(first.id) == ["one"]


def test_a_fact_has_so_many_heads_and_no_more() -> None:
    first = create()
    heads = [update(first.id, str(number), first.version) for number in range(MOST_HEADS)]
    with pytest.raises(VersionConflict, match="16 heads"):
        update(first.id, "one more", first.version)
    update(first.id, "instead", heads[0].version)
    update(first.id, "all", *(variant.version for variant in read(first.id).variants))
    assert texts(first.id) == ["all"]


@pytest.mark.parametrize(
    "wrong",
    [{"type": "note"}, {"id": "x" * 201}, {"id": " "}, {"id": "a\0"}, {"scope": " "}, {"scope": "a\0"}, {"value": {}}],
)
def test_refuses_what_can_be_no_fact_and_stores_nothing(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidFact) as refused:
        create(**wrong)
    assert refused.value.reason == "INVALID_REQUEST"
    assert not Fact.objects.exists()
    assert told() == []


def test_refuses_a_strategy_that_is_none() -> None:
    first = create()
    with pytest.raises(InvalidFact, match="reject, mvcc"):
        update(first.id, "x", first.version, strategy="merge")


def test_facts_of_another_scope_are_not_even_known() -> None:
    first = create()
    with pytest.raises(FactNotFound):
        read(first.id, scope="/work")
    with pytest.raises(FactNotFound):
        update(first.id, "x", first.version, scope="/work")
    with pytest.raises(FactNotFound):
        read(first.id, type="artifact")
    assert queries.page(scope="/work").facts == []


def test_a_change_belongs_to_the_scopes_project() -> None:
    project = Project.objects.create(name="harbor")
    create(scope="harbor")
    create(scope="nobody knows this")
    assert [change.project for change in Change.objects.order_by("pk")] == [project, None]


def test_pages_through_the_facts_of_a_scope() -> None:
    ids = [create(str(number), id=f"k{number}").id for number in range(5)]
    create(type="artifact", value=make_artifact(), id="a")
    gone = create(id="gone")
    delete("gone", gone.version)

    found = queries.page(scope=SCOPE, types=["knowledge"], limit=2)
    seen = [one.id for one in found.facts]
    while found.next:
        found = queries.page(scope=SCOPE, types=["knowledge"], limit=2, cursor=found.next)
        seen += [one.id for one in found.facts]
    assert seen == ids[::-1]
    assert {one.id for one in queries.page(scope=SCOPE).facts} == {*ids, "a"}
    assert [one.id for one in queries.page(scope=SCOPE, ids=["k3", "gone", "nothing"]).facts] == ["k3"]
    with pytest.raises(paging.BadCursor):
        queries.page(scope=SCOPE, cursor="nonsense")
