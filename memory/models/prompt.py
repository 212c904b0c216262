"""What people asked their agents, and the traces of what was deleted for good."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project
from memory.models.session import Session


class Prompt(models.Model):
    """One request of a person."""

    sync_id = models.CharField(max_length=100, unique=True)
    session = models.ForeignKey(Session, models.CASCADE, related_name="prompts")
    project = models.ForeignKey(Project, models.CASCADE, related_name="prompts")
    project_label = models.CharField(
        max_length=500, blank=True, default="", help_text="The project as it was spelled, where that differs."
    )
    content = models.TextField()
    full_size = models.IntegerField(null=True, blank=True, help_text="Bytes of the whole text, where it was cut.")
    source_inbox_id = models.CharField(max_length=300, blank=True, default="", help_text="The client's own id of it.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(
                fields=["session", "source_inbox_id"], condition=~Q(source_inbox_id=""), name="prompt_once_an_inbox_id"
            )
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="prompt_newest"),
            models.Index(fields=["project", "-created_at", "-id"], name="prompt_project_newest"),
            models.Index(fields=["session", "-created_at", "-id"], name="prompt_session_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} {self.content[:60]}"


class TombstoneKind(models.TextChoices):
    SESSION = "session"
    OBSERVATION = "observation"
    PROMPT = "prompt"


class Tombstone(models.Model):
    """What was deleted for good: its id only, so that an older copy of it does not come back by an import."""

    kind = models.CharField(max_length=12, choices=TombstoneKind)
    key = models.CharField(max_length=500, help_text="Sync id, or the session's id.")
    session_key = models.CharField(max_length=500, blank=True, default="")
    project_name = models.CharField(max_length=500, blank=True, default="")
    source_inbox_id = models.CharField(max_length=300, blank=True, default="")
    deleted_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["kind", "key"], name="tombstone_once")]
        indexes = [models.Index(fields=["kind", "session_key", "source_inbox_id"], name="tombstone_inbox")]

    def __str__(self) -> str:
        return f"{self.kind} {self.key}"
