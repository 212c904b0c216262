from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.journal.anchors import Anchor
from memory.journal.grammar import BOM, Day, Section, clean, is_unavailable, parse

ANCHOR = "<!-- session:s1 turn:t1 transcript:/x.jsonl -->"


def day(text: str) -> Day:
    return parse(text.encode())


def only(text: str) -> Section:
    """The one entry of a day with this text."""
    (entry,) = day(text).entries
    return entry


def under_heading(body: str) -> Section:
    return only(f"### 09:00\n{ANCHOR}\n{body}\n\n")


def test_an_empty_file_is_an_empty_day() -> None:
    assert parse(b"") == Day(pieces=(), newline="\n", has_bom=False, problems=())


def test_a_usual_day_is_read() -> None:
    read = day(
        f"# 2026-01-05\n\n## Session 09:10\n\n### 09:12\n{ANCHOR}\n- one\n- two\n\n### 23:59\n{ANCHOR}\n- three\n"
    )
    first, second = read.entries
    assert first == Section(
        ordinal=1,
        time="09:12",
        session_heading="09:10",
        anchor=Anchor(session="s1", turn="t1", has_turn=True, kind="transcript", path="/x.jsonl"),
        body="- one\n- two",
        state="summary",
        start_line=5,
        end_line=8,
        raw=f"### 09:12\n{ANCHOR}\n- one\n- two\n\n".encode(),
    )
    assert (second.ordinal, second.time, second.start_line, second.end_line) == (2, "23:59", 10, 12)
    assert (read.session_headings, read.empty_sessions, read.notes, read.problems) == (1, 0, (), ())


def test_session_headings_without_entries_are_only_counted() -> None:
    # B01
    read = day(f"\n## Session 05:29\n\n\n## Session 14:46\n\n\n## Session 15:00\n\n### 14:52\n{ANCHOR}\n- real line\n")
    assert [entry.body for entry in read.entries] == ["- real line"]
    assert (read.session_headings, read.empty_sessions, read.notes) == (3, 2, ())
    assert read.entries[0].session_heading == "15:00"


def test_a_session_heading_at_the_end_is_empty() -> None:
    assert day(f"## Session 09:00\n### 09:01\n{ANCHOR}\n- a\n\n## Session 10:00").empty_sessions == 1


def test_similar_entries_of_one_session_are_all_kept() -> None:
    # B03
    read = day(
        "### 13:35\n<!-- session:s1 turn:a transcript:/x -->\n- Removed symlinks\n\n"
        "### 13:36\n<!-- session:s1 turn:b transcript:/x -->\n- Removed symlinks\n- Created .memsearch.toml\n"
    )
    assert [entry.anchor and (entry.anchor.session, entry.anchor.turn) for entry in read.entries] == [
        ("s1", "a"),
        ("s1", "b"),
    ]
    assert [entry.body for entry in read.entries] == [
        "- Removed symlinks",
        "- Removed symlinks\n- Created .memsearch.toml",
    ]


@pytest.mark.parametrize(
    "note",
    [
        "- Memory summary unavailable: dsh headless summarization timed out; transcript content was omitted."
        " Use the transcript anchor for progressive disclosure.",
        "- Memory summary unavailable: summarizer returned empty output.",
        "* Memory summary unavailable: summarizer timed out",
        "**Memory summary unavailable:** summarizer exited with status 1",
        "**Memory summary unavailable: summarizer timed out;\ntranscript content was omitted.**",
        "__Memory summary unavailable__",
        "Memory summary unavailable.",
    ],
)
def test_the_note_of_a_missing_summary_is_a_state(note: str) -> None:
    # B06
    entry = under_heading(note)
    assert entry.state == "unavailable"
    assert entry.anchor is not None
    assert entry.body == note
    assert is_unavailable(note)


@pytest.mark.parametrize(
    "body",
    [
        "- Memory summary unavailable: timed out\n- Fixed the build by hand",
        "- Memory summary unavailable: timed out\n\nWhat was done: the build is fixed",
        "- Asked why it says Memory summary unavailable",
    ],
)
def test_a_note_with_something_else_in_it_is_no_missing_summary(body: str) -> None:
    assert under_heading(body).state == "summary"


