"""Skill candidates that cannot be used as they are, each shown with its reason."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from memory.skills import store
from tests.memory.skills.trees import SKILL, Write, read


@pytest.mark.parametrize(
    "record",
    [
        {"name": 7},
        {"name": "x" * 201},
        {"status": "archived"},
        {"status": None},
        {"description": ["a"]},
        {"content_hash": 1},
        {"occurrences": "3"},
        {"occurrences": True},
        {"occurrences": -1},
        {"occurrences": 2**31},
        {"sources": "memory"},
        {"sources": [1]},
        {"reason": {}},
        {"installed_paths": {}},
        {"created_at": 1},
        {"updated_at": "yesterday"},
        {"installed_at": "0001-01-01T00:00:00+14:00"},
    ],
)
def test_names_a_key_of_the_wrong_type(root: Path, write: Write, record: dict[str, object]) -> None:
    write(record=record)
    candidate = read(root)
    assert (candidate.status, candidate.pending) == ("broken", None)
    assert len(candidate.problems) == 1
    assert candidate.problems[0].startswith("skill-candidates/tide/meta.json has ")
    assert next(iter(record)) in candidate.problems[0]
    assert candidate.body == "# Tide *tables*\n\n1. Read.\n"


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"null",
        b"[]",
        b'"text"',
        b"{",
        b'{"status": "candidate", "x": 1e999}',
        b'{"status": "candidate", "x": NaN}',
        b'{"status": "candidate", "x": ' + b"9" * 5000 + b"}",
        b'{"status": "candidate", "x": ' + b"[" * 40 + b"]" * 40 + b"}",
        b"[" * 100_000,
        b'{"status": "candidate", "reason": "caf\xe9"}',
    ],
    ids=range(11),
)
def test_shows_a_meta_json_that_cannot_be_used_and_the_skill_itself(root: Path, write: Write, content: bytes) -> None:
    write()
    (root / "skill-candidates/tide/meta.json").write_bytes(content)
    candidate = read(root)
    assert (candidate.status, candidate.pending) == ("broken", None)
    assert candidate.problems[0].startswith("skill-candidates/tide/meta.json ")
    assert candidate.content_hash == store.blob_hash(SKILL)
    assert candidate.text == SKILL.decode()


def test_shows_a_skill_that_is_not_utf8(root: Path, write: Write) -> None:
    write(skill=SKILL + b"caf\xe9\n")
    candidate = read(root)
    assert candidate.status == "broken"
    assert candidate.body.endswith("caf\ufffd\n")
    assert candidate.content_hash == candidate.recorded_hash
    assert "not valid UTF-8" in candidate.problems[0]


@pytest.mark.parametrize("name", ["SKILL.md", "meta.json"])
def test_uses_a_file_of_exactly_the_limit_and_nothing_of_a_larger_one(root: Path, write: Write, name: str) -> None:
    write(skill=SKILL.ljust(store.LIMIT - 1), record={"content_hash": None})
    path = root / "skill-candidates/tide" / name
    path.write_bytes(path.read_bytes().ljust(store.LIMIT))
    assert read(root).problems == ()
    path.write_bytes(path.read_bytes() + b" ")
    candidate = read(root)
    assert candidate.status == "broken"
    assert candidate.problems == (
        f"skill-candidates/tide/{name} has 1,048,577 bytes; more than 1,048,576 are not read.",
    )


@pytest.mark.parametrize("name", ["SKILL.md", "meta.json"])
def test_follows_no_link_to_a_file(root: Path, write: Write, name: str) -> None:
    write()
    (root.parent / "private").write_text('{"status": "candidate", "reason": "zanzibar-outside"}')
    path = root / "skill-candidates/tide" / name
    path.unlink()
    path.symlink_to("../../../private")
    candidate = read(root)
    assert candidate.status == "broken"
    assert candidate.problems == (f"skill-candidates/tide/{name}: This is a link; links are not followed.",)
    assert "zanzibar" not in repr(candidate)


def test_waits_for_no_pipe(root: Path, write: Write) -> None:
    write()
    path = root / "skill-candidates/tide/SKILL.md"
    path.unlink()
    os.mkfifo(path)
    assert read(root).status == "broken"


def test_remarks_names_and_hashes_that_do_not_fit_without_breaking_the_candidate(root: Path, write: Write) -> None:
    write("ebb", record={"name": "flood", "content_hash": "gitblob:other"})
    candidate = read(root, "ebb")
    assert (candidate.status, candidate.pending, candidate.name) == ("candidate", "new", "flood")
    assert candidate.problems == (
        'skill-candidates/ebb/SKILL.md names the skill "tide", but its folder is "ebb".',
        'skill-candidates/ebb/meta.json names the skill "flood", but its folder is "ebb".',
        "skill-candidates/ebb/meta.json records another content hash than SKILL.md has.",
    )
