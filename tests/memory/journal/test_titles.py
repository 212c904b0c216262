from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from memory.journal.titles import below, excerpt, title


@pytest.mark.parametrize(
    ("body", "expected"),
    [
        ("- Removed symlinks\n- Created a file", "Removed symlinks"),
        ("\n\n* **Fixed** the `rate_window.yaml` *loader*", "Fixed the rate_window.yaml loader"),
        ("1. ~~Old~~ ***new*** plan", "Old new plan"),
        ("- [x] > ## Nested markers", "Nested markers"),
        ("- **`a_b.py`**: moved to [the store](https://host.example/a_(b)) now", "a_b.py: moved to the store now"),
        ("[click][1] and ![alt](x.png)", "click and alt"),
        ("[![build](b.svg)](https://ci.example) passes", "build passes"),
        ("Page title was `<img src=x onerror=alert(1)>`", "Page title was <img src=x onerror=alert(1)>"),
        ("<details><summary>log</summary><b>bold</b></details>", "logbold"),
        (
            "a < b and 2 * 3 * 4 stay, so do snake_case_names and __init__.py",
            "a < b and 2 * 3 * 4 stay, so do snake_case_names and __init__.py",
        ),
        ("_really_ __done__.", "really done."),
        ("src/*.py and **/*.md", "src/*.py and **/*.md"),
        ("\\*not emphasis\\* in C:\\dev\\.cache", "*not emphasis* in C:\\dev\\.cache"),
        ("see <https://host.example/a>", "see https://host.example/a"),
        ("<!-- hidden\nover lines --> shown", "shown"),
        ("---\n***\n```bash\nmake test\n```", "make test"),
        ("[1]: javascript:alert(1)\nshown", "shown"),
        ("- one\u2028line\x85only\ttext", "one line only text"),
        ("修复泊位租约", "修复泊位租约"),
    ],
)
def test_the_first_meaningful_line_is_plain(body: str, expected: str) -> None:
    assert title(body) == expected


@pytest.mark.parametrize(
    "body",
    [
        "=== Turn 3 (msg_1) ===\n\n[User]: rename the grace\n\n[Assistant]: done",
        "=== Transcript of a conversation between a human and Claude Code ===\n\n[Human]: rename the grace",
        "...(truncated to tail)\n[Human]: rename the grace",
        "[Claude Code]: rename the grace",
        "[Claude Code calls tool]: rename the grace",
        "- [User]: rename the grace",
    ],
)
def test_roles_and_turn_headers_of_raw_transcripts_are_left_out(body: str) -> None:
    assert title(body) == "rename the grace"


def test_the_note_of_a_missing_summary_names_itself() -> None:
    body = "- Memory summary unavailable: summarizer timed out; transcript content was omitted."
    assert title(body) == "Memory summary unavailable"
    assert excerpt(body) == ""


@pytest.mark.parametrize("tag", ["system-reminder", "task-notification", "persisted-output", 'skill-loaded name="x"'])
def test_harness_text_is_neither_in_the_title_nor_in_the_excerpt(tag: str) -> None:
    block = f"<{tag}>do as\nI say</{tag.split()[0]}>"
    body = f"{block}\n- Real work {block}\n- {block} More work"
    assert title(body) == "Real work"
    assert excerpt(body) == "More work"


def test_harness_text_alone_is_named_by_its_tag() -> None:
    assert title("<system-reminder>do as I say</system-reminder>") == "<system-reminder>"


def test_an_unclosed_harness_tag_hides_only_itself() -> None:
    assert title('<skill-loaded name="x">\n<system-reminder>all that follows') == "all that follows"


def test_an_unclosed_block_does_not_show_a_closed_one_after_it() -> None:
    assert title("<persisted-output> <system-reminder>do as I say</system-reminder> Real work") == "Real work"


def test_a_long_title_is_cut_after_a_word() -> None:
    cut = title("word " * 60, limit=23)
    assert cut == "word word word word…"


def test_a_title_without_blanks_is_cut_between_its_characters() -> None:
    assert title("修复泊位租约" * 30, limit=10) == "修复泊位租约修复泊…"


def test_hangul_is_cut_between_words() -> None:
    assert title("정박 임대를 갱신하는 코드를 고쳤다", limit=10) == "정박 임대를…"


def test_one_endless_word_is_cut_anywhere() -> None:
    assert title("a" * 500, limit=20) == "a" * 19 + "…"
    assert title("a " + "b" * 500, limit=20) == "a " + "b" * 17 + "…"


def test_a_body_of_signs_only_still_has_a_title() -> None:
    assert title("🎉") == "🎉"
    assert title("***") == "***"
    assert title("<br>") == "<br>"
    assert title("<!-- only a comment -->") == "<!-- only a comment -->"


def test_an_empty_body_has_neither_title_nor_excerpt() -> None:
    assert title(" \n\t\n") == ""
    assert excerpt(" \n\t\n") == ""


def test_the_excerpt_is_what_follows_the_title_on_one_line() -> None:
    assert excerpt("\n- Title\n\n- **first**   thing\n```sh\nmake\n```\n- last") == "first thing make last"
    assert excerpt("- Title only") == ""


def test_the_excerpt_is_cut_after_a_word() -> None:
    assert excerpt("title\n" + "word\n" * 100, limit=23) == "word word word word…"


markup = st.lists(
    st.sampled_from(
        [
            "<!--",
            "-->",
            "<system-reminder>",
            "</system-reminder>",
            "<a",
            ">",
            "`",
            "``",
            "*",
            "**",
            "__",
            "[",
            "](",
            ")",
            "\0",
            "\n",
            "- ",
            "[User]: ",
            "```",
            "\\",
            "word",
            " ",
            "\u2028",
            "修",
            "한",
            "=== Turn ",
            '"',
            "#",
            "1. ",
            "~~",
            "\x1b",
        ]
    ),
    max_size=40,
).map("".join)


@given(st.text() | markup, st.integers(min_value=2, max_value=60))
def test_a_title_is_one_line_within_the_limit_and_never_missing(body: str, limit: int) -> None:
    line = title(body, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1
    assert bool(line) == bool(body.replace("\0", "").strip())


@given(st.text() | markup, st.integers(min_value=2, max_value=60))
def test_an_excerpt_is_one_line_within_the_limit(body: str, limit: int) -> None:
    line = excerpt(body, limit=limit)
    assert len(line) <= limit
    assert len(line.splitlines()) <= 1


@pytest.mark.parametrize(
    "part",
    [
        "<!--",
        "<system-reminder>",
        "<system-reminder ",
        "<a ",
        "`",
        "`" * 9 + "!",
        "**!",
        "[a](",
        '[a](x "',
        "_!",
        "- ",
        "-\n",
        "\n",
        "[",
        "\\",
        "> ",
    ],
)
def test_unfinished_markup_in_masses_comes_to_an_end(part: str) -> None:
    body = part * (2_000_000 // len(part)) + "end"
    assert title(body)
    assert excerpt("title\n" + body) is not None


def test_below_the_title_is_what_it_does_not_say() -> None:
    assert below("Did a thing", "- Did a `thing`\n- More") == "- More"
    assert below("Something else", "- Did a thing\n- More") == "- Did a thing\n- More"
    assert below("Did a thing", "- Did a thing\n  in two lines") == "- Did a thing\n  in two lines"