def test_entries_stay_in_the_order_of_the_file() -> None:
    # B09
    read = day(f"## Session 15:00\n\n### 14:52\n{ANCHOR}\n- A\n\n### 14:45\n{ANCHOR}\n- B\n")
    assert [(entry.ordinal, entry.time, entry.body) for entry in read.entries] == [
        (1, "14:52", "- A"),
        (2, "14:45", "- B"),
    ]


def test_crlf_and_a_byte_order_mark_change_nothing_that_is_read() -> None:
    # B10
    text = "# 2026-07-05\r\n\r\n### 09:00\r\n<!-- session:s turn:t db:/d -->\r\n- a\r\n- b\r\n"
    read = parse(BOM + text.encode())
    (entry,) = read.entries
    assert (read.newline, read.has_bom) == ("\r\n", True)
    assert (entry.body, entry.start_line, entry.end_line, read.notes) == ("- a\n- b", 3, 6, ())
    assert entry.anchor == Anchor(session="s", turn="t", has_turn=True, kind="db", path="/d")


def test_a_heading_right_after_the_byte_order_mark_is_seen() -> None:
    read = parse(BOM + b"### 09:00\n- a\n")
    assert [(entry.start_line, entry.raw) for entry in read.entries] == [(1, b"### 09:00\n- a\n")]


def test_a_byte_order_mark_inside_is_not_shown() -> None:
    assert under_heading("- a\ufeffb").body == "- ab"


def test_the_line_ending_of_the_majority_counts() -> None:
    assert day("a\r\nb\r\nc\n").newline == "\r\n"
    assert day("a\nb\nc\r\n").newline == "\n"


def test_harness_text_is_kept_as_data() -> None:
    # B50
    body = '- a\n<system-reminder>b</system-reminder>\n<task-notification>\n<skill-loaded name="x">'
    assert under_heading(body).body == body


@pytest.mark.parametrize("blank", ["\n", "\n\n", " \t\n", "\r\n"])
def test_blank_lines_may_stand_before_the_anchor(blank: str) -> None:
    entry = only(f"### 09:00\n{blank}{ANCHOR}\n\n- a\n")
    assert entry.anchor is not None
    assert entry.body == "- a"


def test_an_anchor_after_text_belongs_to_the_body() -> None:
    entry = only(f"### 09:00\n- a\n{ANCHOR}\n")
    assert entry.anchor is None
    assert entry.body == f"- a\n{ANCHOR}"


def test_a_lone_heading_is_an_entry_without_a_body() -> None:
    first, second = day("### 09:00\n\n\n### 09:01").entries
    assert (first.body, first.state, first.start_line, first.end_line) == ("", "note", 1, 1)
    assert (second.body, second.state, second.start_line, second.end_line) == ("", "note", 4, 4)


def test_an_anchor_without_a_body_is_an_entry_too() -> None:
    entry = only(f"### 09:00\n{ANCHOR}\n")
    assert (entry.body, entry.state, entry.end_line) == ("", "summary", 2)


def test_an_entry_written_by_hand_is_a_note() -> None:
    assert only("### 09:00\n- rotate the key on Friday\n").state == "note"


def test_another_tools_anchor_is_an_anchor() -> None:
    entry = only("### 09:00\n<!-- backfill-agent:linear session:s issue:HAR-1 -->\n- a\n")
    assert entry.anchor == Anchor(session="s", turn="", has_turn=False, kind="", path="")
    assert (entry.body, entry.state) == ("- a", "summary")


@pytest.mark.parametrize(
    "body",
    [
        "=== Turn 2 ===\n\n[User]: rename it\n\n[Tool call]: bash\n\n[Assistant]: done",
        "=== Transcript of a conversation between a human and Claude Code ===\n\nhello",
        "[Human]: rename it\n[Claude Code calls tool]: Bash(ls)",
        "...(truncated to tail)\nand so on",
        "- User asked: rename it\n- Codex: done\n\n```bash\nls",
        "- a summary first\n\n[Assistant]: done",
    ],
)
def test_a_transcript_as_body_is_raw(body: str) -> None:
    assert under_heading(body).state == "raw"


