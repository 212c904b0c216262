"""What the stats are asked for."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from django import forms

from memory.stats.period import Period

PERIODS = {"7": 7, "30": 30, "90": 90, "all": None}
"""Days by the name in the address; None for all there are."""
USUAL = "30"


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which days are counted, one of PERIODS, and whether the chart tells agents apart."""

    period: str = USUAL
    is_by_agent: bool = False

    def days(self, today: date) -> Period:
        return Period(today, PERIODS[self.period])

    def query(self) -> dict[str, str]:
        """Return what an address says of it; what is usual is left out."""
        return {
            "period": "" if self.period == USUAL else self.period,
            "by": "agent" if self.is_by_agent else "",
        }


class StatsForm(forms.Form):
    """The period and the view of the chart; a value that cannot be one is left out."""

    period = forms.ChoiceField(required=False, choices=[(name, name) for name in PERIODS])
    by = forms.ChoiceField(required=False, choices=[("agent", "agent")])

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(found.get("period") or USUAL, found.get("by") == "agent")
