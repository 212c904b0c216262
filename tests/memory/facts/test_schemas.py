"""The schemas of facts: what they take and what they refuse."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.facts import validate
from memory.facts.errors import InvalidFact
from memory.facts.validate import checked
from memory.models.fact import FactType
from tests.memory.facts.parts import NOW, changed, make_artifact, make_indexed, make_knowledge, make_relation

MAKERS: dict[FactType, Callable[[], dict[str, Any]]] = {
    FactType.ARTIFACT: make_artifact,
    FactType.KNOWLEDGE: make_knowledge,
    FactType.RELATION: make_relation,
}
FOLDER = Path(validate.__file__).parent / "schemas"


@pytest.mark.parametrize("path", sorted(FOLDER.iterdir()), ids=lambda path: path.stem)
def test_each_schema_is_one(path: Path) -> None:
    schema = json.loads(path.read_text())
    validate._validator(FactType.ARTIFACT).check_schema(schema)
    assert schema["$id"] == f"urn:patchouli:schema:{path.stem.replace('@', ':')}"


@pytest.mark.parametrize("kind", FactType)
def test_takes_what_is_valid(kind: FactType) -> None:
    assert checked(kind, MAKERS[kind]()) == MAKERS[kind]()


def test_asks_nobody_else(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> None:
        raise AssertionError("a schema was fetched")

    validate._validator.cache_clear()
    monkeypatch.setattr(socket.socket, "connect", refuse)
    for kind, make in MAKERS.items():
        checked(kind, make())


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("content", {"kind": "structured", "value": [1, {"a": None}]}),
        ("content", {"kind": "structured", "value": None}),
        ("artifact", []),
        ("metadata.core.provenance", []),
        ("metadata.extensions", {f"local.n{number}": {} for number in range(32)}),
        ("profile.retrieval", ["unknown"]),
        ("profile.temporal", {"kind": "timeless"}),
        ("profile.temporal", {"kind": "interval", "start": NOW, "end": NOW}),
        ("profile.temporal", {"kind": "sequence", "items": [{"type": "knowledge", "id": "k"}] * 256}),
        ("metadata.core.time.event_at", "2026-02-28t23:59:59.123456z"),
    ],
)
def test_takes_all_forms_of_knowledge(path: str, new: Any) -> None:
    value = changed(make_knowledge(), path, new)
    assert checked(FactType.KNOWLEDGE, value) == value


@pytest.mark.parametrize(
    ("path", "new", "words"),
    [
        ("content.text", "", "value.content"),
        ("content", {"kind": "text", "text": "a", "value": 1}, "value.content"),
        ("profile.-ownership", None, "'ownership' is a required property"),
        ("profile.epistemic", "certain", "value.profile.epistemic"),
        ("profile.retrieval", [], "value.profile.retrieval"),
        ("profile.retrieval", ["exact", "exact"], "value.profile.retrieval"),
        ("profile.retrieval", ["bm25"], "value.profile.retrieval"),
        ("profile.actionability", "execute", "value.profile.actionability"),
        ("profile.temporal", {"kind": "instant"}, "value.profile.temporal"),
        ("profile.temporal", {"kind": "instant", "at": "yesterday"}, "value.profile.temporal"),
        ("profile.temporal", {"kind": "sequence", "items": []}, "value.profile.temporal"),
        ("artifact.0.role", "reference", "value.artifact"),
        ("artifact", [{"type": "artifact", "id": "1", "role": "source"}] * 2, "value.artifact"),
        (
            "artifact",
            [{"type": "artifact", "id": str(number), "role": "source"} for number in range(33)],
            "value.artifact",
        ),
        ("metadata.core.schema", "patchouli.artifact@1", "value.metadata.core.schema"),
        ("metadata.core.scope.-user", None, "'user' is a required property"),
        ("metadata.core.time.observed_at", None, "value.metadata.core.time.observed_at"),
        ("metadata.core.time.observed_at", "2026-02-30T00:00:00Z", "value.metadata.core.time.observed_at"),
        ("metadata.core.time.observed_at", "2026-11-30 12:00:00", "value.metadata.core.time.observed_at"),
        ("metadata.core.lifecycle.status", "deleted", "value.metadata.core.lifecycle.status"),
        ("metadata.core.provenance.0.kind", "guessed", "value.metadata.core.provenance"),
        ("metadata.extensions", {"session": {}}, "value.metadata.extensions"),
        ("metadata.extensions", {"local.session": 3}, "value.metadata.extensions"),
        ("metadata.extensions", {f"local.n{number}": {} for number in range(33)}, "value.metadata.extensions"),
        ("metadata.id", "k1", "'id' was unexpected"),
        ("metadata.core.id", "k1", "'id' was unexpected"),
        ("metadata.core.revision", 2, "'revision' was unexpected"),
        ("id", "k1", "'id' was unexpected"),
        ("version", "v1", "'version' was unexpected"),
    ],
)
def test_refuses_knowledge_and_names_the_place(path: str, new: Any, words: str) -> None:
    with pytest.raises(InvalidFact) as refused:
        checked(FactType.KNOWLEDGE, changed(make_knowledge(), path, new))
    assert words in str(refused.value)


def test_more_than_64_witnesses_are_refused() -> None:
    witness = make_knowledge()["metadata"]["core"]["provenance"]
    value = make_knowledge()
    assert checked(FactType.KNOWLEDGE, changed(value, "metadata.core.provenance", witness * 64))
    with pytest.raises(InvalidFact, match="provenance"):
        checked(FactType.KNOWLEDGE, changed(value, "metadata.core.provenance", witness * 65))


@pytest.mark.parametrize(
    "kind", ["supports", "contradicts", "derived_from", "generalized_from", "causes", "supersedes"]
)
def test_a_relation_may_lead_to_itself(kind: str) -> None:
    assert checked(FactType.RELATION, make_relation(source="k1", target="k1") | {"type": kind})


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("type", "likes"),
        ("from", []),
        ("to", []),
        ("from.0.type", "artifact"),
        ("to.0.id", ""),
        ("to", [{"type": "knowledge", "id": "k2"}] * 2),
        ("from.0.role", "source"),
        ("from", [{"type": "knowledge", "id": str(number)} for number in range(257)]),
    ],
)
def test_a_relation_needs_knowledge_on_both_sides(path: str, new: Any) -> None:
    with pytest.raises(InvalidFact):
        checked(FactType.RELATION, changed(make_relation(), path, new))


def test_only_a_managed_artifact_needs_its_digest_and_length() -> None:
    assert checked(FactType.ARTIFACT, make_indexed())
    for key in ("digest", "byte_length"):
        with pytest.raises(InvalidFact, match=key):
            checked(FactType.ARTIFACT, make_artifact() | {key: None})


@pytest.mark.parametrize(
    ("path", "new"),
    [
        ("media_type", "png"),
        ("byte_length", -1),
        ("name", ""),
        ("-name", None),
        ("placement.locator", "x"),
        ("placement", {"kind": "indexed", "provider": "drive", "locator": "7"}),
        ("placement", {"kind": "elsewhere"}),
        ("placement", {}),
        ("-placement", None),
        ("metadata.core.schema", "patchouli.knowledge@1"),
    ],
)
def test_refuses_what_is_no_artifact(path: str, new: Any) -> None:
    with pytest.raises(InvalidFact):
        checked(FactType.ARTIFACT, changed(make_artifact(), path, new))


def test_refuses_what_is_no_json_or_too_much_of_it() -> None:
    for value in (changed(make_knowledge(), "content.text", "a\ud800"), {1: 2}, {"a": (1,)}, {"a": float("nan")}):
        with pytest.raises(InvalidFact):
            checked(FactType.KNOWLEDGE, value)
    with pytest.raises(InvalidFact, match="larger than"):
        checked(FactType.KNOWLEDGE, make_knowledge("x" * validate.LARGEST))
    with pytest.raises(InvalidFact) as refused:
        checked(FactType.KNOWLEDGE, ["x" * 100_000])
    assert len(str(refused.value)) <= 200


def test_takes_private_blocks_out_and_what_no_database_holds() -> None:
    found = checked(FactType.KNOWLEDGE, make_knowledge("key <private>hunter2</private>\0"))
    assert isinstance(found, dict)
    assert found["content"] == {"kind": "text", "text": "key [REDACTED]\ufffd"}


TEXTS = st.text(st.characters(exclude_characters="\0", exclude_categories=["Cs"]), max_size=5)
ANY = st.recursive(
    st.none() | st.booleans() | st.integers() | TEXTS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXTS, inner, max_size=3),
)
PLACES = [
    "content",
    "metadata",
    "metadata.core",
    "metadata.core.time",
    "metadata.extensions",
    "artifact",
    "profile",
    "profile.temporal",
    "profile.retrieval",
]


@given(path=st.sampled_from(PLACES), new=ANY)
def test_anything_is_taken_or_refused(path: str, new: Any) -> None:
    value = changed(make_knowledge(), path, new)
    try:
        assert checked(FactType.KNOWLEDGE, value) == value
    except InvalidFact as refused:
        assert str(refused).startswith("value")
