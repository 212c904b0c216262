"""Markdown that anybody may have written, as HTML."""

from __future__ import annotations

from html.parser import HTMLParser

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from dock import markdown

ATTRIBUTES = {
    "a": {"href", "rel", "title"},
    "details": {"class"},
    "dl": {"class"},
    "input": {"aria-label", "checked", "class", "disabled", "type"},
    "li": {"class"},
    "ol": {"start"},
    "pre": {"class", "tabindex"},
    "span": {"class"},
    "ul": {"class"},
}
TAGS = {
    "a", "blockquote", "br", "code", "dd", "details", "dl", "dt", "em", "h2", "h3", "h4", "h5", "h6", "hr", "input", "li",
    "ol", "p", "pre", "s", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
PIECES = [
    "[a](", "[a]: ", "[a]", "![", "](", ")", "<", ">", "javascript:alert(1)", "JaVaScRiPt&colon;x", "java\tscript:x",
    "&#106;avascript:x", "data:text/html,x", "vbscript:x", "http://a.b", "\" onload=x ", "' onerror=x ", "<img src=x onerror=x>",
    "<script>", "</script>", "<svg onload=x>", "<a href=javascript:x>", "<!--", "-->", "--!>", "<private>", "</private>",
    "<system-reminder>", "</system-reminder>", "`", "```", "```html\n", "\n", "\n\n", "    ", "- [ ] ", "- ", "> ", "# ", "|", "|-|\n",
    "---\n", "a: b\n", "**", "_", "~~", "\\", "&lt;", "&#60;", "\0", "\x1b[31m", "\udc80", "\ufeff", "\r", "1. ", "===", "x",
]  # fmt: skip

texts = st.one_of(st.lists(st.sampled_from(PIECES), max_size=40).map("".join), st.text(max_size=100))


class Reading(HTMLParser):
    """What a browser would make of an HTML text: its tags, and its text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.comments: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def handle_comment(self, data: str) -> None:
        self.comments.append(data)


def links(html: str) -> list[str | None]:
    return [attributes.get("href") for tag, attributes in Reading(html).tags if tag == "a"]


@given(text=texts, front_matter=st.booleans())
@example(text="---\n\n", front_matter=True)
@example(text="---\n---", front_matter=True)
@example(text="- ---\n  a\n---\n", front_matter=False)
@example(text='![\\" onerror=alert(1) ](x)', front_matter=True)
@example(text="[click][1]\n\n[1]: javascript:alert(1)", front_matter=True)
def test_gives_only_allowed_html_for_any_text(text: str, front_matter: bool) -> None:  # noqa: FBT001
    reading = Reading(markdown.render(text, front_matter=front_matter))
    assert reading.comments == []
    for tag, attributes in reading.tags:
        assert tag in TAGS
        assert set(attributes) <= ATTRIBUTES.get(tag, set())
        assert (attributes.get("href") or "http:").lower().startswith(("http:", "https:", "mailto:"))


def test_renders_what_journals_are_made_of() -> None:
    html = markdown.render("- **bold** `code` ~~gone~~ https://a.b/c_d_e and README.md\n\n| a |\n|---|\n| 1 |\n")
    assert "<strong>bold</strong> <code>code</code> <s>gone</s>" in html
    assert "<td>1</td>" in html
    assert links(html) == ["https://a.b/c_d_e"]


def test_leaves_the_first_heading_to_the_page() -> None:
    html = markdown.render("# One\n\n## Two\n\n###### Six\n\nOne again\n===\n")
    assert html == "<h2>One</h2>\n<h3>Two</h3>\n<h6>Six</h6>\n<h2>One again</h2>\n"


@pytest.mark.parametrize(
    "text",
    [
        "[click][1]\n\n[1]: javascript:alert(1)",
        "[x](javascript:alert(1))",
        "[x](JaVaScRiPt:alert(1))",
        "[x](&#106;avascript:alert(1))",
        "[x](java&Tab;script:alert(1))",
        "[x](<java\tscript:alert(1)>)",
        "[x](<\x01javascript:alert(1)>)",
        "[x](vbscript:x)",
        "[x](data:text/html;base64,PHNjcmlwdD4=)",
        "[x](data:image/png;base64,xx)",
        "<javascript:alert(1)>",
        "[x](../admin/)",
        "[x](//evil.example)",
        "[x](ftp://evil.example)",
    ],
)
def test_keeps_the_words_of_a_link_that_leads_nowhere_good(text: str) -> None:
    assert links(markdown.render(text)) == [None]


def test_sends_no_referrer_along_a_link() -> None:
    html = markdown.render("[a](https://a.b 'title') <m@a.b>")
    assert '<a href="https://a.b" rel="noopener noreferrer nofollow" title="title">a</a>' in html
    assert links(html) == ["https://a.b", "mailto:m@a.b"]


def test_shows_the_words_of_an_image_and_loads_nothing() -> None:
    html = markdown.render('![berth *map*](http://evil.example/x.png) ![" onerror=alert(1) ](x)')
    assert html == "<p>berth map &quot; onerror=alert(1) </p>\n"


def test_shows_html_as_text() -> None:
    reading = Reading(
        markdown.render("<img src=x onerror=alert(1)> <script>alert(1)</script>\n\n<div>\n<b>x</b>\n</div>")
    )
    assert {tag for tag, _ in reading.tags} == {"p"}
    assert "<script>alert(1)</script>" in reading.text


def test_leaves_out_comments_but_nothing_that_follows_them() -> None:
    text = "### 09:12\n<!-- session:s turn:1 db:/d -->\n- a <!-- b --> c\n\n<!-- one\n\ntwo --> tail\n\n> <!-- x\n> y -->\n> z"
    words = Reading(markdown.render(text)).text
    assert "session" not in words
    assert words.split()[:3] == ["09:12", "a", "c"]
    assert "tail" in words
    assert words.split()[-1] == "z"


def test_keeps_comments_in_code_and_unclosed_ones() -> None:
    words = Reading(markdown.render("`<!-- a -->`\n\n```\n<!-- b -->\n```\n\n    <!-- c -->\n\n<!-- d")).text
    assert [f"<!-- {letter}" in words for letter in "abcd"] == [True] * 4


@pytest.mark.parametrize(
    ("tag", "opening"),
    [
        ("system-reminder", "<system-reminder>"),
        ("task-notification", "<task-notification>"),
        ("persisted-output", "<persisted-output>"),
        ("skill-loaded", '<skill-loaded name="x">'),
        ("private", "<private>"),
    ],
)
def test_collapses_harness_blocks_into_inert_text(tag: str, opening: str) -> None:
    block = f"{opening}\n# obey\n\n[now](https://a.b)\n</{tag}>"
    reading = Reading(markdown.render(f"before\n{block}\nafter {opening}now</{tag}> and {opening}"))
    assert [name for name, _ in reading.tags] == ["p", "details", "summary", "pre", "code", "p", "span", "span"]
    assert block in reading.text
    assert reading.text.rstrip().endswith(f"after {opening}now</{tag}> and {opening}")


def test_reads_a_skill_with_byte_order_mark_and_windows_line_ends() -> None:
    html = markdown.render('\ufeff---\r\nname: x\r\ndescription: "d: <b>"\r\ntools:\r\n  - a\r\n---\r\n\r\nbody\r\n')
    facts = "<dt>name</dt><dd>x</dd><dt>description</dt><dd>d: &lt;b&gt;</dd><dt>tools</dt><dd>- a</dd>"
    assert html.split("\n") == [f'<dl class="facts">{facts}</dl>', "<p>body</p>", ""]


def test_leaves_front_matter_to_a_page_that_shows_it_itself() -> None:
    assert markdown.render("---\nname: x\n---\nbody\n", front_matter=False).strip() == "<p>body</p>"


def test_takes_out_what_a_terminal_obeys() -> None:
    text = "\x1b[31mFAILED\x1b[0m a\0b \x1b]8;;http://evil.example\x1b\\c\x07 \x9b1md"
    assert markdown.render(text) == "<p>FAILED ab c d</p>\n"


def test_draws_tasks_as_boxes_with_a_name() -> None:
    boxes = [attributes for tag, attributes in Reading(markdown.render("- [ ] a\n- [x] b\n")).tags if tag == "input"]
    assert [(box["aria-label"], "checked" in box, "disabled" in box) for box in boxes] == [
        ("Open", False, True),
        ("Done", True, True),
    ]


def test_colours_code() -> None:
    html = markdown.render("```py\nreturn 1\n```\n\n    <b>\n")
    assert html == (
        '<pre class="code" tabindex="0"><code><span class="k">return</span> <span class="m">1</span></code></pre>\n'
        '<pre class="code" tabindex="0"><code>&lt;b&gt;\n</code></pre>\n'
    )


def test_cuts_a_long_text_and_says_so() -> None:
    html = markdown.render("wörter und mehr\n\n" * 20_000)
    assert len(html) < 2 * markdown.LIMIT
    assert html.endswith("<p><em>262,144 of 360,000 bytes.</em></p>")


@pytest.mark.parametrize(
    "piece", [">", "> ", "[", "![", "- ", "<!--", "<private>\n", "http://a.b/c(", "&", "*a_ ", "a|b\n-|-\n"]
)
def test_shows_what_would_take_too_long_as_it_is_written(piece: str) -> None:
    text = piece * 10_000
    words = Reading(markdown.render(text)).text
    assert words


@pytest.mark.parametrize("mark", ["> ", "- "])
def test_hides_nothing_that_is_nested_too_deep(mark: str) -> None:
    assert "at the bottom" in Reading(markdown.render(mark * 500 + "at the bottom")).text
