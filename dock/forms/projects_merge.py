"""Which project's name becomes one of another project."""

from __future__ import annotations

from django import forms


class PairForm(forms.Form):
    """Two names as they were typed; whether they are projects is decided where they are looked up."""

    source = forms.CharField(required=False, max_length=500)
    target = forms.CharField(required=False, max_length=500)

    def names(self) -> tuple[str, str]:
        self.is_valid()
        found = self.cleaned_data
        return found.get("source", ""), found.get("target", "")