@pytest.mark.parametrize("body", ["- User asked: rename it\n- Codex: done", "- [User]: is the label", "API Error: 529"])
def test_other_bodies_are_summaries(body: str) -> None:
    assert under_heading(body).state == "summary"


def test_headings_of_a_body_stay_in_it() -> None:
    body = "[User]: a\n\n## Session notes\n\n### 9 files changed\n\n#### Follow-up\n# b"
    assert under_heading(body).body == body


def test_code_fences_do_not_hide_headings() -> None:
    first, second = day(f"### 09:00\n{ANCHOR}\n```md\n### 09:01\n```\n").entries
    assert (first.body, second.time, second.body) == ("```md", "09:01", "```")


@pytest.mark.parametrize(
    "line",
    [
        "### 25:99",
        "### 24:00",
        "### 9:00",
        "### 09:60",
        "### 0900",
        "### 09:00:30",
        " ### 09:00",
        "#### 09:00",
        "###09:00",
        "### 09:00 #",
        "### \u0660\u0669:\u0660\u0660",
    ],
)
def test_near_headings_are_text(line: str) -> None:
    read = day(f"{line}\n- a\n")
    assert read.entries == ()
    assert [note.text for note in read.notes] == [f"{line.strip()}\n- a" if line[0] != " " else f"{line}\n- a"]


def test_blanks_after_a_heading_are_allowed() -> None:
    read = day("## Session 09:00 \t\n### 09:01  \r\n- a\n")
    assert (read.entries[0].time, read.entries[0].session_heading, read.session_headings) == ("09:01", "09:00", 1)


def test_a_lone_carriage_return_is_no_line_end() -> None:
    entry = under_heading("- building 10%\rbuilding 60%\r### 10:00")
    assert (entry.body, entry.end_line) == ("- building 10%building 60%### 10:00", 3)


def test_text_outside_entries_is_kept_as_notes() -> None:
    read = day(
        f"# 2026-01-05\n\nBefore.\n\n  still before\n\n## Session 09:00\nUnder it.\n\n### 09:01\n{ANCHOR}\n- a\n"
    )
    assert [(note.start_line, note.end_line, note.text) for note in read.notes] == [
        (3, 5, "Before.\n\n  still before"),
        (8, 8, "Under it."),
    ]


def test_a_day_of_prose_is_one_note() -> None:
    read = day("One.\n\nTwo.\n")
    assert [(note.start_line, note.end_line, note.text) for note in read.notes] == [(1, 3, "One.\n\nTwo.")]


@pytest.mark.parametrize("heading", ["## Memory Compact", "## Memory Compact 21:40"])
def test_a_compacted_memory_ends_the_entry_before_it(heading: str) -> None:
    read = day(
        f"## Session 09:00\n\n### 09:01\n{ANCHOR}\n- a\n\n{heading}\n\nAll of it.\n\n### Decisions\n\n- b\n\n### 09:02\n- c\n"
    )
    assert [(entry.body, entry.session_heading) for entry in read.entries] == [("- a", "09:00"), ("- c", "09:00")]
    assert [(note.start_line, note.end_line, note.text) for note in read.notes] == [
        (7, 13, f"{heading}\n\nAll of it.\n\n### Decisions\n\n- b")
    ]
    assert read.empty_sessions == 0


def test_bad_utf8_is_replaced_and_reported_once_with_its_line() -> None:
    read = parse(b"### 09:00\n" + ANCHOR.encode() + b"\n- caf\xe9\n- \xff\xfe end\n")
    assert read.entries[0].body == "- caf\ufffd\n- \ufffd\ufffd end"
    assert read.problems == ("line 3 is not valid UTF-8",)


