"""A skill as a person writes it: a new one in parts, one that is there as the whole of its SKILL.md."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms
from django.http import QueryDict

from dock.forms.memories_edit import plain

TEXT_LIMIT = 65_536
"""Bytes of a SKILL.md that agents still read whole."""

SOURCES = 50
"""Journal entries that a draft may be made from."""


@dataclass(frozen=True, slots=True)
class Draft:
    """What a proposed skill says; `sources` are journals, relative to the project."""

    name: str
    description: str
    body: str
    sources: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Origin:
    """What a draft is made from: entries by their ids, or a session by its key."""

    entries: tuple[int, ...]
    session: str


class ProposalForm(forms.Form):
    """A new skill."""

    name = forms.CharField(max_length=100, error_messages={"required": "A skill needs a name."})
    description = forms.CharField(
        max_length=1000, error_messages={"required": "A skill needs a description: agents choose it by that."}
    )
    body = forms.CharField(error_messages={"required": "A skill needs instructions."})

    def clean_description(self) -> str:
        return " ".join(self.cleaned_data["description"].split())

    def clean_body(self) -> str:
        return _bounded(self.cleaned_data["body"])

    def draft(self) -> Draft:
        """Return the draft, of an invalid form what was typed."""
        told = getattr(self, "cleaned_data", {})
        return Draft(
            name=told.get("name") or str(self.data.get("name", ""))[:100],
            description=told.get("description") or str(self.data.get("description", ""))[:1000],
            body=told.get("body") or plain(str(self.data.get("body", "")))[:TEXT_LIMIT],
            sources=tuple(self.data.getlist("source")[:SOURCES]) if isinstance(self.data, QueryDict) else (),
        )


class EditForm(forms.Form):
    """A SKILL.md as it is to be; `content_hash` is the content that the person saw."""

    text = forms.CharField(strip=False, error_messages={"required": "SKILL.md would be empty."})
    content_hash = forms.CharField(required=False, max_length=60)
    note = forms.CharField(required=False, max_length=4000)

    def clean_text(self) -> str:
        return _bounded(self.cleaned_data["text"]) + "\n"

    def typed(self) -> str:
        """Return the text, of an invalid form as it was typed."""
        told = getattr(self, "cleaned_data", {})
        return str(told.get("text") or plain(str(self.data.get("text", ""))))


def origin(data: QueryDict) -> Origin:
    """Read what a draft is asked to be made from; what cannot be an id is left out."""
    pks = [int(pk) for pk in data.getlist("entry") if pk.isascii() and pk.isdigit() and len(pk) < 19]
    return Origin(tuple(pks[:SOURCES]), data.get("session", ""))


def _bounded(typed: str) -> str:
    text = plain(typed)
    size = len(text.encode("utf-8", "surrogatepass"))
    if size > TEXT_LIMIT:
        raise forms.ValidationError(f"The text has {size:,} bytes; a skill holds {TEXT_LIMIT:,}.")
    return text
