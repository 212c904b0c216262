from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.journal.anchors import Anchor, parse, platform

WRITTEN = {
    "claude-code": "<!-- session:8b1e turn:5f0c transcript:/home/dev/.claude/projects/-src/8b1e.jsonl -->",
    "codex": "<!-- session:8b1e rollout:/home/dev/.codex/sessions/2026/01/05/rollout-8b1e.jsonl -->",
    "openclaw": "<!-- session:8b1e transcript:/home/dev/.openclaw/agents/main/sessions/8b1e.jsonl -->",
    "opencode": "<!-- session:ses_1 turn:msg_1 db:/home/dev/.local/share/opencode/opencode.db -->",
    "dsh": "<!-- session:8b1e turn:7 db:/home/dev/.dsh/sessions/8b1e/session.v4.jsonl.zstd -->",
}


@pytest.mark.parametrize(("agent", "line"), WRITTEN.items())
def test_every_agent_is_known_by_the_shape_of_its_anchor(agent: str, line: str) -> None:
    anchor = parse(line)
    assert anchor is not None
    assert platform(anchor) == agent


def test_an_empty_turn_is_a_turn_key_all_the_same() -> None:
    anchor = parse("<!-- session:8b1e turn: transcript:/x.jsonl -->")
    assert anchor == Anchor(session="8b1e", turn="", has_turn=True, kind="transcript", path="/x.jsonl")
    assert platform(anchor) == "claude-code"


def test_dsh_may_leave_the_path_and_even_the_session_empty() -> None:
    anchor = parse("<!-- session: turn:12 db: -->")
    assert anchor == Anchor(session="", turn="12", has_turn=True, kind="db", path="")
    assert platform(anchor) == "dsh"


def test_an_old_opencode_anchor_has_no_turn() -> None:
    anchor = parse("<!-- session:ses_1 db:/home/dev/.opencode data/opencode.db -->")
    assert anchor == Anchor(
        session="ses_1", turn="", has_turn=False, kind="db", path="/home/dev/.opencode data/opencode.db"
    )
    assert platform(anchor) == "opencode"


def test_digits_of_other_scripts_are_no_turn_number() -> None:
    anchor = parse("<!-- session:s turn:٣ db:/x -->")
    assert anchor is not None
    assert platform(anchor) == "opencode"


@pytest.mark.parametrize(
    "path",
    [
        "C:\\Users\\dev one\\x.jsonl",
        "/mnt/c/copy of C:\\x.jsonl",
        "/a/see https://host.example/x",
        "D:/a b/c d.db",
        "/odd/-->/x.db",
    ],
)
def test_paths_keep_their_blanks_colons_and_backslashes(path: str) -> None:
    anchor = parse(f"<!-- session:s turn:t transcript:{path} -->")
    assert anchor is not None
    assert anchor.path == path


def test_unknown_keys_are_skipped_and_the_first_of_a_repeated_key_counts() -> None:
    anchor = parse("<!-- session:agent:main:7 model:big one turn:t db:/a b machine:laptop-2 db:/other -->")
    assert anchor == Anchor(session="agent:main:7", turn="t", has_turn=True, kind="db", path="/a b")


@pytest.mark.parametrize(
    ("line", "path"),
    [
        (
            "<!-- backfill-agent:codex session:s1 transcript:/home/dev/old/s1.jsonl machine:laptop-2 -->",
            "/home/dev/old/s1.jsonl",
        ),
        ("<!-- backfill-agent:linear session:s1 issue:HAR-12 -->", ""),
    ],
)
def test_other_tools_anchors_name_a_session_but_no_platform(line: str, path: str) -> None:
    anchor = parse(line)
    assert anchor == Anchor(session="s1", turn="", has_turn=False, kind="", path=path)
    assert platform(anchor) == ""


def test_an_anchor_of_a_session_alone_has_no_platform() -> None:
    anchor = parse("<!-- session:s1 -->")
    assert anchor is not None
    assert platform(anchor) == ""


def test_blanks_around_the_comment_and_its_parts_do_not_matter() -> None:
    assert parse("  <!--session:s  turn:t\tdb:/x-->\r") == Anchor("s", "t", True, "db", "/x")


@pytest.mark.parametrize(
    "line",
    [
        "",
        "<!-->",
        "<!--->",
        "<!---->",
        "<!-- -->",
        "<!-- INTERNAL_INITIATOR -->",
        "<!-- todo: ask first -->",
        "<!-- see session:s1 turn:t -->",
        "<!-- session:s1 turn:t",
        "session:s1 turn:t db:/x -->",
        "<!-- session:s1 db:/x --> and text after it",
        "<!-- session:s1 db:/x --> <!-- session:s2 db:/y -->",
        "- <!-- session:s1 db:/x -->",
    ],
)
def test_other_lines_are_no_anchors(line: str) -> None:
    assert parse(line) is None


value = st.text(st.characters(codec="utf-8", exclude_categories=["C", "Z"], exclude_characters=":<>"), max_size=12)
words = st.lists(value, max_size=4).map(" ".join).map(str.strip).filter(lambda text: not text.startswith("/"))
path = st.builds("{}{}".format, st.sampled_from(["", "/", "C:\\", "/home/dev one/", "D:\\a b\\"]), words)


@given(session=words, turn=st.none() | words, kind=st.sampled_from(["transcript", "rollout", "db"]), path=path)
def test_what_is_written_is_read_again(session: str, turn: str | None, kind: str, path: str) -> None:
    middle = "" if turn is None else f" turn:{turn}"
    anchor = parse(f"<!-- session:{session}{middle} {kind}:{path} -->")
    assert anchor is not None
    assert (anchor.session, anchor.turn, anchor.has_turn) == (session, turn or "", turn is not None)
    assert (anchor.kind, anchor.path) == (kind, path)


@given(st.text())
def test_any_line_can_be_read(line: str) -> None:
    for text in (line, f"<!-- {line} -->"):
        anchor = parse(text)
        assert anchor is None or platform(anchor) in {*WRITTEN, ""}


def test_a_very_long_line_is_read() -> None:
    anchor = parse("<!-- session:s db:" + "a b:" * 1_000_000 + " -->")
    assert anchor is not None
    assert parse("<!--" * 1_000_000) is None
