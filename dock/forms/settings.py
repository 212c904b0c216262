"""What a person wants of settings, tokens and lists of settings."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import Any

from django import forms

from memory.api import tokens
from memory.configuration import keys, values
from memory.configuration.keys import Scalar
from memory.configuration.values import InvalidValue
from memory.models.token import Scope


class SettingsForm(forms.Form):
    """Values by their keys, each parsed as its key wants; `seen` is the stamp of when they were shown.

    A switch that is not sent is off, as browsers do it; of other keys only those that are sent are wanted. A secret that
    is left empty stays what it is: it is not shown, so nobody can send it back.
    """

    seen = forms.CharField(required=False, max_length=40)

    def __init__(self, data: Mapping[str, Any], *, wanted: Collection[str]) -> None:
        super().__init__(data)
        self._keys = [key for key in wanted if _is_sent(key, data)]
        for key in self._keys:
            self.fields[key] = forms.CharField(required=False, strip=False)

    def clean(self) -> dict[str, Any]:
        for key in self._keys:
            try:
                self.cleaned_data[key] = values.parse(key, self.sent(key))
            except InvalidValue as exc:
                self.add_error(key, str(exc))
        return self.cleaned_data

    def sent(self, key: str) -> str:
        """Return what was sent for a key, as it was typed."""
        text = str(self.data.get(key, ""))
        return text or ("false" if isinstance(keys.defaults().get(key), bool) else "")

    def wanted(self) -> dict[str, Scalar | None]:
        return {key: self.cleaned_data[key] for key in self._keys}

    def error(self, key: str) -> str:
        found = self.errors.get(key)
        return str(found[0]) if found else ""


def _is_sent(key: str, data: Mapping[str, Any]) -> bool:
    if keys.is_secret(key):
        return bool(data.get(key))
    return key in data or isinstance(keys.defaults().get(key), bool)


class TokenForm(forms.Form):
    """A token to be made."""

    name = forms.CharField(
        max_length=tokens.LONGEST_NAME, error_messages={"required": "A token needs a name: who uses it."}
    )
    scope = forms.ChoiceField(choices=Scope.choices, error_messages={"required": "Choose what the token may do."})

    def wanted(self) -> tuple[str, Scope]:
        return self.cleaned_data["name"], Scope(self.cleaned_data["scope"])


class TryForm(forms.Form):
    """Whose summarizer is tried."""

    platform = forms.ChoiceField(choices=[(name, name) for name in keys.PLATFORMS])


class KeyFilter(forms.Form):
    """Which keys of the configuration are listed; values that cannot be one are left out."""

    q = forms.CharField(required=False, max_length=200)
    only = forms.ChoiceField(required=False, choices=[("changed", "changed"), ("memdock", "memdock")])

    def criteria(self) -> tuple[str, str]:
        self.is_valid()
        return self.cleaned_data.get("q", ""), self.cleaned_data.get("only", "")
