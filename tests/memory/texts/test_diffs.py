"""Comparisons of texts."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from memory.texts import diffs, hidden, lines

TEXTS = st.lists(st.sampled_from(["a", "b", "c d e", "c x e", "", "ü\u202e"]), max_size=12).map("\n".join)


def _shown(rows: list[diffs.Row], side: str) -> list[str]:
    halves = [getattr(row, side) for row in rows]
    return ["".join(part.text for part in half.parts) for half in halves if half.side != "none"]


def test_marks_the_words_that_changed_in_a_line() -> None:
    found = diffs.side_by_side("2. Run `tides import`.", "2. Run `tides import --dry-run`.")
    assert found is not None
    assert [part.text for part in found[0].new.parts if part.is_changed] == [" --dry-run"]
    assert [part for part in found[0].old.parts if part.is_changed] == []


def test_folds_equal_lines_far_from_a_change() -> None:
    before = "\n".join(f"line {number}" for number in range(20))
    found = diffs.unified(before, before.replace("line 10", "another"))
    assert found is not None
    assert [(line.kind, line.number) for line in found if line.kind not in {"same"}] == [
        ("fold", 7),
        ("del", 11),
        ("add", 11),
        ("fold", 6),
    ]
    sides = diffs.side_by_side(before, before.replace("line 10", "another"))
    assert sides is not None
    assert [row.folded for row in sides if row.folded] == [7, 6]
    assert diffs.count(before, before.replace("line 10", "another")) == diffs.Counted(1, 1)


def test_hidden_characters_are_seen_in_every_comparison() -> None:
    for found in (
        diffs.unified("a", "a\u202e"),
        diffs.side_by_side("a", "a\u202e"),
        diffs.three_way("a", "a", "a\u202e"),
    ):
        assert "⟦U+202E⟧" in repr(found)
        assert "\u202e" not in repr(found)


def test_says_when_a_comparison_would_take_too_long() -> None:
    one, other = ("\n".join(f"{word} {number}" for number in range(lines.COMPARED + 1)) for word in ("one", "other"))
    assert diffs.unified(one, other) is None
    assert diffs.side_by_side(one, other) is None
    assert diffs.three_way(one, other, one) is None
    assert diffs.count(one, other) == diffs.Counted(lines.COMPARED + 1, lines.COMPARED + 1)
    assert diffs.unified("", other) is not None


def test_tells_who_changed_what_since_it_was_installed() -> None:
    found = diffs.three_way(
        "1\n2\n3\n4\n5\n6\n7", "1\n2 mine\n3\n4\n5 mine\n6\n7 both", "1\n2\n3 new\n4\n5 new\n6\n7 both"
    )
    assert found is not None
    assert [(row.origin, "".join(part.text for part in row.base.parts)) for row in found] == [
        ("same", "1"),
        ("installed", "2"),
        ("candidate", "3"),
        ("same", "4"),
        ("conflict", "5"),
        ("same", "6"),
        ("both", "7"),
    ]


def test_two_insertions_at_one_place_are_a_conflict() -> None:
    found = diffs.three_way("a\nb", "a\nmine\nb", "a\nnew\nb")
    assert found is not None
    assert [row.origin for row in found] == ["same", "conflict", "same"]


@given(TEXTS, TEXTS)
def test_a_comparison_holds_both_texts(before: str, after: str) -> None:
    found = diffs.side_by_side(before, after)
    assert found is not None
    if not any(row.folded for row in found):
        assert _shown(found, "old") == [hidden.visible(line) for line in lines.split(before)]
        assert _shown(found, "new") == [hidden.visible(line) for line in lines.split(after)]
    counted = diffs.count(before, after)
    unified = diffs.unified(before, after) or []
    assert counted.added == sum(line.kind == "add" for line in unified)
    assert counted.removed == sum(line.kind == "del" for line in unified)
    assert (counted == diffs.Counted(0, 0)) == (lines.split(before) == lines.split(after))


@given(TEXTS, TEXTS, TEXTS)
def test_a_comparison_of_three_holds_all_three(base: str, installed: str, candidate: str) -> None:
    found = diffs.three_way(base, installed, candidate)
    assert found is not None
    for name, text in (("base", base), ("installed", installed), ("candidate", candidate)):
        halves = [getattr(row, name) for row in found]
        numbers = [half.number for half in halves if half.number]
        folded = sum(row.folded for row in found)
        assert numbers == sorted(numbers)
        assert len(numbers) + folded == len(lines.split(text))
        for half in halves:
            if half.number:
                assert half.parts == lines.plain(lines.split(text)[half.number - 1])
    if installed == base:
        assert {row.origin for row in found} <= {"same", "candidate"}
    if candidate == installed:
        assert {row.origin for row in found} <= {"same", "both"}
