"""What is looked at before a person reads a skill: checks, and the journals that it cites."""

from __future__ import annotations

from pathlib import Path

import pytest

from memory.skills import evidence, secrets, store, validation
from memory.skills.evidence import Cited
from tests.makers import make_entry_text, make_tree
from tests.memory.skills.desks import Desk

pytestmark = pytest.mark.django_db

DAY = make_entry_text("09:12", body="- Moved the crane") + make_entry_text(
    "16:22", turn="2", body="- Gap at midnight in the tide tables\n- Agreed to import a dry run first"
)


@pytest.fixture
def cited(desk: Desk, tree: Path) -> Desk:
    make_tree(tree, {"2026-01-14": DAY})
    return desk


def _evidence(desk: Desk, *sources: str) -> list[Cited]:
    desk.propose(sources=sources)
    desk.sync()
    return evidence.evidence(desk.skill())


def test_finds_the_entry_that_a_source_names(cited: Desk) -> None:
    found = _evidence(cited, ".memsearch/memory/2026-01-14.md, 16:22")[0]
    assert found.entry
    assert (found.path, found.entry.time, found.problem) == ("memory/2026-01-14.md", "16:22", "")
    assert found.heading == "Gap at midnight in the tide tables"
    assert "dry run" in found.excerpt


def test_of_a_whole_day_shows_the_entry_that_speaks_of_the_skill(cited: Desk) -> None:
    found = _evidence(cited, "/somewhere/else/2026-01-14.md")[0]
    assert found.entry
    assert found.entry.time == "16:22"


@pytest.mark.parametrize(
    ("source", "problem"),
    [
        ("2026-01-15.md", "This project has no journal of this day."),
        ("memory/2026-02-30.md", "This names no journal."),
        ("../../etc/passwd", "This names no journal."),
        ("", "This names no journal."),
        ("2026-01-14.md 03:00", "The journal has no entry of this time."),
    ],
)
def test_says_what_a_source_does_not_lead_to(cited: Desk, source: str, problem: str) -> None:
    found = _evidence(cited, source)[0]
    assert (found.source, found.entry, found.problem) == (source, None, problem)


def _failed(desk: Desk, text: str | None = None) -> dict[str, str]:
    if text is not None:
        (desk.store / "tide" / "SKILL.md").write_text(text)
        desk.sync()
    return {check.label: check.detail for check in validation.checks(desk.skill()) if not check.ok}


def test_a_skill_in_order_passes_every_check(cited: Desk) -> None:
    (cited.root / "docs").mkdir()
    (cited.root / "docs" / "tides.md").write_text("x")
    body = "# Tide\n\nSee [the tables](docs/tides.md#now), [the web](https://example.com) and [below](#steps).\n"
    cited.propose(body=body, sources=["2026-01-14.md"])
    cited.sync()
    labels = [check.label for check in validation.checks(cited.skill())]
    assert len(labels) == 7
    assert _failed(cited) == {}
    assert {"All 3 links resolve", "All cited journals exist"} <= set(labels)


def test_each_fault_is_named(cited: Desk) -> None:
    cited.propose(sources=["2026-01-13.md"])
    text = "---\nname: other\n---\n\n# Tide\u202e\n\n[a](missing.md) [b](javascript:alert) [c](//evil.example) [d](../../x)\n"
    text += "token = AKIA" + "ABCDEFGHIJKLMNOP\n" + "x" * validation.SIZE_LIMIT
    failed = _failed(cited, text)
    assert failed["Front matter has name and description"] == "Missing: description"
    assert failed["Name equals its folder"] == 'The name is "other", the folder "tide"'
    assert failed["No hidden or bidirectional characters"] == "right-to-left override in line 5"
    assert failed["Nothing that looks like a secret"] == "line 8 looks like an AWS key"
    assert failed["Links resolve"] == "Not found: missing.md, javascript:alert, //evil.example and 1 more"
    assert failed["All cited journals exist"] == "Not found: 2026-01-13.md"
    assert len(failed) == 7


@pytest.mark.parametrize(
    "line",
    [
        "-----BEGIN OPENSSH PRIVATE KEY-----",
        "export GH=ghp_" + "a1" * 18,
        "sk-ant-" + "api03-" + "x9" * 20,
        "postgres://berth:hunter22@db/berths",
        'password: "correct9horse-battery"',
        "xoxb-" + "1234567890-abcdef",
    ],
)
def test_sees_a_secret(line: str) -> None:
    assert [found.line for found in secrets.suspects(f"# Tide\n{line}\n")] == [2]


@pytest.mark.parametrize(
    "line",
    [
        "export TOKEN=$TOKEN",
        "password: <your password>",
        "postgres://user:$PASSWORD@db/x",
        "token: ask the operator",
        "sk-short",
    ],
)
def test_sees_no_secret_in_a_placeholder(line: str) -> None:
    assert secrets.suspects(line) == []


def test_the_size_counts_bytes(desk: Desk) -> None:
    (desk.store / "tide" / "SKILL.md").write_text("ü" * (validation.SIZE_LIMIT // 2 + 1))
    desk.sync()
    assert "65,538 bytes, limit 65,536" in _failed(desk)
    assert desk.skill().content_hash == store.blob_hash(desk.text())
