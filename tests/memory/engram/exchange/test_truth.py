"""What is here after any order of imports equals what the generator knows."""

from __future__ import annotations

import itertools
from pathlib import Path

import pytest

from memory.models import Change, Observation
from tests.memory.engram.exchange.sources import bring, counts, expected, make_engram
from tests.places import FIXTURES

pytestmark = [pytest.mark.django_db, pytest.mark.skipif(not FIXTURES.is_dir(), reason="the generators are not here")]

STEPS = {
    "after_import_with_unlisted_chunk": ".engram",
    "after_export_0.1.0": "engram-export-0.1.0.json",
    "after_export_0.2.0": "engram-export-0.2.0.json",
    "after_db_import": "engram.db",
}
LANGUAGES = ("--languages", "en,zh,ko,es,it,ru")


@pytest.mark.parametrize("seed", range(5))
@pytest.mark.parametrize("step", STEPS)
def test_each_source_with_all_quirks_is_imported_whole_and_the_second_time_is_the_same(
    tmp_path: Path, step: str, seed: int
) -> None:
    truth = make_engram(tmp_path, "--quirks", "all", "--seed", str(seed), *LANGUAGES)

    for _ in range(2):
        report = bring(tmp_path / STEPS[step])
        assert counts() == expected(truth, step)
    written = {noun: report.count(noun, "new") + report.count(noun, "updated") for noun in ("sessions", "prompts")}
    assert written == {"sessions": 0, "prompts": 0}


@pytest.mark.parametrize("order", list(itertools.permutations(STEPS))[::3], ids="-".join)
def test_all_sources_come_to_the_same_in_any_order(tmp_path: Path, order: tuple[str, ...]) -> None:
    truth = make_engram(tmp_path, "--quirks", "all")
    for step in (*order, *order):
        bring(tmp_path / STEPS[step])

    found, wanted = counts(), expected(truth, "after_everything")
    assert {name: found[name] for name in wanted} == wanted


@pytest.mark.parametrize("seed", range(3))
def test_single_chunks_come_to_the_same_in_any_order(tmp_path: Path, seed: int) -> None:
    truth = make_engram(
        tmp_path, "--quirks", "all,-unlisted-chunk,-corrupt-chunk", "--seed", str(seed), "--chunks", "6"
    )
    chunks = sorted((tmp_path / ".engram" / "chunks").iterdir())
    for chunk in (*chunks[seed:], *chunks[:seed][::-1], *chunks):
        bring(chunk)

    assert counts() == expected(truth, "after_manifest_import")


def test_the_manifest_is_followed(tmp_path: Path) -> None:
    truth = make_engram(tmp_path, "--quirks", "all,-unlisted-chunk")

    bring(tmp_path / ".engram")

    assert counts() == expected(truth, "after_manifest_import")


def test_importing_an_export_again_and_then_the_chunks_multiplies_nothing(tmp_path: Path) -> None:
    truth = make_engram(tmp_path)
    for _ in range(3):
        bring(tmp_path / "engram-export-0.1.0.json")
        assert counts() == expected(truth, "after_export_0.1.0")
    bring(tmp_path / ".engram")

    assert counts() == expected(truth, "after_manifest_import")


def test_a_second_import_writes_nothing(tmp_path: Path) -> None:
    make_engram(tmp_path, "--quirks", "all")
    for _ in range(2):
        for name in STEPS.values():
            bring(tmp_path / name)
    rows = list(Observation.objects.order_by("pk").values())
    told = Change.objects.count()

    for name in STEPS.values():
        report = bring(tmp_path / name)
        assert not any(count for (_, outcome), count in report.tally.counts.items() if outcome != "same")

    assert (Change.objects.count(), list(Observation.objects.order_by("pk").values())) == (told, rows)


@pytest.mark.parametrize("step", STEPS)
def test_a_dry_run_writes_nothing_and_says_the_same(tmp_path: Path, step: str) -> None:
    make_engram(tmp_path, "--quirks", "all", "--chunks", "7")
    foreseen = bring(tmp_path / STEPS[step], dry_run=True)
    assert (Observation.objects.count(), Change.objects.count()) == (0, 0)

    done = bring(tmp_path / STEPS[step])

    assert foreseen.as_json() == done.as_json() | {"dry_run": True}


def test_a_dry_run_over_what_is_here_says_the_same(tmp_path: Path) -> None:
    make_engram(tmp_path, "--quirks", "all")
    bring(tmp_path / "engram-export-0.1.0.json")

    foreseen = bring(tmp_path / ".engram", dry_run=True)

    assert foreseen.as_json() == bring(tmp_path / ".engram").as_json() | {"dry_run": True}
