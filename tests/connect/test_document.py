"""A configuration keeps every byte that is not ours, whatever it looks like."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.connect.document import Document
from memory.connect.refusals import Unreadable

TEXTS = [
    None,
    "",
    "\n",
    "{}",
    "{}\n",
    "{\n}\n",
    "{ /* nothing yet */ }",
    '{"a":1}',
    '{"a": 1 // why\n}',
    '{\n  "a": 1\n}\n',
    '{\n  "a": 1\n}',
    '{\n\t"a": 1, // c\n\t"b": [1,2,],\n\t// the end\n}\n',
    '{\n  "a": 1, /* x */\n}',
    '\ufeff{\r\n    "a": "\\u00e4"\r\n}\r\n',
    '{"hooks": {}}',
    '{"hooks": {"Stop": []}, "servers": { }}',
    '{"hooks": {"Stop": [\n]}, "servers": {\n}}',
    '{\n  "hooks": {\n    "Stop": [\n      {"hooks": []}\n    ]\n  }\n}\n',
    '{"hooks": {"Stop": [{"x": "}]"}, ]}}',
]


def put(text: str | None) -> str | None:
    document = Document(text, is_strict=False)
    document.append(("hooks", "Start"), {"run": ["memdock"]})
    document.append(("hooks", "Stop"), {"run": ["memdock"]})
    document.set(("servers", "memdock"), {"command": "memdock", "ä": 1})
    return document.text


def take(text: str | None) -> str | None:
    document = Document(text, is_strict=False)
    document.remove(("servers", "memdock"))
    for event in ("Stop", "Start"):
        found = document.get(("hooks", event))
        assert isinstance(found, list)
        document.remove(("hooks", event, found.index({"run": ["memdock"]})))
    return document.text


@pytest.mark.parametrize("text", TEXTS)
def test_taking_ours_out_undoes_putting_it_in(text: str | None) -> None:
    changed = put(text)

    assert changed
    assert Document(changed, is_strict=False).get(("servers", "memdock")) == {"command": "memdock", "ä": 1}
    assert take(changed) == text


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=12,
)
keys = st.text(max_size=6).filter(lambda key: key not in {"hooks", "servers"})
layouts = st.sampled_from([None, 0, 1, 2, "\t"])


@given(st.dictionaries(keys, values, max_size=4), layouts, st.sampled_from(["\n", "\r\n"]))
def test_any_object_in_any_layout_survives(value: dict[str, object], indent: int | str | None, newline: str) -> None:
    text = json.dumps(value, indent=indent, ensure_ascii=False).replace("\n", newline)

    changed = put(text)

    assert changed
    ours = {"servers", "hooks"}
    assert {key: one for key, one in json.loads(changed).items() if key not in ours} == value
    assert take(changed) == text


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('{"a": 1,}', "line 1, column 8"),
        ('{"a": 1} // no', "line 1, column 10"),
        ('{\n  "a": tru\n}', "line 2, column 8"),
        ('{\n  "a": 1\n  "b": 2\n}', "line 3, column 3"),
        ('{"a": 1, "a": 2}', "line 1, column 10"),
        ("{a: 1}", "line 1, column 2"),
        ("{'a': 1}", "line 1, column 2"),
        ('{"a": "', "line 1, column 7"),
        ('{"a": [1, 2', "line 1, column 12"),
        ("{} {}", "line 1, column 4"),
        ("[1]", "line 1, column 1"),
        ("[" * 100_000, "line 1, column"),
    ],
)
def test_what_cannot_be_read_is_refused_with_its_place(text: str, place: str) -> None:
    with pytest.raises(Unreadable, match=place):
        Document(text, is_strict=True)


@given(st.text(alphabet='{}[]",:/*\n 1at\\', max_size=40))
def test_whatever_is_read_strictly_is_json_and_nothing_else_fails(text: str) -> None:
    try:
        document = Document(text, is_strict=True)
    except Unreadable:
        return
    if text.strip():
        assert json.loads(text) == document.get(())


def test_a_value_is_replaced_where_it_stands() -> None:
    document = Document('{\n  "mcp": {"memdock": {"old": 1}, "b": 2} // note\n}\n', is_strict=False)

    document.set(("mcp", "memdock"), {"new": 1})

    assert document.text == '{\n  "mcp": {"memdock": {\n    "new": 1\n  }, "b": 2} // note\n}\n'


def test_what_stands_in_the_way_is_refused() -> None:
    document = Document('{"hooks": 1, "list": {}}', is_strict=False)

    with pytest.raises(Unreadable):
        document.append(("hooks", "Stop"), {})
    with pytest.raises(Unreadable):
        document.append(("list",), {})
    assert document.text == '{"hooks": 1, "list": {}}'
