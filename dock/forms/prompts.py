"""What lists of prompts are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which prompts are wanted; empty values ask for all. `session` is a session's key."""

    text: str = ""
    session: str = ""
    cursor: str = ""


class PromptFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    session = forms.CharField(required=False, max_length=500, strip=False)
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("q", ""), found.get("session", ""), found.get("cursor", ""))
