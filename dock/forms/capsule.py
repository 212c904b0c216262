"""What the capsule is asked for."""

from __future__ import annotations

from dataclasses import dataclass

from django import forms

TABS = ("skills", "told", "files")


@dataclass(frozen=True, slots=True)
class Asked:
    """Whose capsule it is, and what of it is shown: a tab, one skill that is read, or what was just decided."""

    session: str = ""
    tab: str = "skills"
    read: str = ""
    done: str = ""
    is_open: bool = False
    seen: str = ""


class CapsuleForm(forms.Form):
    """The query of a capsule; a value that cannot be one is left out."""

    session = forms.CharField(required=False, max_length=500, strip=False)
    tab = forms.ChoiceField(required=False, choices=[(name, name) for name in TABS])
    read = forms.CharField(required=False, max_length=255, strip=False)
    done = forms.CharField(required=False, max_length=255, strip=False)
    open = forms.BooleanField(required=False)
    seen = forms.CharField(required=False, max_length=60)

    def asked(self) -> Asked:
        self.is_valid()
        found = self.cleaned_data
        return Asked(
            session=found.get("session", ""),
            tab=found.get("tab") or "skills",
            read=found.get("read", ""),
            done=found.get("done", ""),
            is_open=found.get("open", False),
            seen=found.get("seen", ""),
        )
