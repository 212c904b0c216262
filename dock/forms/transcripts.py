"""Which turns of a conversation are shown."""

from __future__ import annotations

from django import forms

_LARGEST = 10**9


class PlaceForm(forms.Form):
    """The number of turns before the first one that is shown."""

    skip = forms.IntegerField(required=False, min_value=0, max_value=_LARGEST)

    def place(self) -> int | None:
        """Return that number, None for the turn that the record came from."""
        self.is_valid()
        return self.cleaned_data.get("skip")
