"""The front matter that MemSearch writes, and what people make of it."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.skills.frontmatter import split

ONE_LINE = st.text().filter(lambda text: not set(text) & {"\r", "\n", "\0"} and text.isprintable())


def test_reads_what_memsearch_writes() -> None:
    text = '---\nname: import-tide-tables\ndescription: "Import \\"new\\" tables: 日本"\n---\n\n# Import\n\n1. Go.\n'
    fields, body = split(text)
    assert fields == {"name": "import-tide-tables", "description": 'Import "new" tables: 日本'}
    assert body == "# Import\n\n1. Go.\n"


def test_reads_byte_order_mark_and_carriage_returns_as_if_they_were_not_there() -> None:
    assert split('\ufeff---\r\nname: x\r\ndescription: "d"\r\n---\r\n\r\nbody\r\n') == (
        {"name": "x", "description": "d"},
        "body\n",
    )


@pytest.mark.parametrize(
    ("lines", "value"),
    [
        ("key: plain text", "plain text"),
        ("key:", ""),
        ("key: ", ""),
        ("key:\ttab", "tab"),
        ("key: Use when: a deploy fails", "Use when: a deploy fails"),
        ("key: text # comment", "text"),
        ("key: C# and a#b", "C# and a#b"),
        ("key: # comment", ""),
        ("key: # comment\n  text", "text"),
        ("key: 'it''s # here' # comment", "it's # here"),
        ('key: "a # b" # comment', "a # b"),
        ('key: "line\\nbreak \\u00f1"', "line\nbreak ñ"),
        ('key: "\\ud800 \\u0000"', "\ufffd \ufffd"),
        ('key: "\\x41"', "\\x41"),
        ('key: "open', '"open'),
        ('key: "a" and "b"', '"a" and "b"'),
        ("key: first\n  second\n\n  third", "first second\nthird"),
        ('key: "first\n  second"', "first second"),
        ('key: "first \\u00f1\n\n  second"', "first ñ\nsecond"),
        ("key: >-\n  first\n  second\n\n  third\n", "first second\nthird"),
        ("key: |\n  # no comment\n    deeper\n  end\n", "# no comment\n  deeper\nend"),
        ("key: |2+ # comment\n  text\n\n", "text"),
        ("key: > 5 items", "> 5 items"),
        ("key: true", "true"),
        ("key: [a, b]", "[a, b]"),
        ("key: !!python/object/apply:os.system ['id']", "!!python/object/apply:os.system ['id']"),
        ("key: one\nkey: two", "two"),
        ("# comment\nkey: value\n# another", "value"),
    ],
)
def test_reads_a_scalar(lines: str, value: str) -> None:
    fields, body = split(f"---\n{lines}\nafter: x\n---\nbody")
    assert fields == {"key": value, "after": "x"}
    assert body == "body"


@pytest.mark.parametrize("lines", ["key:\n  - a\n  - b", "key:\n- a\n- b", "key:\n  inner: a", "key: # comment\n  - a"])
def test_leaves_out_what_is_no_scalar(lines: str) -> None:
    assert split(f"---\nbefore: x\n{lines}\nafter: y\n---\n")[0] == {"before": "x", "after": "y"}


@pytest.mark.parametrize("line", ["no colon", "key:value", ": x", "a b: x", "- key: x", "{key: x}", '"key": x'])
def test_passes_over_a_line_that_is_no_field(line: str) -> None:
    assert split(f"---\n{line}\n---\nbody") == ({}, "body")


@pytest.mark.parametrize(
    "text", ["", "body\n", "---", "---\nname: x\n", "\n---\nname: x\n---\n", "---x\nname: x\n---\n"]
)
def test_finds_no_fields_where_no_front_matter_begins_and_ends(text: str) -> None:
    assert split(text) == ({}, text)


def test_ends_the_front_matter_at_its_first_fence() -> None:
    assert split("---\nname: x\n---\nbody\n---\nname: y\n---\n") == ({"name": "x"}, "body\n---\nname: y\n---\n")


@given(st.text())
def test_reads_any_text(text: str) -> None:
    fields, body = split("---\n" + text)
    assert "\r" not in body
    assert all(not set(value) & {"\r", "\0"} for value in fields.values())


@given(st.lists(st.sampled_from(["a:", " ", '"', "'", "\\", "#", "|", ">", "-", "\n", "\n  ", "x", "\n---\n", ": "])))
def test_reads_any_arrangement_of_yaml_signs(parts: list[str]) -> None:
    fields, body = split("---\n" + "".join(parts))
    assert all(isinstance(value, str) for value in fields.values())
    assert not body.startswith("\n") or not fields


@given(ONE_LINE, st.text().filter(lambda text: not text.startswith(("\n", "\r")) and "\r" not in text))
def test_gives_back_what_memsearch_wrote(description: str, body: str) -> None:
    quoted = json.dumps(description, ensure_ascii=False)
    fields, rest = split(f"---\nname: x\ndescription: {quoted}\n---\n\n{body}")
    assert fields == {"name": "x", "description": description}
    assert rest == body
