"""Observations: memories saved one by one, in Engram's sense, with what they said before and how they relate."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project
from memory.models.session import Session


class Scope(models.TextChoices):
    PROJECT = "project"
    PERSONAL = "personal"
    GLOBAL = "global"


class ObservationQuerySet(models.QuerySet["Observation"]):
    def live(self) -> ObservationQuerySet:
        return self.filter(deleted_at=None)

    def deleted(self) -> ObservationQuerySet:
        return self.exclude(deleted_at=None)

    def due(self, now: datetime) -> ObservationQuerySet:
        return self.live().filter(review_after__lte=now)

    def newest_first(self) -> ObservationQuerySet:
        return self.order_by("-created_at", "-pk")


class Observation(models.Model):
    """One saved memory: a decision, a bug and its cause, a preference, a summary, …"""

    sync_id = models.CharField(max_length=100, unique=True, help_text="The same on every machine.")
    session = models.ForeignKey(Session, models.RESTRICT, related_name="observations")
    project = models.ForeignKey(Project, models.CASCADE, related_name="observations")
    project_label = models.CharField(
        max_length=500, blank=True, default="", help_text="The project as it was spelled, where that differs."
    )
    type = models.CharField(max_length=100)
    title = models.TextField(blank=True, default="")
    content = models.TextField(blank=True, default="")
    full_size = models.IntegerField(null=True, blank=True, help_text="Bytes of the whole text, where it was cut.")
    tool_name = models.CharField(max_length=300, blank=True, default="")
    scope = models.CharField(max_length=12, choices=Scope, default=Scope.PROJECT)
    topic_key = models.CharField(max_length=160, blank=True, default="")
    normalized_hash = models.CharField(max_length=64)
    operation_id = models.CharField(
        max_length=200, blank=True, default="", help_text="The writer's own id of the save."
    )
    operation_hash = models.CharField(max_length=64, blank=True, default="")
    revision_count = models.IntegerField(default=1)
    duplicate_count = models.IntegerField(default=1)
    is_pinned = models.BooleanField(default=False)
    review_after = models.DateTimeField(null=True, blank=True)
    last_seen_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())
    deleted_at = models.DateTimeField(null=True, blank=True)
    merged_into = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="merged")

    objects = ObservationQuerySet.as_manager()

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(scope__in=Scope.values), name="observation_scope_known"),
            models.CheckConstraint(condition=Q(revision_count__gte=1), name="observation_revision_from_one"),
            models.UniqueConstraint(
                fields=["operation_id"], condition=~Q(operation_id=""), name="observation_once_an_operation"
            ),
        ]
        indexes = [
            models.Index(fields=["-created_at", "-id"], name="observation_newest"),
            models.Index(fields=["project", "-created_at", "-id"], name="observation_project_newest"),
            models.Index(fields=["session", "id"], name="observation_session"),
            models.Index(fields=["project", "topic_key"], condition=~Q(topic_key=""), name="observation_topic"),
            models.Index(fields=["project", "normalized_hash", "type", "scope", "deleted_at"], name="observation_hash"),
            # Counts by type and scope are read from these alone; of 100,000 memories that takes 20 to 50 ms, not 300.
            models.Index(
                fields=["project", "type", "scope", "deleted_at", "is_pinned", "review_after"],
                name="observation_counts",
            ),
            models.Index(
                fields=["-deleted_at", "-id"], condition=Q(deleted_at__isnull=False), name="observation_trash"
            ),
            models.Index(fields=["project", "-created_at"], condition=Q(is_pinned=True), name="observation_pinned"),
            models.Index(fields=["review_after"], condition=Q(review_after__isnull=False), name="observation_due"),
        ]

    def __str__(self) -> str:
        return f"{self.pk} [{self.type}] {self.title}"

    def needs_review(self, now: datetime) -> bool:
        """Tell whether its review date has come; virtual, as Engram's `needs_review`."""
        return self.review_after is not None and self.review_after <= now


class ObservationVersion(models.Model):
    """What an observation said before it was changed."""

    observation = models.ForeignKey(Observation, models.CASCADE, related_name="versions")
    number = models.IntegerField(help_text="From 1, the oldest.")
    type = models.CharField(max_length=100)
    title = models.TextField(blank=True, default="")
    content = models.TextField(blank=True, default="")
    scope = models.CharField(max_length=12, choices=Scope, default=Scope.PROJECT)
    topic_key = models.CharField(max_length=160, blank=True, default="")
    replaced_by = models.CharField(max_length=200, blank=True, default="", help_text="Who made the version after it.")
    created_at = models.DateTimeField(help_text="Since when it said so.")
    replaced_at = models.DateTimeField()

    class Meta:
        constraints = [models.UniqueConstraint(fields=["observation", "number"], name="observation_version_once")]

    def __str__(self) -> str:
        return f"{self.observation_id} version {self.number}"


class Verb(models.TextChoices):
    """How one memory relates to another; `pending` until somebody has judged."""

    PENDING = "pending"
    RELATED = "related"
    COMPATIBLE = "compatible"
    SCOPED = "scoped"
    CONFLICTS_WITH = "conflicts_with"
    SUPERSEDES = "supersedes"
    NOT_CONFLICT = "not_conflict"


class Judgment(models.TextChoices):
    PENDING = "pending"
    JUDGED = "judged"
    ORPHANED = "orphaned"
    IGNORED = "ignored"


class Relation(models.Model):
    """What was found or judged about two observations; an end that is not here yet is known by its sync id."""

    sync_id = models.CharField(max_length=100, unique=True, help_text="Also the judgment's id.")
    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="relations")
    source_sync_id = models.CharField(max_length=100)
    target_sync_id = models.CharField(max_length=100)
    source = models.ForeignKey(Observation, models.SET_NULL, null=True, blank=True, related_name="relations_from")
    target = models.ForeignKey(Observation, models.SET_NULL, null=True, blank=True, related_name="relations_to")
    relation = models.CharField(max_length=20, choices=Verb, default=Verb.PENDING)
    judgment_status = models.CharField(max_length=10, choices=Judgment, default=Judgment.PENDING)
    reason = models.TextField(blank=True, default="")
    evidence = models.TextField(blank=True, default="")
    confidence = models.FloatField(null=True, blank=True)
    marked_by_actor = models.CharField(max_length=200, blank=True, default="")
    marked_by_kind = models.CharField(max_length=40, blank=True, default="")
    marked_by_model = models.CharField(max_length=200, blank=True, default="")
    session_key = models.CharField(max_length=500, blank=True, default="")
    superseded_at = models.DateTimeField(null=True, blank=True)
    superseded_by = models.CharField(max_length=100, blank=True, default="", help_text="Sync id of another relation.")
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(relation__in=Verb.values), name="relation_verb_known"),
            models.CheckConstraint(condition=Q(judgment_status__in=Judgment.values), name="relation_judgment_known"),
            models.CheckConstraint(
                condition=Q(confidence=None) | Q(confidence__gte=0, confidence__lte=1), name="relation_confidence"
            ),
        ]
        indexes = [
            models.Index(fields=["source_sync_id"], name="relation_source"),
            models.Index(fields=["target_sync_id"], name="relation_target"),
            models.Index(fields=["project", "judgment_status", "-id"], name="relation_project"),
            models.Index(fields=["judgment_status", "-id"], name="relation_status"),
        ]

    def __str__(self) -> str:
        return f"{self.source_sync_id} {self.relation} {self.target_sync_id}"
