"""What journals are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django import forms


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which entries of a day are wanted, and where the heat map ends; empty values ask for all."""

    text: str = ""
    platform: str = ""
    cursor: str = ""
    until: date | None = None

    @property
    def is_filter(self) -> bool:
        return bool(self.text or self.platform)


class DayFilter(forms.Form):
    """The filters of a day; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    platform = forms.CharField(required=False, max_length=40)
    cursor = forms.CharField(required=False, max_length=500)
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(
            found.get("q", ""), found.get("platform", ""), found.get("cursor", ""), found.get("until") or None
        )


class GoForm(forms.Form):
    """The field that goes to a day."""

    day = forms.DateField(required=False, input_formats=["%Y-%m-%d"])

    def wanted(self) -> date | None:
        self.is_valid()
        return self.cleaned_data.get("day")
