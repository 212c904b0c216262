"""Skill candidates, read from real trees."""

from __future__ import annotations

import dataclasses
import json
import os
import subprocess
from datetime import UTC, datetime
from pathlib import Path

import pytest

from memory.disk import Missing, Refused, Tree
from memory.problems import Problem
from memory.skills import store
from memory.skills.store import Candidate
from tests.memory.skills.trees import SKILL, Write, read, read_all


def test_finds_every_candidate_of_a_made_tree_as_its_truth_says(made: Path) -> None:
    truth = json.loads((made / "ground-truth.json").read_text())["skills"]
    candidates, problems = read_all(made / ".memsearch")
    assert [candidate.slug for candidate in candidates] == sorted(truth)
    assert problems == []
    for candidate in candidates:
        expected = truth[candidate.slug]
        is_whole = expected["status"] in {"candidate", "installed"}
        assert candidate.status == (expected["status"] if is_whole else "broken")
        assert candidate.pending == expected.get("pending_reason")


def test_says_what_is_wrong_with_the_odd_ones_of_a_made_tree(made: Path) -> None:
    wrong = {candidate.slug: candidate.problems for candidate in read_all(made / ".memsearch")[0] if candidate.problems}
    assert {slug: [problem.removeprefix(f"skill-candidates/{slug}/") for problem in wrong[slug]] for slug in wrong} == {
        "no-meta-file": ["meta.json is missing."],
        "no-skill-file": ["SKILL.md is missing."],
        "not-json": ["SKILL.md is missing.", "meta.json is not a JSON object."],
        "review-a-migration": ["meta.json is not valid JSON (line 8)."],
        "skill": ["meta.json records another content hash than SKILL.md has."],
        "unknown-keys": ["meta.json has the unknown status 'archived'."],
    }


def test_reads_byte_order_mark_and_carriage_returns_as_if_they_were_not_there(made: Path) -> None:
    candidate = read(made / ".memsearch", "windows-written")
    assert candidate.title == "Windows written"
    assert candidate.description == "Saved by an editor with BOM and CRLF"
    assert candidate.text.startswith("---\nname: windows-written\n")
    assert candidate.body.startswith("# Windows written\n\n")
    assert "\r" not in candidate.text
    assert candidate.content_hash == candidate.recorded_hash


def test_computes_the_hash_that_git_gives(made: Path) -> None:
    path = made / ".memsearch/skill-candidates/windows-written/SKILL.md"
    git = subprocess.run(["git", "hash-object", "--no-filters", str(path)], check=True, capture_output=True, text=True)
    assert read(made / ".memsearch", "windows-written").content_hash == f"gitblob:{git.stdout.strip()}"


def test_keeps_unknown_keys(made: Path) -> None:
    assert read(made / ".memsearch", "unknown-keys").extra == {"x_rating": 5, "x_tags": ["a", {"b": None}]}


def test_describes_a_candidate(root: Path, write: Write) -> None:
    write(record={"installed_hash": "gitblob:old", "installed_at": "2026-01-07T01:00:00+07:00", "x": 1.5})
    candidate = read(root)
    assert dataclasses.replace(candidate, fingerprint="") == Candidate(
        slug="tide",
        name="tide",
        title="Tide *tables*",
        description="Read tide tables",
        status="candidate",
        content_hash=store.blob_hash(SKILL),
        recorded_hash=store.blob_hash(SKILL),
        installed_hash="gitblob:old",
        pending="updated",
        occurrences=3,
        sources=(".memsearch/memory/2026-01-05.md",),
        reason="Seen three times.",
        installed_paths=(),
        created_at=datetime(2026, 1, 5, 18, 20, 7, 120450, tzinfo=UTC),
        updated_at=datetime(2026, 1, 6, 18, 20, 7, 120450, tzinfo=UTC),
        installed_at=datetime(2026, 1, 6, 18, tzinfo=UTC),
        extra={"x": 1.5},
        body="# Tide *tables*\n\n1. Read.\n",
        text=SKILL.decode(),
        problems=(),
        fingerprint="",
    )


@pytest.mark.parametrize(
    ("record", "pending"),
    [
        ({}, "new"),
        ({"status": "installed", "installed_hash": store.blob_hash(SKILL)}, None),
        ({"status": "installed", "installed_hash": "gitblob:older"}, "updated"),
        ({"status": "installed"}, "updated"),
    ],
)
def test_tells_what_waits_to_be_installed(
    root: Path, write: Write, record: dict[str, object], pending: str | None
) -> None:
    write(record=record)
    assert read(root).pending == pending


