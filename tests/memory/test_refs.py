"""Refs and the addresses of what they name."""

from __future__ import annotations

import pytest
from django.urls import resolve
from hypothesis import given
from hypothesis import strategies as st

from memory import refs
from memory.models import Observation, Prompt

TEXT = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=60)


@given(TEXT)
def test_any_text_survives_the_way_through_a_url_segment(text: str) -> None:
    segment = refs.segment(text)

    assert refs.from_segment(segment) == text
    assert segment.isascii()
    assert not set(segment) & set("/?#%\\ ")
    assert segment not in {".", ".."}


@given(TEXT)
def test_a_session_has_an_address_that_leads_back_to_it(key: str) -> None:
    assert resolve(refs.url(f"session:{key}")).kwargs == {"key": key}


def test_a_project_whose_name_holds_a_slash_keeps_its_skills() -> None:
    assert resolve(refs.url("skill:a/b/tidy")).kwargs == {"project": "a/b", "slug": "tidy"}


def test_observations_and_prompts_are_named_by_their_numbers() -> None:
    assert refs.observation(Observation(pk=12)) == "observation:12"
    assert refs.prompt(Prompt(pk=7)) == "prompt:7"


@pytest.mark.parametrize(
    "ref", ["", "entry:x", "entry:²", "entry:", "observation:x", "prompt:", "skill:only", "unknown:1", "session:"]
)
def test_what_names_nothing_has_no_address(ref: str) -> None:
    assert refs.url(ref) == ""


@pytest.mark.parametrize("segment", ["~%%", "~!", "~_w", "~gA"])
def test_a_segment_that_was_never_made_is_refused(segment: str) -> None:
    with pytest.raises(ValueError, match="~"):
        refs.from_segment(segment)
