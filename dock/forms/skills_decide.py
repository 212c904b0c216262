"""What a reviewer says about a skill, and about many at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import datetime, time, timedelta

from django import forms
from django.http import QueryDict
from django.utils import timezone

from memory.models.skill_desk import SkillAction

NOTE_LIMIT = 4000
DELAYS = {"day": ("Tomorrow", 1), "week": ("In a week", 7), "month": ("In a month", 30)}
"""How long a skill may be put off, in days; `date` names a day instead."""


@dataclass(frozen=True, slots=True)
class Wish:
    """One decision as it was posted.

    `overwrite` maps targets to the hash of the copy that is let go, `session` is the key of the one that is asked.
    """

    action: str = ""
    content_hash: str = ""
    note: str = ""
    until: datetime | None = None
    targets: tuple[str, ...] = ()
    overwrite: dict[str, str] = field(default_factory=dict)
    session: str = ""


class DecisionForm(forms.Form):
    """A decision about one content of a skill."""

    action = forms.ChoiceField(choices=SkillAction.choices)
    content_hash = forms.CharField(required=False, max_length=60)
    note = forms.CharField(required=False, max_length=NOTE_LIMIT)
    delay = forms.ChoiceField(required=False, choices=[*((key, key) for key in DELAYS), ("date", "date")])
    date = forms.DateField(required=False)
    session = forms.CharField(required=False, max_length=500)

    def clean(self) -> dict[str, object]:
        told = super().clean() or {}
        if told.get("action") == SkillAction.SNOOZE:
            until = self._until()
            if until is None:
                self.add_error("date", "Choose a day that is still to come.")
            told["until"] = until
        return told

    def wish(self) -> Wish:
        """Return what was posted, of an invalid form what can be kept."""
        told = getattr(self, "cleaned_data", {})
        return Wish(
            action=told.get("action", ""),
            content_hash=told.get("content_hash", ""),
            note=told.get("note", "") or str(self.data.get("note", ""))[:NOTE_LIMIT],
            until=told.get("until"),
            targets=tuple(_list(self.data, "target")),
            overwrite=dict(_pair(value) for value in _list(self.data, "overwrite")),
            session=told.get("session", ""),
        )

    def complaint(self) -> str:
        return " ".join(str(error) for errors in self.errors.values() for error in errors)

    def _until(self) -> datetime | None:
        """Return the beginning of the day on which a skill comes back, in local time."""
        today, delay = timezone.localdate(), self.cleaned_data.get("delay") or "week"
        wanted = today + timedelta(days=DELAYS[delay][1]) if delay in DELAYS else self.cleaned_data.get("date")
        if wanted is None or wanted <= today or wanted > today + timedelta(days=3660):
            return None
        return timezone.make_aware(datetime.combine(wanted, time()))


def ticked(data: QueryDict) -> dict[int, str]:
    """Return the skills that are ticked in a list, each with the content hash that was listed."""
    pairs = (value.partition(":") for value in data.getlist("pk"))
    return {int(pk): content for pk, _, content in pairs if pk.isascii() and pk.isdigit() and len(pk) < 19}


def _list(data: object, name: str) -> list[str]:
    return data.getlist(name) if isinstance(data, QueryDict) else []


def _pair(value: str) -> tuple[str, str]:
    """Split `hash target`; a hash holds no space."""
    content, _, target = value.partition(" ")
    return target, content
