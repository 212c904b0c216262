"""What a text means as the value of a key."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.capture.summarizers import choice
from memory.configuration import keys, masking, values
from memory.configuration.keys import Scalar
from memory.configuration.values import InvalidValue


@pytest.mark.parametrize(
    ("key", "text", "value"),
    [
        ("recall.enabled", " No ", False),
        ("capture.daily_summaries", "0", 0),
        ("plugins.dsh.memory_to_skill.min_occurrences", "3", 3),
        ("plugins.dsh.memory_to_skill.paths", "a/b, /c\nd", ["a/b", "/c", "d"]),
        ("indexing.exclude", '["a, b", "c"]', ["a, b", "c"]),
        ("capture.summarizer", "extractive", "extractive"),
        ("llm.base_url", "http://127.0.0.1:11434/v1", "http://127.0.0.1:11434/v1"),
        ("llm.api_key", "env:HOUSE_KEY", "env:HOUSE_KEY"),
        ("llm.providers.house.type", "gemini", "gemini"),
        ("capture.daily_summaries", "env:MOST", "env:MOST"),
    ],
)
def test_a_text_becomes_what_its_key_wants(key: str, text: str, value: Scalar) -> None:
    assert values.parse(key, text) == value


@pytest.mark.parametrize(
    ("key", "text", "why"),
    [
        ("recall.enabled", "maybe", "true or false"),
        ("recall.enabled", "", "true or false"),
        ("capture.daily_summaries", "6o", "whole number from 0"),
        ("capture.daily_summaries", "-1", "whole number"),
        ("capture.daily_summaries", "٣", "whole number"),
        ("plugins.codex.memory_to_skill.min_occurrences", "0", "from 1"),
        ("capture.summarizer", "gpt", "use one of auto, dsh-headless"),
        ("llm.providers.house.type", "ollama", "use one of openai"),
        ("llm.base_url", "file:///etc/passwd", "use an address"),
        ("llm.base_url", "http://mira:secret@host/v1", "without a name or password"),
        ("llm.model", "a\nb", "one line"),
        ("llm.model", "a\0b", "one line"),
        ("llm.model", "\ud800", "one line"),
        ("llm.model", "x" * 5000, "at most 4,096"),
        ("indexing.exclude", "[1]", "JSON array"),
        ("indexing.exclude", "[" * 5000, "at most"),
        ("indexing.exclude", "[" * 4000, "JSON array"),
        ("indexing.exclude", "a\0", "control characters"),
        ("nope.x", "1", "no such setting"),
    ],
)
def test_one_clear_error_names_the_key(key: str, text: str, why: str) -> None:
    with pytest.raises(InvalidValue) as refused:
        values.parse(key, text)

    assert str(refused.value).startswith(f"{key}: ")
    assert why in str(refused.value)
    assert refused.value.key == key


@given(st.sampled_from(sorted(keys.defaults())), st.text() | st.text(alphabet='[],"a\n '))
def test_what_is_parsed_is_typed_and_parsed_again(key: str, text: str) -> None:
    try:
        value = values.parse(key, text)
    except InvalidValue:
        return
    assert values.parse(key, values.typed(value)) == value


@pytest.mark.parametrize("key", sorted(keys.defaults()))
def test_every_default_is_a_value(key: str) -> None:
    default = keys.defaults()[key]

    assert values.parse(key, values.typed(default)) == default


def test_the_summarizers_that_can_be_chosen_are_those_that_there_are() -> None:
    assert set(keys.SUMMARIZERS) == {choice.AUTO, choice.OFF, *choice.MODULES}


@pytest.mark.parametrize(
    ("address", "told"),
    [
        ("postgres://mira:s3cret@db:5432/memdock?sslpassword=s3cret", "postgres://••••@db:5432/memdock?••••"),
        ("http://127.0.0.1:9/v1", "http://127.0.0.1:9/v1"),
        ("redis://:s3cret@cache", "redis://••••@cache"),
        ("http://[bad:s3cret@x", "••••"),
        ("~/.memsearch/milvus.db", "~/.memsearch/milvus.db"),
    ],
)
def test_passwords_in_addresses_are_not_told(address: str, told: str) -> None:
    assert masking.address(address) == told


@given(st.from_regex(r"[a-z]{2,8}://[^/?#]{0,20}s3cret@[^/?#@]{0,20}", fullmatch=True))
def test_no_password_is_ever_told(address: str) -> None:
    assert "s3cret" not in masking.address(address)
