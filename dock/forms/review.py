"""Where in the list of what is due somebody is."""

from __future__ import annotations

from django import forms


class ReviewFilter(forms.Form):
    """The page of the list; a value that cannot be one is left out."""

    cursor = forms.CharField(required=False, max_length=500)

    def place(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("cursor", ""))
