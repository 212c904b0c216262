"""The part of a text that shows why it was found."""

from __future__ import annotations

from html import escape

from memory.search.tokens import Span, spans

LENGTH = 240
"""Characters of text in a snippet, before it is escaped."""
_REACH = 20_000
"""Characters of a text that are searched for the best part."""
_BEFORE = 40
_WORD = 20


def snippet(text: str, terms: frozenset[str], *, length: int = LENGTH) -> str:
    """Return the part of a cleaned text with the most different terms, as HTML with `<mark>` as its only tag."""
    text = " ".join(text[:_REACH].split())
    places = list(spans(text, terms))
    start, end = _window(text, places, length)
    parts = ["…" if start else ""]
    position = start
    for first, last in _merged(places):
        if start <= first and last <= end:
            parts += [escape(text[position:first]), "<mark>", escape(text[first:last]), "</mark>"]
            position = last
    parts += [escape(text[position:end]), "…" if end < len(text) else ""]
    return "".join(parts)


def _window(text: str, places: list[Span], length: int) -> tuple[int, int]:
    """The bounds of the part with the most different terms, the first of equal ones, cut between words and places."""
    first, best = 0, 0
    inside: dict[str, int] = {}
    left = 0
    for place in places:
        inside[place.term] = inside.get(place.term, 0) + 1
        while place.end - places[left].start > length - _BEFORE and places[left].start < place.start:
            gone = places[left].term
            inside[gone] -= 1
            if not inside[gone]:
                del inside[gone]
            left += 1
        if len(inside) > best:
            first, best = places[left].start, len(inside)
    start = _blank(text, max(0, first - _BEFORE)) if first > _BEFORE else 0
    return start, _end(text, places, min(len(text), start + length))


def _blank(text: str, position: int) -> int:
    """The start of the word after the position, if there is one near."""
    found = text.find(" ", position, position + _WORD)
    return position if found < 0 else found + 1


def _end(text: str, places: list[Span], end: int) -> int:
    """Move an end before the word or place that it would cut."""
    if end < len(text):
        found = text.rfind(" ", end - _WORD, end)
        end = end if found < 0 else found
    return min((place.start for place in places if 0 < place.start < end < place.end), default=end)


def _merged(places: list[Span]) -> list[tuple[int, int]]:
    """Overlapping and adjacent places as one each."""
    merged: list[tuple[int, int]] = []
    for place in places:
        if merged and place.start <= merged[-1][1]:
            merged[-1] = (merged[-1][0], max(place.end, merged[-1][1]))
        else:
            merged.append((place.start, place.end))
    return merged
