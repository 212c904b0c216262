"""Asked in other words, in another language, or with a name's words apart."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.search import glossary, index
from memory.search.glossary import relatives
from memory.search.query import search
from memory.search.tokens import joined, leaves
from memory.search.types import Filters
from tests.makers import make_entry_text, make_project, make_tree

ENTRIES = Filters(kind="entry")
BODIES = [
    "렌더링 서버 메모리 누수 수정",
    "备份保留三十五天",
    "Утечка горутин после суток",
    "Der Export nach CSV nutzt Semikolon",
    "La búsqueda ignora los acentos",
    "Rolled back gateway to 0.9",
    "Renamed tideTable to harbor_tide_tables",
    "The table of the tide was printed\n- Ein fallo más",
]


@pytest.fixture
def written(tree: Path) -> Path:
    text = "".join(make_entry_text(f"09:{n:02}", turn=str(n), body=f"- {body}") for n, body in enumerate(BODIES))
    make_project(make_tree(tree, {"2026-03-14": text}))
    index.follow()
    return tree


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("asked", "answer"),
    [
        ("memory leak of the server", 0),
        ("How long is a backup retained?", 1),
        ("leaking threads", 2),
        ("which separator?", 3),
        ("search with accents", 4),
        ("how do I undo a release?", 5),
        ("메모리 누수", 0),
        ("渲染服务器内存泄漏", 0),
        ("tide table", 6),
        ("harbor tide table", 6),
    ],
)
def test_finds_what_is_called_otherwise(written: Path, asked: str, answer: int) -> None:
    found = search(asked, filters=ENTRIES).items
    assert found[0].title == BODIES[answer].partition("\n")[0]


@pytest.mark.django_db
def test_marks_the_other_word(written: Path) -> None:
    [hit] = search("mistake", filters=ENTRIES).items
    assert "<mark>fallo</mark>" in hit.snippet


@pytest.mark.django_db
def test_puts_an_entry_before_the_session_that_is_known_by_its_title(written: Path) -> None:
    assert [hit.kind for hit in search("rendering memory").items if hit.title == BODIES[0]] == ["entry", "session"]


def test_gives_every_word_of_a_phrase_what_the_whole_is_called() -> None:
    found = relatives(leaves("a memory leak at night"))
    assert ("утечк", "памят") in found["memori"]
    assert ("утечк", "памят") in found["leak"]
    assert (*leaves("noche"),) in found["night"]
    assert relatives(["qwertz"]) == relatives([]) == {}


def test_knows_no_word_that_says_little() -> None:
    assert not relatives(leaves("the of when это 的"))


def test_each_concept_has_several_names_and_each_name_one_line_of_its_own() -> None:
    lines = glossary._CONCEPTS.read_text(encoding="utf-8").splitlines()
    concepts = [line.split(", ") for line in lines if not line.startswith("#")]
    assert all(len(names) == len(set(names)) > 1 for names in concepts)
    assert lines[2:] == sorted(lines[2:])


def test_joins_words_as_names_are_written() -> None:
    assert {"tide_tables", "tide_table", *leaves("tidetable")} <= set(joined("the tide tables"))
    assert joined("tide") == joined("潮汐 表") == []
