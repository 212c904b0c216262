"""What came in from elsewhere: runs of an import, and the chunks that are known already."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class ImportState(models.TextChoices):
    PREVIEW = "preview"
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class ImportRun(models.Model):
    """One import, or its preview, with its report (contract section 2)."""

    source = models.TextField(help_text="Path, or the name of an uploaded file.")
    file = models.CharField(max_length=300, blank=True, default="", help_text="The upload, below the data directory.")
    kind = models.CharField(max_length=40, blank=True, default="")
    project_name = models.CharField(max_length=200, blank=True, default="")
    state = models.CharField(max_length=10, choices=ImportState, default=ImportState.PREVIEW)
    report = models.JSONField(blank=True, default=dict)
    error = models.TextField(blank=True, default="")
    actor_label = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=models.Q(state__in=ImportState.values), name="import_state_known")
        ]

    def __str__(self) -> str:
        return f"{self.source} ({self.state})"


class ImportedChunk(models.Model):
    """A chunk of `.engram` whose every row is here; it is not read again."""

    digest = models.CharField(max_length=64, primary_key=True, help_text="SHA-256 of its uncompressed bytes.")
    name = models.CharField(max_length=200)
    imported_at = models.DateTimeField(db_default=Now())

    def __str__(self) -> str:
        return self.name
