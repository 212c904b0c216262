"""PROJECT.md and USER.md, and every content that was seen: MemSearch replaces them without history."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from memory.models.project import Project


class Document(models.Model):
    """A whole-file memory of a project."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="documents")
    name = models.CharField(max_length=40, help_text="PROJECT.md or USER.md.")
    text = models.TextField(blank=True, default="")
    content_hash = models.CharField(max_length=64)
    size = models.BigIntegerField()
    modified_at = models.DateTimeField()
    problems = models.JSONField(blank=True, default=list)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["project", "name"], name="document_once_a_project")]

    def __str__(self) -> str:
        return self.name


class DocumentRevision(models.Model):
    """One content of a document that was on disk."""

    document = models.ForeignKey(Document, models.CASCADE, related_name="revisions")
    number = models.IntegerField()
    content_hash = models.CharField(max_length=64)
    text = models.TextField(blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["document", "number"], name="document_revision_once")]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.document_id}"
