"""What lists of captured turns are asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms

from memory.models.capture import CaptureState


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which captures are wanted; empty values ask for all. With `capture` it is that one alone."""

    state: str = ""
    cursor: str = ""
    capture: int | None = None


class CaptureFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    state = forms.ChoiceField(required=False, choices=CaptureState.choices)
    cursor = forms.CharField(required=False, max_length=500)
    capture = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("state", ""), found.get("cursor", ""), found.get("capture"))
