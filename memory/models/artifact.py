"""Files and images that agents handed over, and the bytes behind them, which are kept once."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project
from memory.models.session import Session


class Blob(models.Model):
    """Bytes on the artifact storage, named by what they are."""

    digest = models.CharField(max_length=71, unique=True, help_text="sha256:<64 hex digits>")
    byte_length = models.BigIntegerField()
    created_at = models.DateTimeField(db_default=Now())
    unreferenced_at = models.DateTimeField(null=True, blank=True, help_text="Since when nothing needs it.")

    class Meta:
        constraints = [models.CheckConstraint(condition=Q(byte_length__gte=0), name="blob_size_known")]
        indexes = [
            models.Index(fields=["unreferenced_at"], condition=Q(unreferenced_at__isnull=False), name="blob_garbage")
        ]

    def __str__(self) -> str:
        return self.digest


class ArtifactRole(models.TextChoices):
    SOURCE = "source"
    ATTACHMENT = "attachment"
    REFERENCE = "reference"


class ArtifactState(models.TextChoices):
    MANAGED = "managed"
    INDEXED = "indexed"


class ArtifactOrigin(models.TextChoices):
    WORKSPACE_FILE = "workspace-file"
    IMAGE_ATTACHMENT = "image-attachment"


class Artifact(models.Model):
    """One file or image of a workspace in one content; the same content from the same place is the same artifact."""

    key = models.CharField(max_length=64, unique=True, help_text="SHA-256 of scope, origin, native id and digest.")
    scope = models.TextField()
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="artifacts")
    session = models.ForeignKey(Session, models.SET_NULL, null=True, blank=True, related_name="artifacts")
    origin = models.CharField(max_length=20, choices=ArtifactOrigin)
    native_id = models.TextField(help_text="The path that was asked for, or the attachment's id.")
    role = models.CharField(max_length=12, choices=ArtifactRole, default=ArtifactRole.ATTACHMENT)
    state = models.CharField(max_length=8, choices=ArtifactState, default=ArtifactState.MANAGED)
    media_type = models.CharField(max_length=200, default="application/octet-stream")
    name = models.CharField(max_length=400, blank=True, default="")
    blob = models.ForeignKey(Blob, models.PROTECT, null=True, blank=True, related_name="artifacts")
    locator = models.TextField(blank=True, default="", help_text="Where an indexed one is; holds no credentials.")
    metadata = models.JSONField(blank=True, default=dict)
    created_at = models.DateTimeField(db_default=Now())
    seen_at = models.DateTimeField(help_text="When it was handed over last.")
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(role__in=ArtifactRole.values), name="artifact_role_known"),
            models.CheckConstraint(condition=Q(origin__in=ArtifactOrigin.values), name="artifact_origin_known"),
            models.CheckConstraint(
                condition=Q(state="managed", blob__isnull=False) | Q(state="indexed") & ~Q(locator=""),
                name="artifact_is_somewhere",
            ),
        ]
        indexes = [
            models.Index(fields=["project", "-created_at", "-id"], name="artifact_project_newest"),
            models.Index(fields=["-created_at", "-id"], name="artifact_newest"),
        ]

    def __str__(self) -> str:
        return self.name or self.native_id
