"""What a person says about one memory: an edit, a reason, a confirmation."""

from __future__ import annotations

from typing import Any

from django import forms

from memory.engram.drafts import Draft
from memory.engram.editing import Edit
from memory.engram.text import LIMIT, cut
from memory.models.observation import Scope

LONGEST_REASON = 500

WORDS = ("type", "title", "content", "scope", "topic_key")
"""The fields of a memory that a person may change."""


class EditForm(forms.Form):
    """A memory as it is to be; `revision` is the one that the person saw."""

    type = forms.CharField(max_length=100, error_messages={"required": "A memory needs a type."})
    title = forms.CharField(error_messages={"required": "A memory needs a title."})
    content = forms.CharField(error_messages={"required": "A memory needs a text."})
    scope = forms.ChoiceField(choices=Scope.choices)
    topic_key = forms.CharField(required=False, max_length=160)
    reason = forms.CharField(required=False, max_length=LONGEST_REASON)
    revision = forms.IntegerField(min_value=1, max_value=2**31 - 1)

    def clean_content(self) -> str:
        """Undo what browsers do to line ends, and refuse what would be cut."""
        text = plain(self.cleaned_data["content"])
        size = cut(text).full_size
        if size is not None:
            raise forms.ValidationError(f"The text has {size:,} bytes; a memory holds {LIMIT:,}.")
        return text

    def edit(self, now: Draft) -> Edit | None:
        """Return what the person changed of what the memory says now; None for nothing."""
        wanted: dict[str, Any] = {
            name: self.cleaned_data[name]
            for name in WORDS
            if plain(self.cleaned_data[name]) != plain(getattr(now, name))
        }
        return Edit(**wanted) if wanted else None


class ReasonForm(forms.Form):
    """Why something is done; may be left empty."""

    reason = forms.CharField(required=False, max_length=LONGEST_REASON)

    def typed(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("reason", ""))


class MergeForm(ReasonForm):
    """Which memories become one: `into` stays, "" means the first of them."""

    into = forms.IntegerField(required=False, min_value=1, max_value=2**63 - 1)

    def kept(self) -> int | None:
        self.is_valid()
        found: int | None = self.cleaned_data.get("into")
        return found


class PurgeForm(forms.Form):
    """A reason, and the number of memories as the person typed it: nobody removes more than that."""

    reason = forms.CharField(
        max_length=LONGEST_REASON,
        error_messages={"required": "The audit trail needs a reason, for instance whose wish it was."},
    )
    count = forms.IntegerField(
        min_value=1,
        error_messages={"required": "Type how many memories are removed.", "invalid": "This is not a number."},
    )

    def __init__(self, *args: Any, expected: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._expected = expected

    def clean_count(self) -> int:
        found: int = self.cleaned_data["count"]
        if found != self._expected:
            raise forms.ValidationError(f"This would remove {self._expected:,}. Nothing was removed.")
        return found


def plain(text: str) -> str:
    """Return a text as it is compared: browsers send line ends as CRLF, and memories are saved without blanks around."""
    return text.replace("\r\n", "\n").replace("\r", "\n").strip()
