"""Signing in with a name and a password."""

from __future__ import annotations

from typing import Any

from django.contrib.auth.forms import AuthenticationForm


class SignInForm(AuthenticationForm):
    """Django's form, which takes the same time for a wrong name as for a wrong password, in the dock's clothes."""

    error_messages = {
        "invalid_login": "There is nobody with this name and password. Mind capital letters.",
        "inactive": "This account was switched off.",
    }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["username"].label = "Name"
        for field in self.fields.values():
            field.widget.attrs["class"] = "input"