def test_escapes_and_controls_are_taken_out_of_bodies() -> None:
    entry = under_heading(
        "- \x1b[31mFAILED\x1b[0m a\0b \x1b]8;;http://x\x07link\x1b]8;;\x1b\\ \x1b(x \x9b \x07\tend\x7f"
    )
    assert entry.body == "- FAILED ab link (x  \tend"


def test_escapes_do_not_reach_anchors() -> None:
    entry = only("### 09:00\n<!-- session:s\x1b[31m\0 turn:t db:/x -->\n- a\n")
    assert entry.anchor == Anchor(session="s", turn="t", has_turn=True, kind="db", path="/x")


def test_the_indentation_of_the_first_line_stays() -> None:
    assert under_heading("\n  \n    code\nend  \n \n").body == "    code\nend"


def test_masses_of_unfinished_comments_come_to_an_end() -> None:
    body = "<!-- session:s " * 20_000
    assert under_heading(body).body == body.strip()
    assert len(under_heading("<!--\n" * 20_000).body) == 5 * 20_000 - 1


def test_a_line_of_five_megabytes_is_read() -> None:
    entry = under_heading("- " + "x" * 5_000_000)
    assert (len(entry.body), entry.end_line) == (5_000_002, 3)


@pytest.mark.parametrize(
    "part", ["\x1b]", "\x1b[", "### 09:00 ", "- User asked: ", "[User", "\n- Memory summary unavailable", "\r", " \n"]
)
def test_masses_of_unfinished_parts_come_to_an_end(part: str) -> None:
    read = day(f"### 09:00\n{part * 500_000}")
    assert len(read.entries) == 1


lines = st.sampled_from(
    [
        "### 09:00",
        "### 23:59 ",
        "### 24:00",
        "## Session 10:00",
        "## Memory Compact",
        "# 2026-01-05",
        ANCHOR,
        "- bullet",
        "",
        " ",
        "```",
        "[User]: x",
        "<!--",
        "\x1b[31mred",
        "\0",
        "\ufeff",
        "- Memory summary unavailable: x",
        "text\rtext",
        "修复",
    ]
)
journals = st.builds(
    lambda bom, parts: bom + b"".join(line.encode() + end for line, end in parts),
    st.sampled_from([b"", BOM]),
    st.lists(st.tuples(lines, st.sampled_from([b"\n", b"\r\n", b"\r", b"", b"\xff\n"])), max_size=30),
)


@given(st.binary() | journals)
def test_the_pieces_are_the_file(data: bytes) -> None:
    read = parse(data)
    assert b"".join(piece.raw for piece in read.pieces) == data
    assert all(piece.raw for piece in read.pieces)
    assert all(piece.start_line <= piece.end_line for piece in read.pieces)


@given(journals)
def test_entries_follow_one_another_without_overlap(data: bytes) -> None:
    entries = parse(data).entries
    assert [entry.ordinal for entry in entries] == list(range(1, len(entries) + 1))
    for before, after in itertools.pairwise(entries):
        assert before.end_line < after.start_line
    rows = data.removeprefix(BOM).split(b"\n")
    for entry in entries:
        assert rows[entry.start_line - 1].startswith(b"### " + entry.time.encode())
        assert entry.raw.startswith(b"\n".join(rows[entry.start_line - 1 : entry.end_line]).rstrip())


@given(st.binary() | journals)
def test_bodies_hold_no_controls_and_no_blank_edges(data: bytes) -> None:
    read = parse(b"### 09:00\n" + data)
    for text in [entry.body for entry in read.entries] + [note.text for note in read.notes]:
        assert not set(text) & ({chr(code) for code in range(32)} - {"\t", "\n"})
        assert "\ufeff" not in text
        assert text == clean(text)
        assert not text or (text.split("\n")[0].strip() and text.split("\n")[-1].strip())


@given(journals)
def test_session_headings_are_empty_or_have_entries(data: bytes) -> None:
    read = parse(data)
    assert 0 <= read.empty_sessions <= read.session_headings
    assert read.session_headings - read.empty_sessions <= len(read.entries)
