"""From the anchors of journals to the turns they were written for."""

from __future__ import annotations

import itertools

from memory.transcripts.find import locate
from memory.transcripts.reading import read
from tests.memory.transcripts.homes import ALL, Home


def test_every_anchor_leads_to_its_turn(any_home: Home) -> None:
    found = list(any_home.written())
    assert len(found) == any_home.truth["counts"]["anchored"]
    for written in found:
        session, turn = any_home.turn_of(written)
        transcript = any_home.resolve(written)
        assert transcript.found_by == turn["resolve"], written
        assert transcript.session == session["session"]
        if turn["resolve"] == "none":  # no times in the file: the session is shown
            assert (transcript.asked, transcript.is_end) == (None, True)
            continue
        assert [shown.user for shown in transcript.turns] == [turn["user"]], written
        assert [shown.id for shown in transcript.turns] == [str(turn["id"] or "")]
        assert [shown.is_active for shown in transcript.turns] == [turn["active"]]


def test_every_id_and_alias_leads_to_its_turn(home: Home) -> None:
    for session in home.truth["sessions"]:
        place = home.place(session)
        for turn in home.turns(session):
            for ident in filter(None, [turn["id"], *turn["aliases"]]):
                transcript = read(place, turn=str(ident), context=0, shown=ALL)
                assert (transcript.found_by, [shown.user for shown in transcript.turns]) == ("id", [turn["user"]])


def test_any_line_of_a_turn_leads_to_it(home: Home) -> None:
    session = home.session("claude-code", "rewind")
    answer = (home.path / session["path"]).read_text(encoding="utf-8").split('"text":"Fixed; 41 tests pass."')[1]
    uuid = answer.split('"uuid":"')[1].split('"')[0]
    transcript = read(home.place(session), turn=uuid, context=0)
    assert [turn.assistant[-1] for turn in transcript.turns] == ["Fixed; 41 tests pass."]


def test_the_first_signs_of_an_id_are_enough_only_in_claude_code(home: Home) -> None:
    claude, opencode = home.session("claude-code", "rewind"), home.session("opencode", "reverted")
    shown = read(home.place(claude), turn=claude["turns"][2]["id"][:8], context=0)
    assert [turn.id for turn in shown.turns] == [claude["turns"][2]["id"]]
    assert read(home.place(opencode), turn=opencode["turns"][2]["id"][:8], context=0).found_by == "none"


def test_a_session_is_found_by_its_id_alone(home: Home) -> None:
    for session in home.truth["sessions"]:
        place = locate(platform=session["platform"], path="", session=session["session"], known=home.roots)
        assert session["path"].endswith(place.pages), session["path"]
        assert not place.by_path


def test_a_file_that_went_elsewhere_is_found_by_its_session(home: Home) -> None:
    moved = [session for session in home.truth["sessions"] if "moved" in session["quirks"]]
    assert {session["platform"] for session in moved} == {"codex", "openclaw", "opencode"}
    for session in moved:
        path = str(home.path / session["anchor_path"])
        place = locate(platform=session["platform"], path=path, session=session["session"], known=home.roots)
        assert str(place.root / place.path) == str(home.path / session["path"])
        assert not place.by_path


def test_the_newest_generation_of_a_session_is_read_whichever_one_is_named(home: Home) -> None:
    session = home.session("dsh", "two-generations")
    older = str(home.path / session["path"]).replace(".v4.", ".v3.")
    assert locate(platform="dsh", path=older, session="", known=home.roots).path.endswith("session.v4.jsonl.zstd")


def test_all_pages_of_a_thread_are_one_conversation(home: Home) -> None:
    transcript = home.all_of(home.session("codex", "pages"))
    assert [turn.user for turn in transcript.turns] == ["Run the linter.", "Wrap it."]
    assert [turn.number for turn in transcript.turns] == [1, 2]


def test_turns_around_are_counted_among_those_that_are_shown(home: Home) -> None:
    session = home.session("openclaw", "heartbeat")
    after = next(turn for turn in session["turns"] if turn["user"] == "Stop the importer.")
    transcript = read(home.place(session), turn=after["id"], context=1)
    assert [turn.user for turn in transcript.turns] == [
        "Publish it, please. See the photo.",
        after["user"],
        "Try again.",
    ]
    assert transcript.asked == transcript.turns[1].number
    assert not transcript.is_start
    assert not transcript.is_end


def test_without_an_answer_the_last_turns_are_shown(home: Home) -> None:
    transcript = read(home.place(home.session("dsh", "many-frames")), turn="4711", context=1)
    assert transcript.found_by == "none"
    assert transcript.asked is None
    assert transcript.is_end
    numbers = [turn.number for turn in transcript.turns]
    assert len(numbers) == 3
    assert all(later == earlier + 1 for earlier, later in itertools.pairwise(numbers))
