"""Sessions: one conversation of an agent each."""

from __future__ import annotations

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project

LEASE = timedelta(minutes=30)
"""How long after its last sign of life a session counts as live (Engram's lease)."""


class SessionState(models.TextChoices):
    LIVE = "live"
    ENDED = "ended"
    OPEN = "no recorded end"


class Ownership(models.TextChoices):
    """Whether writers of other projects may use a session (Engram's ownership modes)."""

    SHARED = "shared"
    PROJECT_OWNED = "project_owned"


class SessionQuerySet(models.QuerySet["Session"]):
    def live(self, now: datetime) -> SessionQuerySet:
        return self.filter(ended_at=None, last_seen_at__gt=now - LEASE)

    def ended(self) -> SessionQuerySet:
        return self.exclude(ended_at=None)

    def without_end(self, now: datetime) -> SessionQuerySet:
        return self.filter(Q(last_seen_at=None) | Q(last_seen_at__lte=now - LEASE), ended_at=None)

    def registered(self) -> SessionQuerySet:
        """Those that Engram's wire speaks of: not the ones known from journals alone."""
        return self.filter(is_derived=False)

    def newest_first(self) -> SessionQuerySet:
        return self.order_by("-last_activity_at", "-pk")


class Session(models.Model):
    """A conversation; `key` is the agent's own id wherever that is free."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="sessions")
    key = models.CharField(max_length=500, unique=True)
    external_id = models.CharField(max_length=500, help_text="The agent's own id.")
    platform = models.CharField(max_length=40, blank=True, default="")
    directory = models.TextField(blank=True, default="")
    title = models.CharField(max_length=200, blank=True, default="")
    summary = models.TextField(blank=True, default="")
    started_at = models.DateTimeField()
    last_activity_at = models.DateTimeField()
    last_seen_at = models.DateTimeField(null=True, blank=True, help_text="Last sign of life, renews the lease.")
    ended_at = models.DateTimeField(null=True, blank=True)
    is_derived = models.BooleanField(
        default=False, help_text="Known from journal anchors only: goes when its last entry goes."
    )
    ownership_mode = models.CharField(max_length=14, choices=Ownership, default=Ownership.SHARED)
    capture_seq = models.BigIntegerField(default=0, help_text="The next event that is expected of its agent.")
    is_stub = models.BooleanField(default=False, help_text="Its record is missing: known from imported rows only.")
    continues = models.ForeignKey("self", models.SET_NULL, null=True, blank=True, related_name="continuations")
    created_at = models.DateTimeField(db_default=Now())

    objects = SessionQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "external_id"], name="session_once_a_project"),
            models.CheckConstraint(condition=Q(ownership_mode__in=Ownership.values), name="session_ownership_known"),
        ]
        indexes = [
            models.Index(fields=["-last_activity_at", "-id"], name="session_newest"),
            models.Index(fields=["project", "-last_activity_at", "-id"], name="session_project_newest"),
            models.Index(fields=["external_id"], name="session_external"),
        ]

    def __str__(self) -> str:
        return self.key

    def state(self, now: datetime) -> SessionState:
        """Tell whether the session is alive at `now`; never guessed from a missing end alone."""
        if self.ended_at:
            return SessionState.ENDED
        if self.last_seen_at and self.last_seen_at > now - LEASE:
            return SessionState.LIVE
        return SessionState.OPEN
