"""Folders of skills: MemSearch's names, and distinct ones where it has none."""

from __future__ import annotations

import re
import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from memory.descriptors import is_plain
from memory.skills.naming import LONGEST, slug_of

NOT_LATIN = st.text(st.characters(codec="utf-8", exclude_characters="0123456789"), min_size=1).filter(
    lambda text: text.strip() and not re.search("[a-z0-9-]", text.lower())
)


@pytest.mark.parametrize(
    ("name", "slug"),
    [
        ("Run Tests!! (fast)", "run-tests-fast"),
        ("a_b.c", "a-b-c"),
        ("../../etc", "etc"),
        ("../../x", "x"),
        (".git", "git"),
        ("日志 log", "log"),
        ("skill", "skill"),
        ("", "skill"),
        ("  ", "skill"),
    ],
)
def test_names_as_memsearch_does(name: str, slug: str) -> None:
    assert slug_of(name) == slug


def test_names_without_latin_letters_are_told_apart() -> None:
    names = ["日志排查步骤", "部署回滚", "Откат", "배포 롤백", "日本語"]
    assert len({slug_of(name) for name in names}) == len(names)
    assert slug_of(" 日本語\n") == slug_of("日本語")
    assert slug_of(slug_of("日本語")) == slug_of("日本語")


def test_gives_no_name_that_is_taken() -> None:
    assert slug_of("Tide", {"tide", "tide-2"}) == "tide-3"


@given(st.text())
def test_a_name_is_always_a_folder_of_its_own(name: str) -> None:
    slug = slug_of(name)
    assert re.fullmatch("[a-z0-9][a-z0-9-]*", slug)
    assert is_plain(slug)
    assert len(slug) <= LONGEST
    assert slug_of(slug) == slug


@given(NOT_LATIN, NOT_LATIN)
def test_other_names_have_other_slugs(one: str, other: str) -> None:
    plain = [" ".join(unicodedata.normalize("NFKC", text).casefold().split()) for text in (one, other)]
    assume(plain[0] != plain[1])
    assert slug_of(one) != slug_of(other)


@given(st.text(min_size=LONGEST + 1, alphabet="abcdefgh "))
def test_long_names_keep_their_difference(name: str) -> None:
    assume(len(name.strip()) > LONGEST)
    assert slug_of(f"{name}x") != slug_of(f"{name}y")
