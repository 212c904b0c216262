"""What an agent would run, open or fetch if it followed a skill."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from markdown_it import MarkdownIt
from markdown_it.token import Token

from memory.texts import hidden

MOST = 200
"""Commands, URLs and paths of each kind that are told."""

_WITHIN = 64 * 1024
"""Characters of a text that are looked at; more than agents read of a skill."""
_LONGEST = 300

_SHELLS = {
    "",
    "sh",
    "bash",
    "zsh",
    "fish",
    "shell",
    "console",
    "shell-session",
    "shellsession",
    "sh-session",
    "terminal",
}
_SHELLS |= {"powershell", "ps1", "pwsh", "bat", "cmd", "dos"}
_DATA = {
    "json",
    "jsonc",
    "yaml",
    "yml",
    "toml",
    "ini",
    "xml",
    "html",
    "css",
    "csv",
    "diff",
    "text",
    "txt",
    "md",
    "markdown",
}
_DATA |= {"log", "output"}

_PROMPT = re.compile(r"^\s*(?:[$%>] |PS [^>]*> ?|[\w.-]+@[\w.-]+:[^$#]*[$#] )")
_URL = re.compile(r"""(?:https?|ftp|wss?|ssh|git|file|data|javascript):[^\s"'`<>()\[\]]+""", re.IGNORECASE)
_WORD = re.compile(r"""[^\s"'`<>()\[\]{}|;,=&]+""")
_PATH = re.compile(r"(?:~|\.{1,2})?/[\w.@+~/-]*[\w@+~/-]|(?:[\w@.+-]+/)+[\w.@+-]*|[\w-][\w.-]*\.[A-Za-z]\w{0,7}")
_COMMAND = re.compile(r"(?:sudo\s+|[A-Z_][A-Z0-9_]*=\S*\s+)*(?:[\w.~-]*/)*[a-z][\w.+-]*(?:\s+\S.*)", re.DOTALL)
_PROSE = re.compile(r"^(?:a|an|the|and|or|if|to|of|in|on|for|with|is|are|no|not)\s", re.IGNORECASE)

type _Kind = Literal["command", "url", "path"]
type _Found = tuple[_Kind, str]


@dataclass(frozen=True, slots=True)
class Runs:
    """Commands, URLs and paths, each once, in the order of the text; hidden characters are made visible."""

    commands: tuple[str, ...] = ()
    urls: tuple[str, ...] = ()
    paths: tuple[str, ...] = ()


def what_it_runs(body: str) -> Runs:
    """Find them in code blocks, inline code and links of a Markdown text.

    A guess for reviewers, and rather too much than too little: text that an agent reads as an order without any mark
    of code is not found. A block of another language than a shell's counts as one command, named by its first line.
    """
    every = [pair for token in MarkdownIt("commonmark").parse(body[:_WITHIN]) for pair in _of(token)]
    return Runs(*(_some(every, kind) for kind in ("command", "url", "path")))


def new(before: Runs, after: Runs) -> Runs:
    """Return what only the later one has."""
    return Runs(
        tuple(one for one in after.commands if one not in before.commands),
        tuple(one for one in after.urls if one not in before.urls),
        tuple(one for one in after.paths if one not in before.paths),
    )


def _some(every: list[_Found], kind: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(hidden.visible(text)[:_LONGEST] for one, text in every if one == kind))[:MOST]


def _of(token: Token) -> Iterator[_Found]:
    if token.type in {"fence", "code_block"}:
        yield from _block(token)
    elif token.type in {"html_block", "html_inline"}:
        yield from _urls(token.content)
    elif token.type == "code_inline":
        yield from _inline(token.content.strip())
    elif token.type in {"link_open", "image"}:
        yield from _link(str(token.attrGet("href") or token.attrGet("src") or ""))
    elif token.type == "text":
        yield from _urls(token.content)
    for child in token.children or ():
        yield from _of(child)


def _block(token: Token) -> Iterator[_Found]:
    language = token.info.strip().split(" ")[0].lower()
    if language in _SHELLS:
        yield from (("command", line) for line in _commands(token.content))
    elif language not in _DATA and token.content.strip():
        lines = token.content.strip().splitlines()
        more = f" … ({len(lines)} lines of {language})" if len(lines) > 1 else ""
        yield "command", lines[0].strip() + more
    yield from _urls(token.content)
    yield from _paths(token.content)


def _commands(text: str) -> Iterator[str]:
    """Yield the commands of a shell's block; where some lines have a prompt, the others are output."""
    lines = re.sub(r" ?\\\n\s*", " ", text).splitlines()
    prompted = [_PROMPT.sub("", line) for line in lines if _PROMPT.match(line)]
    for line in prompted or lines:
        if (command := line.strip()) and not command.startswith(("#", "::", "REM ")):
            yield command


def _inline(text: str) -> Iterator[_Found]:
    if len(text) > 4 * _LONGEST:
        yield "command", text
    elif _URL.fullmatch(text):
        yield "url", text
    elif _PATH.fullmatch(text):
        yield "path", text
    elif _COMMAND.fullmatch(text) and not _PROSE.match(text):
        yield "command", " ".join(text.split())
        yield from _urls(text)
        yield from _paths(text)


def _link(target: str) -> Iterator[_Found]:
    if _URL.fullmatch(target):
        yield "url", target
    elif target and not target.startswith("#"):
        yield "path", target


def _urls(text: str) -> Iterator[_Found]:
    yield from (("url", found[0].rstrip(".,;:!?")) for found in _URL.finditer(text))


def _paths(text: str) -> Iterator[_Found]:
    """Yield the words with a slash that look like a path."""
    for word in _WORD.findall(_URL.sub(" ", text)):
        if "/" in word and len(word) <= _LONGEST and _PATH.fullmatch(word):
            yield "path", word
