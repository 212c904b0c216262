"""What an agent says that it learned is found below its heading."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.engram.learnings import extract

ONE = "Tide tables are cached for one hour"
TWO = "The berth planner needs the newest tides"


@pytest.mark.parametrize(
    "heading",
    [
        "## Key Learnings:",
        "### key learning",
        "## Learnings",
        "##  LEARNING:",
        "## Aprendizajes",
        "## Aprendizajes Clave:  ",
    ],
)
@pytest.mark.parametrize("newline", ["\n", "\r\n"])
def test_knows_the_headings(heading: str, newline: str) -> None:
    assert extract(newline.join(["Done.", "", heading, "", f"1. {ONE}", ""])) == [ONE]


@pytest.mark.parametrize(
    "text",
    [
        f"# Key Learnings\n1. {ONE}",
        f"#### Key Learnings\n1. {ONE}",
        f"## Key Learnings of today\n1. {ONE}",
        f"Key Learnings:\n1. {ONE}",
        f"## Key Learnings\n{ONE}",
        "## Key Learnings\n1. too short a one\n- three long-enough wordssssssss",
        f"## Key Learnings\n## Next\n1. {ONE}",
        "",
    ],
)
def test_finds_nothing_elsewhere(text: str) -> None:
    assert extract(text) == []


def test_takes_bullets_only_where_no_number_qualifies() -> None:
    assert extract(f"## Learnings\n1) {ONE}\n- {TWO}") == [ONE]
    assert extract(f"## Learnings\n1. short\n- {ONE}\n  * {TWO}") == [ONE, TWO]


def test_takes_the_last_section_that_has_items() -> None:
    assert extract(f"## Learnings\n1. {ONE}\n## Learnings\n1. {TWO}\n### Rest\n## Learnings\nnone") == [TWO]
    assert extract(f"## Learnings\n1. {ONE}\n## Learnings\nnone") == [ONE]


def test_strips_marks_and_spacing() -> None:
    assert extract("## Learnings\n1. **Tide**  `tables` are *cached*\tfor one hour ") == [ONE]


@given(st.lists(st.sampled_from(["## Learnings", "### x", f"1. {ONE}", f"- {TWO}", "2. no", "", "text"])))
def test_returns_only_whole_items_of_the_text(lines: list[str]) -> None:
    assert set(extract("\n".join(lines))) <= {ONE, TWO}


@given(st.text())
def test_reads_any_text(text: str) -> None:
    for item in extract(f"## Learnings\n{text}"):
        assert len(item.encode()) >= 20
        assert len(item.split()) >= 4


def test_reads_a_long_text_of_headings_in_one_go() -> None:
    assert extract("## Learnings\n" * 50_000 + f"1. {ONE}") == [ONE]
