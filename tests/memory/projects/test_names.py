"""How names of projects are compared, checked and guessed."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.projects import names


@pytest.mark.parametrize(
    ("name", "canonical"),
    [
        ("harbor-api", "harbor-api"),
        ("Harbor-Api", "harbor-api"),
        ("  HARBOR_API\n", "harbor_api"),
        ("harbor---api__v2", "harbor-api_v2"),
        ("a-_-_b", "a-_-_b"),
        ("--", "-"),
        ("C:\\work\\Harbor-Api", "c:\\work\\harbor-api"),
        ("-projectname harbor-api", "-projectname harbor-api"),
        ('"><script>', '"><script>'),
        ("ÑANDÚ", "ñandú"),
        ("   ", ""),
    ],
)
def test_compares_names_by_engrams_rule(name: str, canonical: str) -> None:
    assert names.canonical(name) == canonical


@given(st.text())
def test_leaves_a_canonical_name_as_it_is(name: str) -> None:
    once = names.canonical(name)
    assert names.canonical(once) == once
    assert "--" not in once
    assert "__" not in once


@given(st.text(alphabet="aB-_ "))
def test_compares_names_without_regard_to_case_and_surrounding_space(name: str) -> None:
    assert names.canonical(f" {name.upper()}\t") == names.canonical(name)


@pytest.mark.parametrize("name", ['"><script>', "C:\\work\\harbor-api", "日本語", "a/b", "x" * 200, "👩‍🚀"])
def test_accepts_any_name_that_is_data(name: str) -> None:
    assert names.validate(f" {name} ") == name


@pytest.mark.parametrize(
    ("name", "fact"),
    [
        ("", "needs a name"),
        (" \t\n", "needs a name"),
        ("x" * 201, "at most 200 characters; this one has 201"),
        ("a\0b", "control characters"),
        ("a\nb", "control characters"),
        ("a\x7fb", "control characters"),
        ("a\ud800b", "control characters"),
    ],
)
def test_says_in_one_sentence_why_a_name_is_none(name: str, fact: str) -> None:
    with pytest.raises(names.InvalidName, match=fact) as caught:
        names.validate(name)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("directory", "name"),
    [
        ("/srv/Harbor--Api", "harbor-api"),
        ("/srv/Harbor-Api/", "harbor-api"),
        ("harbor-api", "harbor-api"),
        ("C:\\work\\Harbor-Api", "harbor-api"),
        ("/", "unknown"),
        (".", "unknown"),
        ("..", "unknown"),
        ("/srv/   ", "unknown"),
        ("/srv/a\nb", "unknown"),
        ("/srv/" + "x" * 201, "unknown"),
    ],
)
def test_guesses_a_name_from_a_directory(directory: str, name: str) -> None:
    assert names.from_directory(Path(directory)) == name


@given(st.text(min_size=1).filter(lambda text: "\0" not in text))
def test_guesses_nothing_but_valid_canonical_names(directory: str) -> None:
    name = names.from_directory(Path(directory))
    assert names.validate(name) == names.canonical(name) == name
