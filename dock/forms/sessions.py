"""What lists of sessions are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which sessions are wanted; empty values ask for all. `state` is live, ended or open."""

    text: str = ""
    state: str = ""
    platform: str = ""
    cursor: str = ""


class SessionFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    state = forms.ChoiceField(required=False, choices=[(name, name) for name in ("live", "ended", "open")])
    platform = forms.CharField(required=False, max_length=40)
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("q", ""), found.get("state", ""), found.get("platform", ""), found.get("cursor", ""))


VIEWS = ("entries", "memories", "prompts", "told", "turns")
"""What a session's page can show."""


@dataclass(frozen=True, slots=True)
class Find:
    """What of one session is wanted: a view of it, "" for the first that holds something, and words to find there."""

    text: str = ""
    view: str = ""
    cursor: str = ""


class FindForm(forms.Form):
    """The find box of one session."""

    view = forms.ChoiceField(required=False, choices=[(name, name) for name in VIEWS])
    q = forms.CharField(required=False, max_length=200)
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Find:
        self.is_valid()
        found = self.cleaned_data
        return Find(found.get("q", ""), found.get("view", ""), found.get("cursor", ""))
