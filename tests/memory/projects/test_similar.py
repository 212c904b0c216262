"""Names that were probably meant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.projects.similar import similar


@pytest.mark.parametrize(
    ("name", "known", "found"),
    [
        ("harbor_api", ["harbor-api", "harbor-web", "tides"], ["harbor-api"]),
        ("HARBOR-API", ["harbor-api", "harbor-apis", "harbor-app"], ["harbor-app", "harbor-apis"]),
        ("harbr-apy", ["harbor-api", "harbor-apy", "harbr-apyx"], ["harbor-apy", "harbr-apyx", "harbor-api"]),
        ("C:\\work\\harbor-api", ["harbor-api"], ["harbor-api"]),
        ("harbor-api", ["/srv/Harbor-Api/"], ["/srv/Harbor-Api/"]),
        ("api", ["web", "app"], ["app"]),
        ("", ["a", "abc"], []),
        ("harbor", [], []),
    ],
)
def test_finds_names_at_a_small_distance_best_first(name: str, known: list[str], found: list[str]) -> None:
    assert similar(name, known) == found


letters = st.text(alphabet="abcd", min_size=8, max_size=14)


@given(letters, letters)
def test_measures_as_levenshtein_did(one: str, other: str) -> None:
    is_near = one != other and _levenshtein(one, other) <= 3

    assert similar(one, [other]) == ([other] if is_near else [])
    assert similar(other, [one]) == ([one] if is_near else [])


@given(letters, st.lists(st.sampled_from(["put in", "left out", "exchanged"]), max_size=3), st.data())
def test_finds_a_name_with_up_to_three_slips(name: str, slips: list[str], data: st.DataObject) -> None:
    written = name
    for slip in slips:
        at = data.draw(st.integers(min_value=0, max_value=len(written) - 1))
        written = written[:at] + ("" if slip == "left out" else "x") + written[at + (slip != "put in") :]

    assert written == name or similar(written, [name]) == [name]


def _levenshtein(a: str, b: str) -> int:
    row = list(range(len(b) + 1))
    for i, x in enumerate(a, 1):
        previous, row[0] = row[0], i
        for j, y in enumerate(b, 1):
            previous, row[j] = row[j], min(row[j] + 1, row[j - 1] + 1, previous + (x != y))
    return row[-1]
