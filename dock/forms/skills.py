"""What lists of skills are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which skills are wanted; `state` is waiting, installed, broken or all, or empty for the reader's likely wish."""

    text: str = ""
    state: str = ""
    cursor: str = ""


class SkillFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    state = forms.ChoiceField(
        required=False, choices=[(name, name) for name in ("waiting", "installed", "broken", "all")]
    )
    cursor = forms.CharField(required=False, max_length=2000)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("q", ""), found.get("state", ""), found.get("cursor", ""))
