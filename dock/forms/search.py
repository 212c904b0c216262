"""What a search is asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django import forms

from memory.search.types import Sort

DEEPEST = 9_999
"""Hits that can be turned over; nobody reads on from there."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """What is looked for; empty values ask for all. `skipped` hits stand on the pages before this one."""

    text: str = ""
    kind: str = ""
    type: str = ""
    platform: str = ""
    since: date | None = None
    until: date | None = None
    sort: Sort = "relevance"
    skipped: int = 0

    @property
    def is_question(self) -> bool:
        """Tell whether there is anything to look for: words, or a filter that says enough without any."""
        return bool(self.text or self.kind or self.type or self.platform or self.since or self.until)

    @property
    def cursor(self) -> str:
        """The search's own cursor, which counts the hits before."""
        return str(self.skipped) if self.skipped else ""

    def state(self) -> dict[str, str]:
        """Return what an address keeps of this, without the cursor."""
        return {
            "q": self.text,
            "kind": self.kind,
            "type": self.type,
            "platform": self.platform,
            "since": self.since.isoformat() if self.since else "",
            "until": self.until.isoformat() if self.until else "",
            "sort": "" if self.sort == "relevance" else self.sort,
        }


class SearchForm(forms.Form):
    """The query and its filters; a value that cannot be one is left out, and the query may be any text."""

    kind = forms.CharField(required=False, max_length=40)
    type = forms.CharField(required=False, max_length=40)
    platform = forms.CharField(required=False, max_length=40)
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    sort = forms.ChoiceField(required=False, choices=[("time", "time")])
    cursor = forms.IntegerField(required=False, min_value=0, max_value=DEEPEST)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(
            text=self.data.get("q", "").strip(),
            kind=found.get("kind", ""),
            type=found.get("type", ""),
            platform=found.get("platform", ""),
            since=found.get("since"),
            until=found.get("until"),
            sort="time" if found.get("sort") else "relevance",
            skipped=found.get("cursor") or 0,
        )
