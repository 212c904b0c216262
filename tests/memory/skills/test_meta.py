"""Any meta.json at all, turned into values that can be stored."""

from __future__ import annotations

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from memory.skills import meta
from tests.memory.skills.trees import RECORD, Write, read

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text() | st.sampled_from(sorted(RECORD)), inner),
    max_leaves=8,
)


def test_keeps_no_text_that_a_database_refuses(root: Path, write: Write) -> None:
    write(record={"reason": "a\0b\ud800", "x\0": ["\0"]})
    candidate = read(root)
    assert candidate.reason == "a\ufffdb\ufffd"
    assert candidate.extra == {"x\ufffd": ["\ufffd"]}


@given(st.binary() | JSON.map(lambda value: json.dumps(value).encode()))
def test_reads_any_meta_json_into_values_that_can_be_stored(data: bytes) -> None:
    found = meta.parse(data)
    assert (found.status == "broken") == bool(found.faults)
    stored = json.dumps(found.extra, ensure_ascii=False, allow_nan=False).encode()
    assert b"\\u0000" not in stored
    assert all(fault.endswith(".") for fault in found.faults)
