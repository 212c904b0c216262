"""Markdown rules for what is in a text but was not written for a reader: HTML comments and the tags of agent harnesses.

Comments (the anchors of journals are comments) are left out. Harness blocks keep their text, collapsed and inert, so that
a person sees that they are there. Code keeps both as they are.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock
from markdown_it.rules_inline import StateInline

SPAN_LIMIT = 20_000
"""Characters that are searched for the end of a comment or block, so that many open ones cost little."""

_OPENING = re.compile(
    r"<!--|<(?P<tag>system-reminder|task-notification|persisted-output|skill-loaded|private)(?:\s[^<>]{0,200})?>"
)


class Span(NamedTuple):
    """A comment (`tag` is empty) or a harness block of the source, and where it ends, its marks included."""

    tag: str
    end: int


def install(parser: MarkdownIt) -> None:
    """Teach a parser the rules; they make tokens `harness_block` (`info` is the tag) and `harness_inline`."""
    others = ["paragraph", "reference", "blockquote", "list"]
    parser.block.ruler.before("blockquote", "inert", _block, {"alt": others})
    parser.inline.ruler.before("autolink", "inert", _inline)


def _block(state: StateBlock, start_line: int, end_line: int, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's own signature
    begin = state.bMarks[start_line] + state.tShift[start_line]
    span = None if state.is_code_block(start_line) else _span(state.src, begin)
    last = span and _last_line(state, span, start_line, end_line)
    if not span or last is None:
        return False
    if silent:
        return True
    state.line = last + 1
    if span.tag:
        token = state.push("harness_block", "", 0)
        token.info, token.map = span.tag, [start_line, state.line]
        token.content = state.getLines(start_line, state.line, state.blkIndent, keepLastLF=False)
    return True


def _last_line(state: StateBlock, span: Span, start_line: int, end_line: int) -> int | None:
    """Find the line that a span ends in; none where text follows on it or the span leaves its list or quotation."""
    last = bisect_left(state.eMarks, span.end, start_line)
    if last >= end_line or state.src[span.end : state.eMarks[last]].strip():
        return None
    inside = range(start_line + 1, last + 1)
    return last if all(state.isEmpty(line) or state.sCount[line] >= state.blkIndent for line in inside) else None


def _inline(state: StateInline, silent: bool) -> bool:  # noqa: FBT001 - markdown-it's own signature
    span = _span(state.src, state.pos)
    end = span.end if span else _lone_tag(state.src, state.pos)
    if not state.pos < end <= state.posMax:
        return False
    if not silent and not (span and not span.tag):
        token = state.push("harness_inline", "", 0)
        token.content = state.src[state.pos : end]
    state.pos = end
    return True


def _span(source: str, begin: int) -> Span | None:
    opening = _OPENING.match(source, begin)
    if not opening:
        return None
    tag = opening["tag"] or ""
    closing = f"</{tag}>" if tag else "-->"
    end = source.find(closing, opening.end(), opening.end() + SPAN_LIMIT)
    return Span(tag, end + len(closing)) if end >= 0 else None


def _lone_tag(source: str, begin: int) -> int:
    """Say where a harness tag without its other half ends; 0 where there is none."""
    opening = _OPENING.match(source, begin)
    return opening.end() if opening and opening["tag"] else 0
