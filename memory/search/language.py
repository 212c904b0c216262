"""The query language: phrases, exclusions and filters; whatever is none of these is text to look for."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, timedelta
from typing import Any

from django.utils import timezone

from memory.search.types import Filters, Query

LONGEST = 10_000
"""Characters of a query that are read."""

_PART = re.compile(
    r'(?:^|(?<=\s))(?:(?P<sign>-?)"(?P<phrase>[^"]*)"(?=\s|$)|(?P<name>[a-z]+):(?:"(?P<quoted>[^"]+)"|(?P<value>[^\s"]+))'
    r"(?=\s|$)|-(?P<excluded>[^\W_]\S*))"
)
_AGO = re.compile(r"(\d{1,4})([dwmy])")
_DAYS = {"d": 1, "w": 7, "m": 30, "y": 365}
_TEXTS = ("project", "kind", "type", "platform", "session")


def literal(text: str) -> Query:
    """Return a query that looks for the whole text and knows no language: for what nobody typed as a query."""
    text = _readable(text)
    return Query(text=text, words=text)


def parse(text: str) -> Query:
    """Read a query. Takes any text; what has no meaning here is looked for as it is.

    `"a phrase"`, `-word`, `-"a phrase"`, `project:` `kind:` `type:` `platform:` `session:`, `since:` and `until:` (a
    day as YYYY-MM-DD, `today`, `yesterday`, or how long ago: `7d`, `2w`, `3m`, `1y`), `is:pinned`.
    """
    text = _readable(text)
    words: list[str] = []
    phrases: list[str] = []
    excluded: list[str] = []
    filters, position = Filters(), 0
    for part in _PART.finditer(text):
        wanted = _filtered(filters, part["name"], part["quoted"] or part["value"]) if part["name"] else None
        if part["name"] and wanted is None:
            continue
        words.append(text[position : part.start()])
        position = part.end()
        if wanted:
            filters = wanted
        elif part["excluded"]:
            excluded.append(part["excluded"])
        elif part["phrase"].strip():
            (excluded if part["sign"] else phrases).append(part["phrase"].strip())
    words.append(text[position:])
    return _query(text, " ".join(" ".join(words).split()), phrases, excluded, filters)


def _query(text: str, words: str, phrases: list[str], excluded: list[str], filters: Filters) -> Query:
    if excluded and not words and not phrases and filters == Filters():
        return Query(text=text, words=text)  # nothing is left to look for: `-x` alone is a text such as `-rf`
    return Query(text=text, words=words, phrases=tuple(phrases), excluded=tuple(excluded), filters=filters)


def _readable(text: str) -> str:
    return text[:LONGEST].replace("\0", " ").encode("utf-8", "ignore").decode()


def _filtered(filters: Filters, name: str, value: str) -> Filters | None:
    """Add one filter; None when this is none."""
    wanted: dict[str, Any] = {name: value} if name in _TEXTS else {}
    if name == "is" and value == "pinned":
        wanted = {"is_pinned": True}
    elif name in {"since", "until"} and (day := _day(value)):
        wanted = {name: day}
    return replace(filters, **wanted) if wanted else None


def _day(value: str) -> date | None:
    today = timezone.localdate()
    if value in {"today", "yesterday"}:
        return today - timedelta(days=value == "yesterday")
    if ago := _AGO.fullmatch(value):
        try:
            return today - timedelta(days=int(ago[1]) * _DAYS[ago[2]])
        except OverflowError:
            return None
    try:
        return date.fromisoformat(value) if re.fullmatch(r"\d{4}-\d{2}-\d{2}", value) else None
    except ValueError:
        return None
