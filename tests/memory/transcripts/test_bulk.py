"""Conversations of many turns: one is read without holding the others."""

from __future__ import annotations

import tracemalloc

import pytest

from memory.transcripts.reading import read
from tests.memory.transcripts.homes import Home, make
from tests.places import FIXTURES

TURNS = 1000


@pytest.fixture(scope="module")
def bulk(tmp_path_factory: pytest.TempPathFactory) -> Home:
    if not FIXTURES.is_dir():
        pytest.skip("the generator of conversations is not here")
    return make(tmp_path_factory.mktemp("bulk") / "out", "--bulk", str(TURNS))


@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "opencode", "dsh"])
def test_reads_the_turns_around_one_in_the_middle(bulk: Home, platform: str) -> None:
    session = bulk.session(platform, "bulk")
    turns = session["turns"][TURNS // 2 - 3 : TURNS // 2 + 4]
    transcript = read(bulk.place(session), turn=str(turns[3]["id"]), context=3)
    assert [turn.user for turn in transcript.turns] == [turn["user"] for turn in turns]
    assert [turn.tools[0].output_size for turn in transcript.turns] == [3000] * 7
    assert (transcript.total, transcript.is_start, transcript.is_end) == (TURNS, False, False)


@pytest.mark.parametrize("platform", ["claude-code", "codex", "openclaw", "opencode", "dsh"])
def test_never_holds_a_whole_conversation(bulk: Home, platform: str) -> None:
    session = bulk.session(platform, "bulk")
    place = bulk.place(session)
    tracemalloc.start()
    try:
        read(place, turn=str(session["turns"][0]["id"]))
        _, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert peak < (bulk.path / session["path"]).stat().st_size
