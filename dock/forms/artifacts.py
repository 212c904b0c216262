"""What lists of artifacts and their pages are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, cast

from django import forms

from memory.models.artifact import ArtifactOrigin

type Media = Literal["", "image", "text", "pdf", "other"]

MEDIA: tuple[Media, ...] = ("image", "text", "pdf", "other")


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which artifacts are wanted; empty values ask for all. `session` is a session's key."""

    text: str = ""
    kind: str = ""
    media: Media = ""
    session: str = ""
    cursor: str = ""

    def query(self) -> dict[str, str]:
        """Return what an address says of it, the page apart."""
        return {"q": self.text, "kind": self.kind, "type": self.media, "session": self.session}


class ArtifactFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    kind = forms.ChoiceField(required=False, choices=ArtifactOrigin.choices)
    type = forms.ChoiceField(required=False, choices=[(name, name) for name in MEDIA])
    session = forms.CharField(required=False, max_length=500, strip=False)
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(
            text=found.get("q", ""),
            kind=found.get("kind", ""),
            media=cast("Media", found.get("type", "")),
            session=found.get("session", ""),
            cursor=found.get("cursor", ""),
        )


class PartForm(forms.Form):
    """Which part of a text is shown, and how."""

    part = forms.ChoiceField(required=False, choices=[("head", "head"), ("tail", "tail")])
    view = forms.ChoiceField(required=False, choices=[("rendered", "rendered"), ("text", "text")])

    def typed(self) -> tuple[Literal["head", "tail"], str]:
        self.is_valid()
        found = self.cleaned_data
        return ("tail" if found.get("part") == "tail" else "head"), found.get("view", "")
