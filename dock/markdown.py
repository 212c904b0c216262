"""Turns Markdown that anybody may have written into HTML that is safe to show: markdown-it-py, then bleach."""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import cache, lru_cache
from html import escape
from time import thread_time

from bleach.sanitizer import Cleaner
from django.utils.safestring import SafeString, mark_safe  # noqa: TID251 - one of the two places
from markdown_it import MarkdownIt
from markdown_it.renderer import RendererHTML
from markdown_it.rules_block import StateBlock
from markdown_it.rules_core import StateCore, linkify
from markdown_it.rules_inline import StateInline
from markdown_it.token import Token
from markdown_it.utils import EnvType, OptionsDict
from mdit_py_plugins.front_matter import front_matter_plugin
from mdit_py_plugins.tasklists import tasklists_plugin

from dock import highlight, inert

LIMIT = 262_144
"""Bytes of UTF-8; what is beyond is not shown."""

MAX_NESTING = 60
"""Levels of lists and quotations (a list is two)."""

BUDGET = 1.0
"""Seconds of processor time for parsing."""

MARKS_LIMIT = 30_000
"""Tags and entities in the HTML; bleach takes about 0.03 ms for each."""

_CACHED_LENGTH = 32_000  # characters: entries, skills and documents, which are shown again and again
_LINKS_LIMIT = 5_000  # characters of a paragraph in which bare links are looked for, in quadratic time at worst

_TAGS = {
    "a", "blockquote", "br", "code", "dd", "details", "dl", "dt", "em", "h2", "h3", "h4", "h5", "h6", "hr", "input",
    "li", "ol", "p", "pre", "s", "span", "strong", "summary", "table", "tbody", "td", "th", "thead", "tr", "ul",
}  # fmt: skip
_ATTRIBUTES = {
    "a": ["href", "rel", "title"],
    "details": ["class"],
    "dl": ["class"],
    "input": ["aria-label", "checked", "class", "disabled", "type"],
    "li": ["class"],
    "ol": ["start"],
    "pre": ["class", "tabindex"],
    "span": ["class"],
    "ul": ["class"],
}
_PROTOCOLS = {"http", "https", "mailto"}

_ESCAPES = re.compile(
    r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07\x1b]{0,2000}(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|\x9b[0-?]*[ -/]*[@-~]"
)
_CONTROLS = re.compile(r"[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f]")
_FIELD = re.compile(r"([^\s:#][^:]{0,100}):(?:\s+(.*))?\Z")


class TooMuchWork(Exception):
    """A text is not worth what it would take to format it."""


def render(text: str, *, front_matter: bool = True) -> SafeString:
    """Turn a Markdown text into safe HTML.

    Headings start at `h2`, images are their alternative text, links lead to http, https and mailto only, HTML is shown
    and not obeyed, comments are left out. `front_matter=False` leaves out a YAML block at the start, for pages that show
    its facts themselves; otherwise it is a definition list. A text that is nested too deep or made to be slow is shown as
    it is written.
    """
    renderer = _render_again if len(text) <= _CACHED_LENGTH else _render
    return mark_safe(renderer(text, front_matter))  # noqa: S308 - it went through bleach


def _render(text: str, front_matter: bool) -> str:  # noqa: FBT001 - private
    source, size = _cut(_clean_text(text))
    try:
        html = _sanitized(_html(source, front_matter=front_matter))
    except TooMuchWork:
        html = _pre(escape(source))
    return html + (f"<p><em>{LIMIT:,} of {size:,} bytes.</em></p>" if size > LIMIT else "")


def _html(source: str, *, front_matter: bool) -> str:
    parser = _parser()  # before the clock runs: the first text would pay for its making
    env: EnvType = {"front_matter": front_matter, "until": thread_time() + BUDGET, "colours": highlight.Budget()}
    tokens = parser.parse(source, env)
    # The parser leaves out what is nested too deep; nobody would know that it is there.
    if any(token.level >= MAX_NESTING - 1 for token in tokens):
        raise TooMuchWork
    return str(parser.renderer.render(tokens, parser.options, env))


_render_again = lru_cache(maxsize=512)(_render)


def _clean_text(text: str) -> str:
    """Take out what a terminal obeys and no reader sees."""
    return _CONTROLS.sub("", _ESCAPES.sub("", text.removeprefix("\ufeff")))


def _cut(text: str) -> tuple[str, int]:
    """Give the text up to the limit, as valid UTF-8, and the size of all of it in bytes."""
    encoded = text.encode("utf-8", "replace")
    return encoded[:LIMIT].decode("utf-8", "ignore"), len(encoded)


def _sanitized(html: str) -> str:
    if html.count("<") + html.count("&") > MARKS_LIMIT:
        raise TooMuchWork
    # A cleaner is cheap and keeps the state of its parser: one for each text, not one for all threads.
    return Cleaner(tags=_TAGS, attributes=_ATTRIBUTES, protocols=_PROTOCOLS).clean(html)


