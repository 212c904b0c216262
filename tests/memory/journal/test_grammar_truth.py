"""The grammar against generated trees whose counts are known."""

from __future__ import annotations

import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import pytest

from memory.journal.anchors import platform
from memory.journal.grammar import BOM, Day, Section, parse
from memory.journal.titles import excerpt, title
from tests.places import FIXTURES

pytestmark = pytest.mark.skipif(not FIXTURES.is_dir(), reason="the fixtures are not there")

# Quirks that change what stands in a day file.
QUIRKS = [
    "crlf",
    "bom",
    "bad-utf8",
    "empty-sessions",
    "no-h1",
    "blank-between-heading-and-anchor",
    "empty-turn",
    "no-turn",
    "repeated-anchor-different-body",
    "raw-bodies",
    "windows-paths",
    "space-paths",
    "huge-day",
    "ansi",
    "html",
    "out-of-order",
    "utc-date",
    "unavailable",
    "api-errors",
    "prettier",
    "anchorless",
    "foreign-anchors",
    "compact",
    "prose-day",
    "rules-in-day",
    "notes",
    "symlinks",
    "binary",
]
SMALL = ("--days", "6", "--entries-per-day", "8")
TREES = [
    *[("--quirks", quirk, "--seed", str(seed), *SMALL) for seed, quirk in enumerate(QUIRKS)],
    *[("--quirks", "all", "--seed", str(seed), "--languages", "en,zh,ko,es,it,ru") for seed in (1, 2, 3)],
    *[
        ("--quirks", "all,-huge-day", "--platform", agent, *SMALL)
        for agent in ("claude-code", "codex", "dsh", "openclaw", "opencode")
    ],
    (
        "--quirks",
        "all,-huge-day,-repeated-anchor-different-body",
        "--seed",
        "7",
        "--days",
        "20",
        "--languages",
        "en,zh",
    ),
    ("--quirks", "none", "--seed", "5", "--days", "3", "--entries-per-day", "100"),
]


@dataclass(frozen=True, slots=True)
class Tree:
    """A generated tree: its days as they were read, and what is true of it."""

    days: dict[str, Day]
    truth: dict[str, Any]
    facts: list[dict[str, Any]]

    @property
    def entries(self) -> list[Section]:
        return [entry for day in self.days.values() for entry in day.entries]


