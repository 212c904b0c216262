"""What the feed is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms

KINDS = ("entry", "session", "skill", "document")


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which changes are wanted: of one kind, and below an id of the feed; empty values ask for the newest of all."""

    kind: str = ""
    before: int | None = None


class FeedFilter(forms.Form):
    """The filters of the feed; a value that cannot be one is left out."""

    kind = forms.ChoiceField(required=False, choices=[(kind, kind) for kind in KINDS])
    before = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def criteria(self) -> Criteria:
        self.is_valid()
        return Criteria(self.cleaned_data.get("kind", ""), self.cleaned_data.get("before"))
