"""What lists of memories are asked for, and which memories of a list are meant."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from django import forms
from django.http import QueryDict

from memory.models.observation import Scope

STATES = ("pinned", "due", "deleted")
"""What a list can be narrowed to; without one it shows what is not deleted."""

_LONGEST_ID = 18
"""Digits of an id that every database holds."""


@dataclass(frozen=True, slots=True)
class Criteria:
    """Which memories are wanted; empty values ask for all that are not deleted."""

    text: str = ""
    type: str = ""
    scope: str = ""
    state: str = ""
    cursor: str = ""

    @property
    def is_trash(self) -> bool:
        return self.state == "deleted"

    def query(self) -> dict[str, str]:
        """Return what an address says of it, the page apart."""
        return {"q": self.text, "type": self.type, "scope": self.scope, "state": self.state}


@dataclass(frozen=True, slots=True)
class Selection:
    """The memories that somebody means: some by their ids, or all that a list matched when it was shown.

    `seen` is the newest id of that list; what was saved after it was not seen by anybody.
    """

    pks: tuple[int, ...] = ()
    is_all: bool = False
    seen: int = 0

    def query(self) -> dict[str, object]:
        """Return what an address says of it."""
        return {"all": 1, "seen": self.seen} if self.is_all else {"pk": self.pks}


class MemoryFilter(forms.Form):
    """The filters of the list; a value that cannot be one is left out."""

    q = forms.CharField(required=False, max_length=200)
    type = forms.CharField(required=False, max_length=100, strip=False)
    scope = forms.ChoiceField(required=False, choices=Scope.choices)
    state = forms.ChoiceField(required=False, choices=[(name, name) for name in STATES])
    cursor = forms.CharField(required=False, max_length=500)

    def criteria(self) -> Criteria:
        self.is_valid()
        found = self.cleaned_data
        return Criteria(*(found.get(name, "") for name in ("q", "type", "scope", "state", "cursor")))


def selection(data: QueryDict) -> Selection:
    """Read a selection out of a form or an address; what cannot be an id is left out."""
    if data.get("all"):
        return Selection(is_all=True, seen=next(_numbers([data.get("seen", "")]), 0))
    return Selection(pks=tuple(dict.fromkeys(_numbers(data.getlist("pk")))))


def _numbers(values: Iterable[str]) -> Iterator[int]:
    return (int(one) for one in values if one.isascii() and one.isdigit() and len(one) <= _LONGEST_ID)