@pytest.fixture(scope="module", params=TREES, ids=lambda arguments: " ".join(arguments[1:4]))
def tree(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Tree:
    root = tmp_path_factory.mktemp("tree")
    command = [sys.executable, str(FIXTURES / "make_memsearch.py"), str(root), *request.param]
    subprocess.run(command, check=True, capture_output=True)
    truth = json.loads((root / "ground-truth.json").read_text())
    memory = root / ".memsearch" / "memory"
    return Tree(
        days={row["date"]: parse((memory / f"{row['date']}.md").read_bytes()) for row in truth["per_day"]},
        truth=truth,
        facts=[json.loads(line) for line in (root / "facts.jsonl").read_text().splitlines()],
    )


def anchor_line(entry: Section) -> bytes:
    return entry.raw.split(b"<!--", 1)[1].split(b"-->", 1)[0]


def kind(entry: Section) -> str:
    return "none" if entry.anchor is None else entry.anchor.kind or "foreign"


def repeats(days: dict[str, Day]) -> Iterator[tuple[Section, bool]]:
    """Entries whose anchor line stood in their file before, and whether with the same body."""
    for day in days.values():
        bodies: dict[bytes, set[str]] = {}
        for entry in day.entries:
            if entry.anchor:
                seen = bodies.setdefault(anchor_line(entry), set())
                if seen:
                    yield entry, entry.body in seen
                seen.add(entry.body)


def test_every_day_has_its_entries_and_session_headings(tree: Tree) -> None:
    for row in tree.truth["per_day"]:
        day = tree.days[row["date"]]
        found = (
            len(day.entries),
            day.session_headings,
            day.empty_sessions,
            sum(len(piece.raw) for piece in day.pieces),
        )
        assert found == (row["entries"], row["session_headings"], row["empty_session_headings"], row["bytes"]), row[
            "date"
        ]


def test_the_files_are_what_the_truth_says(tree: Tree) -> None:
    days = tree.days.values()
    notes = [note.text for day in days for note in day.notes]
    assert {
        "days": len(days),
        "days_without_session_heading": sum(not day.session_headings for day in days),
        "crlf_days": sum(day.newline == "\r\n" for day in days),
        "bom_days": sum(day.has_bom for day in days),
        "days_with_invalid_utf8": sum(bool(day.problems) for day in days),
        "memory_compact_sections": sum(note.startswith("## Memory Compact") for note in notes),
    }.items() <= tree.truth.items()


def test_the_anchors_are_what_the_truth_says(tree: Tree) -> None:
    anchors = [entry.anchor for entry in tree.entries if entry.anchor]
    assert {
        "entries": len(tree.entries),
        "entries_without_turn": sum(not anchor.turn for anchor in anchors),
        "entries_by_anchor": Counter(kind(entry) for entry in tree.entries),
        "sessions_with_entries": len({anchor.session for anchor in anchors}),
        "distinct_session_turn": len({(anchor.session, anchor.turn) for anchor in anchors if anchor.turn}),
    }.items() <= tree.truth.items()


def test_every_anchor_names_its_platform(tree: Tree) -> None:
    found = Counter(platform(entry.anchor) for entry in tree.entries if entry.anchor and entry.anchor.kind)
    missing = Counter(tree.truth["entries_by_platform"]) - found
    # The truth knows who wrote an entry even where the file does not say so.
    unsaid = sum(kind(entry) in {"none", "foreign"} for entry in tree.entries)
    assert missing.total() == unsaid
    assert not found - Counter(tree.truth["entries_by_platform"])


def test_repeated_anchors_are_told_from_repeated_bodies(tree: Tree) -> None:
    found = list(repeats(tree.days))
    turns = [same for entry, same in found if entry.anchor and entry.anchor.turn]
    assert {
        "repeated_anchors_same_body": sum(same for _, same in found),
        "repeated_anchors_different_body": sum(not same for _, same in found),
        "repeated_turns_same_body": sum(turns),
        "repeated_turns_different_body": len(turns) - sum(turns),
    }.items() <= tree.truth.items()


def test_times_keep_the_order_of_the_file(tree: Tree) -> None:
    pairs = [pair for day in tree.days.values() for pair in itertools.pairwise(day.entries)]
    assert sum(after.time < before.time for before, after in pairs) == tree.truth["out_of_order"]


def test_states_are_what_the_truth_says(tree: Tree) -> None:
    states = Counter(entry.state for entry in tree.entries)
    truth, quirks = tree.truth, set(tree.truth["arguments"]["quirks"])
    # The truth counts a copied note once, and calls an entry by its first quirk where the huge day adds a transcript.
    copies = truth["repeated_anchors_same_body"]
    odd = max(row["entries"] for row in truth["per_day"]) if "huge-day" in quirks else 0
    assert truth["raw_bodies"] <= states["raw"] <= truth["raw_bodies"] + odd
    assert truth["unavailable_notes"] - odd <= states["unavailable"] <= truth["unavailable_notes"] + copies
    assert states["note"] <= truth["entries_by_anchor"].get("none", 0) <= states["note"] + odd


def test_planted_facts_are_in_the_entry_that_holds_them(tree: Tree) -> None:
    for fact in tree.facts:
        entry = tree.days[fact["date"]].entries[fact["ordinal"] - 1]
        assert entry.time == fact["time"]
        assert fact["answer_contains"] in entry.body


def test_lines_of_entries_lead_back_to_their_text(tree: Tree) -> None:
    for day in tree.days.values():
        rows = b"".join(piece.raw for piece in day.pieces).split(b"\n")
        for entry in day.entries:
            text = b"\n".join(rows[entry.start_line - 1 : entry.end_line])
            assert text.removeprefix(BOM).rstrip() == entry.raw.rstrip()


def test_every_entry_has_a_plain_title(tree: Tree) -> None:
    for entry in tree.entries:
        line = title(entry.body)
        assert 0 < len(line) <= 120
        assert "\n" not in line
        assert not re.match(r"[-*#>\[]|=== |```", line)
        assert "system-reminder" not in line + excerpt(entry.body)
        assert (line == "Memory summary unavailable") == (entry.state == "unavailable")
