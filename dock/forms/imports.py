"""What is to be imported: an uploaded file, or a path on the machine that MemDock runs on; and which part of it."""

from __future__ import annotations

from typing import Any, BinaryIO, cast

from django import forms
from django.core.files.uploadedfile import UploadedFile

from memory.capture.backfill.filters import Filters
from memory.projects import names


class ImportForm(forms.Form):
    """One of the two, and the project that everything goes to, where that is not what the source says."""

    file = forms.FileField(
        required=False,
        max_length=300,
        error_messages={"empty": "This file is empty.", "max_length": "Its name is too long."},
    )
    path = forms.CharField(required=False, max_length=4096)
    project = forms.CharField(required=False, max_length=names.LONGEST)

    def clean(self) -> dict[str, Any]:
        found = self.cleaned_data
        if self.errors:
            return found
        if bool(found["file"]) == bool(found["path"]):
            raise forms.ValidationError("Choose a file or name a path, one of the two.")
        return found

    def source(self) -> tuple[str | BinaryIO, str]:
        """Return what to read, and the name under which it is shown."""
        upload: UploadedFile[Any] | None = self.cleaned_data["file"]
        if upload is None:
            return self.cleaned_data["path"], ""
        return cast("BinaryIO", upload), upload.name or "upload"


class PartForm(forms.Form):
    """Which of an agent's conversations are meant: those of a project, from one day to another."""

    project = forms.CharField(required=False, max_length=names.LONGEST)
    since = forms.DateField(required=False, input_formats=["%Y-%m-%d"])
    until = forms.DateField(required=False, input_formats=["%Y-%m-%d"])

    def clean(self) -> dict[str, Any]:
        since, until = self.cleaned_data.get("since"), self.cleaned_data.get("until")
        if since and until and since > until:
            raise forms.ValidationError("The first day comes after the last one.")
        return self.cleaned_data

    def filters(self) -> Filters:
        """Return the days; the project is told apart."""
        return Filters(since=self.cleaned_data["since"], until=self.cleaned_data["until"])


class RunFilter(forms.Form):
    """The page of the list; a value that cannot be one is left out."""

    cursor = forms.CharField(required=False, max_length=500)

    def place(self) -> str:
        self.is_valid()
        return str(self.cleaned_data.get("cursor", ""))