@cache
def _parser() -> MarkdownIt:
    options = {"html": False, "linkify": True, "maxNesting": MAX_NESTING, "xhtmlOut": False}
    parser = _Parser("commonmark", options, renderer_cls=_Html).enable(["table", "strikethrough"])
    # Of the two rules only the one that looks at finished text: the other takes quadratic time on many `a://`.
    parser.core.ruler.enable("linkify")
    parser.core.ruler.at("linkify", _link_words)
    if parser.linkify:  # only what names its scheme: with guesses, README.md is a host in Moldova
        parser.linkify.set({"fuzzy_link": False, "fuzzy_email": False}).add("ftp:", None).add("//", None)
    front_matter_plugin(parser)
    tasklists_plugin(parser)
    inert.install(parser)
    parser.block.ruler.before("front_matter", "clock", _watch_blocks, {"alt": ["paragraph", "blockquote", "list"]})
    parser.inline.ruler.before("text", "clock", _watch_words)
    return parser


def _watch_blocks(state: StateBlock, _start_line: int, _end_line: int, _silent: bool) -> bool:  # noqa: FBT001 - a rule
    return _watch(state.env)


def _watch_words(state: StateInline, _silent: bool) -> bool:  # noqa: FBT001 - a rule
    return _watch(state.env)


def _watch(env: EnvType) -> bool:
    """Look at the clock between any two steps of the parser: a rule that never applies."""
    if thread_time() > env["until"]:
        raise TooMuchWork
    return False


def _pre(code: str) -> str:
    return f'<pre class="code" tabindex="0"><code>{code}</code></pre>\n'


class _Parser(MarkdownIt):
    def validateLink(self, url: str) -> bool:
        """Parse every link as one, so that its source does not show; `_Html` decides whether it leads anywhere."""
        return True


def _link_words(state: StateCore) -> None:
    """Make links of what reads as one, in paragraphs that are not too long for it."""
    tokens = state.tokens
    state.tokens = [token for token in tokens if len(token.content) <= _LINKS_LIMIT]
    linkify(state)
    state.tokens = tokens


class _Html(RendererHTML):
    """What is written otherwise than markdown-it does it."""

    def heading_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return f"<{_lower(tokens[idx].tag)}>"

    def heading_close(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return f"</{_lower(tokens[idx].tag)}>\n"

    def image(self, tokens: Sequence[Token], idx: int, options: OptionsDict, env: EnvType) -> str:
        return escape(self.renderInlineAsText(tokens[idx].children, options, env))

    def link_open(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        href, title = (str(tokens[idx].attrGet(name) or "") for name in ("href", "title"))
        target = f' href="{escape(href)}" rel="noopener noreferrer nofollow"' if _leads(href) else ""
        return f"<a{target}{f' title="{escape(title)}"' if title else ''}>"

    def fence(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        language = (tokens[idx].info.split() or [""])[0]
        return _pre(highlight.code(tokens[idx].content, language, budget=env["colours"]))

    def code_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return _pre(escape(tokens[idx].content))

    def html_inline(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        """Draw the box of a task; nothing else makes such a token, HTML of the text is off."""
        state = 'aria-label="Done" checked' if "checked=" in tokens[idx].content else 'aria-label="Open"'
        return f'<input type="checkbox" disabled {state}>'

    def front_matter(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, env: EnvType) -> str:
        if not env["front_matter"]:
            return ""
        facts = "".join(
            f"<dt>{escape(key)}</dt><dd>{escape(value)}</dd>" for key, value in _fields(tokens[idx].content)
        )
        return f'<dl class="facts">{facts}</dl>' if facts else ""

    def harness_block(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        text = _pre(escape(tokens[idx].content))
        return f'<details class="harness"><summary>{escape(tokens[idx].info)}</summary>{text}</details>\n'

    def harness_inline(self, tokens: Sequence[Token], idx: int, _options: OptionsDict, _env: EnvType) -> str:
        return f'<span class="harness">{escape(tokens[idx].content)}</span>'


def _lower(tag: str) -> str:
    """Make room for the page's own `h1`."""
    return f"h{min(int(tag[1]) + 1, 6)}"


def _leads(href: str) -> bool:
    """Tell whether a link may be followed: a relative one would lead to a page of the dock, not to the file it means."""
    return re.match(r"(?:https?|mailto):", href, re.IGNORECASE) is not None


def _fields(yaml: str) -> list[tuple[str, str]]:
    """Take front matter apart as far as a reader needs it: one field for each `key:` at the margin, the rest as written."""
    fields: list[tuple[str, str]] = []
    for line in yaml.splitlines():
        if match := _FIELD.match(line):
            fields.append((match[1], (match[2] or "").strip()))
        elif line.strip():
            key, value = fields.pop() if fields else ("", "")
            fields.append((key, f"{value} {line.strip()}".strip()))
    return [(key, _unquoted(value)) for key, value in fields]


def _unquoted(value: str) -> str:
    return value[1:-1] if len(value) > 1 and value[0] == value[-1] and value[0] in "\"'" else value
