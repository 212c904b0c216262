"""What is asked about PROJECT.md and USER.md."""

from __future__ import annotations

from django.db.models import QuerySet

from memory.models import Document, Project


def documents(project: Project | None = None) -> QuerySet[Document]:
    """Return documents with their project, by project and name."""
    rows = Document.objects.select_related("project").defer("project__problems").order_by("project__name", "name")
    return rows.filter(project=project) if project else rows


def find(project: Project, name: str) -> Document | None:
    """Return one document of a project. One query."""
    return None if "\0" in name else documents(project).filter(name=name).first()
