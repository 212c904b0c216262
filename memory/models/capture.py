"""Captures: finished turns on their way into the journal, and what agents were told in return."""

from __future__ import annotations

from datetime import datetime

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.journal import Entry
from memory.models.project import Project
from memory.models.session import Session


class PendingEvent(models.Model):
    """An event of a turn that has not ended yet; it goes in the transaction that makes the turn's capture."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="pending_events")
    seq = models.BigIntegerField(help_text="The agent's own number, or the place in which it came.")
    key = models.CharField(
        max_length=200, blank=True, default="", help_text="What makes it the same, where no seq does."
    )
    data = models.JSONField(help_text="The event, private blocks taken out, large outputs cut.")
    received_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "seq"], name="pending_event_once"),
            models.UniqueConstraint(fields=["session", "key"], condition=~Q(key=""), name="pending_event_key_once"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} #{self.seq}"


class CaptureState(models.TextChoices):
    QUEUED = "queued"
    SUMMARISING = "summarising"
    WRITTEN = "written"
    UNAVAILABLE = "unavailable"
    SKIPPED = "skipped"


class CaptureQuerySet(models.QuerySet["Capture"]):
    def due(self, now: datetime) -> CaptureQuerySet:
        return self.filter(state=CaptureState.QUEUED, next_attempt_at__lte=now)

    def newest_first(self) -> CaptureQuerySet:
        return self.order_by("-occurred_at", "-pk")


class Capture(models.Model):
    """One turn, durable from the moment its delivery was answered; the outbox row of its journal entry."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="captures")
    session = models.ForeignKey(Session, models.CASCADE, related_name="captures")
    platform = models.CharField(max_length=40)
    turn = models.CharField(max_length=300)
    version = models.IntegerField(default=1, help_text="Grows when a better summary of the same turn is written.")
    state = models.CharField(max_length=12, choices=CaptureState, default=CaptureState.QUEUED)
    reason = models.TextField(blank=True, default="", help_text="Why it is skipped, unavailable or tried again.")
    question = models.TextField(blank=True, default="", help_text="What the person asked.")
    rendered = models.TextField(blank=True, default="", help_text="The turn as the summarizer reads it, bounded.")
    anchor_kind = models.CharField(max_length=12, blank=True, default="")
    anchor_turn = models.CharField(
        max_length=300, blank=True, default="", help_text="The turn as the journal names it, where that differs."
    )
    anchor_path = models.TextField(blank=True, default="")
    is_in_transcript = models.BooleanField(default=False, help_text="The whole turn is read from the transcript.")
    occurred_at = models.DateTimeField(help_text="When the turn ended.")
    is_backfilled = models.BooleanField(
        default=False, help_text="Read from an agent's store later; live turns go first."
    )
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    claimed_at = models.DateTimeField(null=True, blank=True)
    claimed_by = models.CharField(max_length=100, blank=True, default="")
    summary = models.TextField(blank=True, default="")
    summarizer = models.CharField(max_length=100, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    input_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    duration_ms = models.IntegerField(null=True, blank=True)
    entry = models.ForeignKey(Entry, models.SET_NULL, null=True, blank=True, related_name="captures")
    created_at = models.DateTimeField(db_default=Now())
    written_at = models.DateTimeField(null=True, blank=True)

    objects = CaptureQuerySet.as_manager()

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session", "turn"], name="capture_once_a_turn"),
            models.CheckConstraint(condition=Q(state__in=CaptureState.values), name="capture_state_known"),
            # Two workers may claim at the same moment: captures of one project never overlap.
            models.UniqueConstraint(
                fields=["project"], condition=Q(state=CaptureState.SUMMARISING), name="capture_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "is_backfilled", "next_attempt_at"], name="capture_due"),
            models.Index(fields=["project", "-occurred_at", "-id"], name="capture_project_newest"),
            models.Index(fields=["-occurred_at", "-id"], name="capture_newest"),
            models.Index(fields=["written_at"], name="capture_written"),
            models.Index(fields=["project", "state"], name="capture_project_state"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} turn {self.turn} ({self.state})"


class Injection(models.Model):
    """What an agent was told before a step, and why; also when it was told nothing."""

    session = models.ForeignKey(Session, models.CASCADE, related_name="injections")
    query = models.TextField(blank=True, default="")
    text = models.TextField(blank=True, default="")
    hits = models.JSONField(blank=True, default=list, help_text="[{ref, title, relevance}]")
    reason = models.CharField(max_length=300, blank=True, default="", help_text="Why nothing was told.")
    took_ms = models.FloatField(default=0)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [
            models.Index(fields=["session", "-at"], name="injection_newest"),
            models.Index(fields=["at"], name="injection_told"),
        ]

    def __str__(self) -> str:
        return f"{self.session_id} at {self.at}"


class InboxMessage(models.Model):
    """What a person wants an agent to read at its next turn."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="inbox_messages")
    session = models.ForeignKey(Session, models.CASCADE, null=True, blank=True, related_name="inbox_messages")
    text = models.TextField()
    about = models.CharField(max_length=700, blank=True, default="", help_text="The ref that it speaks of.")
    actor_label = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())
    delivered_at = models.DateTimeField(null=True, blank=True)
    acknowledged_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        indexes = [models.Index(fields=["project", "acknowledged_at", "id"], name="inbox_waiting")]

    def __str__(self) -> str:
        return f"to {self.session_id or self.project_id}: {self.text[:60]}"


class Setting(models.Model):
    """A setting that a person chose in MemDock, for one project or for all; it wins over MemSearch's files."""

    project = models.ForeignKey(Project, models.CASCADE, null=True, blank=True, related_name="settings")
    key = models.CharField(max_length=120)
    value = models.JSONField()
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "key"], name="setting_once_a_project"),
            models.UniqueConstraint(fields=["key"], condition=Q(project=None), name="setting_once_for_all"),
        ]

    def __str__(self) -> str:
        return self.key
