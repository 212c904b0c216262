"""What a person says about a project."""

from __future__ import annotations

from django import forms

from memory.projects import names


class ProjectForm(forms.Form):
    """A directory that becomes a project, and its name where another one than the directory's is wanted."""

    path = forms.CharField(max_length=4096, error_messages={"required": "A project needs the path of its directory."})
    name = forms.CharField(required=False, max_length=names.LONGEST)
