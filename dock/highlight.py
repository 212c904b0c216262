"""Colours source text with four classes: `k` keywords and keys, `s` strings, `m` numbers, `c` comments."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache
from html import escape
from itertools import groupby
from time import thread_time

from django.utils.safestring import SafeString, mark_safe  # noqa: TID251 - one of the two places
from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name
from pygments.token import Comment, Generic, Keyword, Literal, Name, Operator, Text, _TokenType

TEXT_LIMIT = 100_000
"""Characters; longer texts are shown without colours, so that an answer stays quick."""

LINE_LIMIT = 5_000
"""Characters of one line; nobody reads longer ones in colours."""

BUDGET = 0.25
"""Seconds of processor time; a text that is made to be slow is shown without colours."""

type Token = tuple[_TokenType, str]


@dataclass(slots=True)
class Budget:
    """What colouring may still take, in seconds of this thread's processor time; the code of one page shares one."""

    left: float = BUDGET


_FAMILIES = (
    (Comment, "c"),
    (Keyword, "k"),
    (Operator.Word, "k"),
    (Name.Tag, "k"),
    (Generic.Subheading, "k"),
    (Literal.String, "s"),
    (Generic.Inserted, "s"),
    (Literal.Number, "m"),
)

# Only lexers whose every step is quick on hostile text too. One step of those for C, C++, C#, Java or Kotlin can take
# minutes; those for Make, Markdown and Perl take quadratic time so easily that they would seldom finish.
_LANGUAGES = {
    "bash", "css", "diff", "dockerfile", "go", "html", "ini", "js", "json", "lua", "php", "python", "ruby", "rust", "scss",
    "sql", "swift", "toml", "typescript", "xml", "yaml",
}  # fmt: skip

_ALIASES = {
    "cfg": "ini", "conf": "ini", "docker": "dockerfile", "golang": "go", "javascript": "js", "jsonc": "json", "jsonl": "json",
    "jsx": "js", "patch": "diff", "py": "python", "python3": "python", "rb": "ruby", "rs": "rust", "sh": "bash",
    "shell": "bash", "ts": "typescript", "tsx": "typescript", "yml": "yaml", "zsh": "bash",
}  # fmt: skip


def lines(text: str, language: str, *, budget: Budget | None = None) -> list[SafeString]:
    """Turn source text into one piece of safe HTML a line, without line ends; an empty text has no lines.

    A token that spans lines is closed and opened again in each. `language` is what a code fence or a file name says;
    an unknown one gives escaped text, as do very long texts and lines, and what takes more than the budget has left.
    """
    source = text.removeprefix("\ufeff").replace("\r\n", "\n").replace("\r", "\n")
    tokens = _tokens(source, language, budget or Budget())
    rows = ["".join(pieces) for pieces in _rows(tokens or [(Text, source)])]
    if not rows[-1]:
        rows.pop()
    return [mark_safe(row) for row in rows]  # noqa: S308 - every piece was escaped in _span


def code(text: str, language: str, *, budget: Budget | None = None) -> SafeString:
    """Turn source text into safe HTML for the inside of `<pre><code>`."""
    return mark_safe("\n".join(lines(text, language, budget=budget)))  # noqa: S308 - the lines are safe


def _tokens(source: str, language: str, budget: Budget) -> list[Token]:
    """Take a text apart; nothing where that is not possible, too much work, or would lose a character."""
    name = _ALIASES.get(language.lower(), language.lower())
    if name not in _LANGUAGES or len(source) > TEXT_LIMIT or max(map(len, source.split("\n"))) > LINE_LIMIT:
        return []
    tokens = _taken(_lexer(name).get_tokens(source), budget)
    return tokens if "".join(value for _, value in tokens) == source else []


def _taken(tokens: Iterable[Token], budget: Budget) -> list[Token]:
    """Collect tokens while the budget lasts; nothing when it does not.

    The lexer is there already: loading it, at the first use of a language, is not the text's fault.
    """
    started = thread_time()
    taken = []
    for token in tokens:
        if thread_time() - started > budget.left:
            budget.left = 0.0
            return []
        taken.append(token)
    budget.left -= thread_time() - started
    return taken


@cache
def _lexer(name: str) -> Lexer:
    return get_lexer_by_name(name, stripnl=False, ensurenl=False)


def _rows(tokens: Iterable[Token]) -> Iterator[list[str]]:
    row: list[str] = []
    for name, neighbours in groupby(tokens, key=lambda token: _class(token[0])):
        first, *others = "".join(value for _, value in neighbours).split("\n")
        row.append(_span(name, first))
        for other in others:
            yield row
            row = [_span(name, other)]
    yield row


def _span(name: str, text: str) -> str:
    return f'<span class="{name}">{escape(text)}</span>' if name and text else escape(text)


@cache
def _class(kind: _TokenType) -> str:
    # `kind in family`, said in the way that type checkers read as well: a token type is a tuple of its ancestors' names
    return next((name for family, name in _FAMILIES if kind[: len(family)] == family), "")
