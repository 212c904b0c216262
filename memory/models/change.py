"""The change feed's rows."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from memory.models.project import Project


class Change(models.Model):
    """One thing that happened; `id` grows in commit order (see memory.changes)."""

    kind = models.CharField(max_length=40)
    project = models.ForeignKey(Project, models.SET_NULL, null=True, blank=True, related_name="changes")
    ref = models.CharField(max_length=700, help_text="Stable id of what changed, such as entry:12.")
    title = models.CharField(max_length=200, blank=True, default="")
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["project", "id"], name="change_project"),
            models.Index(fields=["at", "project", "kind"], name="change_batch"),
        ]

    def __str__(self) -> str:
        return f"{self.id} {self.kind} {self.ref}"


class Marker(models.Model):
    """A named number that outlives the rows it speaks of, such as how far the feed was trimmed."""

    name = models.CharField(max_length=80, primary_key=True)
    value = models.BigIntegerField(default=0)
    updated_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return f"{self.name} = {self.value}"
