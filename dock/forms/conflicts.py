"""Which pairs of memories are asked for, and what a person judges about one."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms

from memory.models.observation import Verb

STATES = ("pending", "judged", "apart", "orphaned", "ignored")
"""`apart` are pairs that nobody judged and nobody can: one memory is missing, deleted or in another project."""

VERDICTS = tuple(verb for verb in Verb.values if verb != Verb.PENDING)

_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which pairs are wanted. `pair` is the one to read, `last` the one that was judged a moment ago."""

    status: str = "pending"
    verdict: str = ""
    cursor: str = ""
    pair: int | None = None
    last: int | None = None

    def query(self) -> dict[str, str]:
        """Return what an address says of it, the page and the pair apart."""
        return {"status": "" if self.status == "pending" else self.status, "verdict": self.verdict}


class ConflictFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    status = forms.ChoiceField(required=False, choices=[(name, name) for name in STATES])
    verdict = forms.ChoiceField(required=False, choices=[(name, name) for name in VERDICTS])
    cursor = forms.CharField(required=False, max_length=500)
    pair = forms.IntegerField(required=False, min_value=1, max_value=_LARGEST)
    last = forms.IntegerField(required=False, min_value=1, max_value=_LARGEST)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        status = found.get("status") or "pending"
        verdict = found.get("verdict", "") if status == "judged" else ""
        return Criteria(status, verdict, found.get("cursor", ""), found.get("pair"), found.get("last"))


class VerdictForm(forms.Form):
    """A verdict and why; the reason may be left empty."""

    relation = forms.ChoiceField(
        choices=[(name, name) for name in VERDICTS],
        error_messages={"required": "Choose how the two relate.", "invalid_choice": "There is no such verdict."},
    )
    reason = forms.CharField(
        required=False, max_length=2000, error_messages={"max_length": "A reason has at most 2,000 characters."}
    )