def test_takes_keys_that_are_missing_or_null_as_empty(root: Path, write: Write) -> None:
    write()
    (root / "skill-candidates/tide/meta.json").write_text('{"status": "candidate", "occurrences": null}')
    candidate = read(root)
    assert (candidate.status, candidate.pending, candidate.problems) == ("candidate", "new", ())
    assert (candidate.name, candidate.description) == ("tide", "Read tide tables")  # from the front matter
    assert (candidate.occurrences, candidate.sources, candidate.created_at) == (None, (), None)


@pytest.mark.parametrize(
    ("body", "title"),
    [
        (b"```sh\n# not this\n```\n\n## Nor this\n\n# This #\n", "This"),
        (b"> # Quoted\n\nThis\n====\n", "This"),
        (b"# <script>alert(1)</script>\n", "<script>alert(1)</script>"),
        (b"# " + b"x" * 500, "x" * 200),
        (b"no heading\n", "tide"),
        (b"", "tide"),
    ],
)
def test_takes_the_title_from_the_first_heading(root: Path, write: Write, body: bytes, title: str) -> None:
    write(skill=b"---\nname: tide\n---\n\n" + body)
    assert read(root).title == title


@pytest.mark.parametrize("slug", ["Odd Name", "日本語", "a" * 200, "-rf", "<svg onload=alert(1)>", "%2e%2e", "²"])
def test_keeps_an_odd_directory_name(root: Path, write: Write, slug: str) -> None:
    write(slug, skill=SKILL.replace(b"name: tide\n", b""))
    [candidate], problems = read_all(root)
    assert (candidate.slug, candidate.status, candidate.problems) == (slug, "candidate", ())
    assert problems == []


def test_keeps_its_fingerprint_until_a_file_changes(root: Path, write: Write) -> None:
    write()
    first = read(root)
    os.utime(root / "skill-candidates/tide/SKILL.md", (0, 0))
    assert read(root) == first
    for name in ("SKILL.md", "meta.json"):
        before = read(root).fingerprint
        (root / "skill-candidates/tide" / name).write_bytes(b"{}")
        assert read(root).fingerprint != before
        (root / "skill-candidates/tide" / name).unlink()
        assert read(root).fingerprint != before


def test_finds_nothing_where_there_is_no_folder(root: Path) -> None:
    assert read_all(root) == ([], [])


def test_orders_by_slug_and_hides_nobody_behind_a_broken_one(root: Path, write: Write) -> None:
    for slug in ("b10", "a", "b9", "C"):
        write(slug)
    (root / "skill-candidates/empty").mkdir()
    (root / "skill-candidates/gone").symlink_to("no-such-folder")
    (root / "skill-candidates/outside").symlink_to("/etc")
    (root / "skill-candidates/README.md").write_text("no candidate")
    candidates, problems = read_all(root)
    assert [candidate.slug for candidate in candidates] == ["C", "a", "b10", "b9", "empty"]
    assert [candidate.status for candidate in candidates] == ["candidate"] * 4 + ["broken"]
    assert problems == [
        Problem("skill-candidates/gone", "This is a link; links are not followed."),
        Problem("skill-candidates/outside", "This is a link; links are not followed."),
    ]


def test_shows_a_name_that_cannot_be_opened(root: Path, write: Write) -> None:
    write()
    os.mkdir(os.fsencode(root / "skill-candidates") + b"/caf\xe9")
    candidates, [problem] = read_all(root)
    assert [candidate.slug for candidate in candidates] == ["tide"]
    assert problem.path == "skill-candidates/caf\ufffd"


def test_follows_no_link_in_the_place_of_the_folder(root: Path) -> None:
    (root.parent / "elsewhere" / "tide").mkdir(parents=True)
    (root / store.FOLDER).symlink_to("../elsewhere")
    assert read_all(root) == ([], [Problem(store.FOLDER, "This is a link; links are not followed.")])


def test_reads_no_hidden_folder(root: Path, write: Write) -> None:
    write(".git")
    os.mkdir(os.fsencode(root / "skill-candidates") + b"/.caf\xe9")
    assert read_all(root) == ([], [])
    with Tree(root) as tree, pytest.raises(Missing):
        store.read(tree, ".git")


@pytest.mark.parametrize("slug", ["", ".", "..", "../memory", "tide/inner", "no-such-skill", "tide\0", "tide\\inner"])
def test_raises_for_what_is_no_candidate(root: Path, write: Write, slug: str) -> None:
    write("tide")
    write("tide/inner")
    (root / "memory").mkdir()
    with Tree(root) as tree, pytest.raises(Missing):
        store.read(tree, slug)


def test_raises_for_a_link_in_the_place_of_a_candidate(root: Path, write: Write) -> None:
    write()
    (root / "skill-candidates/other").symlink_to("tide")
    with Tree(root) as tree, pytest.raises(Refused):
        store.read(tree, "other")
