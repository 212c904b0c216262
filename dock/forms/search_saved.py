"""The name of a saved search."""

from __future__ import annotations

from django import forms


class NameForm(forms.Form):
    """What somebody typed; whether it can be a name is decided where it is saved."""

    name = forms.CharField(required=False)

    def typed(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("name", ""))
