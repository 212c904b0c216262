"""Names and keys in addresses: texts from outside that may hold anything, slashes included."""

from __future__ import annotations

from django.urls import register_converter

from memory import refs


class AnythingConverter:
    """One or more characters of any kind; what follows it in a route has to be told apart by its last part."""

    regex = r"(?s:.+)"

    def to_python(self, value: str) -> str:
        return value

    def to_url(self, value: str) -> str:
        return refs.segment(value)


class RestConverter(AnythingConverter):
    """Whatever is left, nothing included."""

    regex = r"(?s:.*)"


def readings(text: str) -> list[str]:
    """Return what a part of an address may stand for: `refs.segment` undone where it was one, and the text itself."""
    try:
        plain = refs.from_segment(text)
    except ValueError:
        return [text]
    return [plain, text] if plain != text and refs.segment(plain) == text else [text]


register_converter(AnythingConverter, "anything")
register_converter(RestConverter, "rest")
