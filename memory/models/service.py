"""What the memory service keeps: how far consumers are, which updates were done, how plugins do."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class SubscriptionCursor(models.Model):
    """How far one consumer has followed one plugin; written only after what lies before it was handled."""

    key = models.CharField(max_length=64, unique=True, help_text="SHA-256 of the four names; they may be long.")
    consumer_id = models.CharField(max_length=200)
    subscription_key = models.CharField(max_length=200)
    scope = models.TextField()
    plugin_id = models.CharField(max_length=200)
    cursor = models.TextField(blank=True, default="", help_text="Empty before the first boundary was saved.")
    lease_owner = models.CharField(max_length=100, blank=True, default="", help_text="The process that follows now.")
    lease_until = models.DateTimeField(null=True, blank=True)
    failures = models.IntegerField(default=0, help_text="In a row, since the last change that was handled.")
    last_error = models.TextField(blank=True, default="")
    last_error_at = models.DateTimeField(null=True, blank=True)
    is_stopped = models.BooleanField(default=False, help_text="It does not go on by itself after the last error.")
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["consumer_id", "plugin_id"], name="subscription_consumer")]

    def __str__(self) -> str:
        return f"{self.consumer_id} on {self.plugin_id}"


class UpdateReceipt(models.Model):
    """An update with a `requestId`, and what each plugin answered: whatever succeeded is not done again."""

    key = models.CharField(max_length=64, unique=True, help_text="SHA-256 of source, scope and request id.")
    digest = models.CharField(max_length=64, help_text="SHA-256 of what was sent.")
    outcomes = models.JSONField(blank=True, default=dict, help_text="{plugin: value} of those that succeeded.")
    claimed_by = models.CharField(max_length=100, blank=True, default="")
    claimed_until = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        indexes = [models.Index(fields=["created_at"], name="receipt_oldest")]

    def __str__(self) -> str:
        return self.key


class PluginHealth(models.Model):
    """How a memory plugin has done lately, over all processes."""

    plugin_id = models.CharField(max_length=200, unique=True)
    calls = models.BigIntegerField(default=0)
    failures = models.BigIntegerField(default=0)
    latency_ms = models.FloatField(null=True, blank=True, help_text="Of the last calls, on average.")
    last_call_at = models.DateTimeField(null=True, blank=True)
    last_error = models.TextField(blank=True, default="")
    last_error_code = models.CharField(max_length=20, blank=True, default="")
    last_error_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        verbose_name_plural = "plugin health"

    def __str__(self) -> str:
        return self.plugin_id


class LoopState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class LoopUpdate(models.Model):
    """One observation of an agent's loop on its way to the plugins: durable when it was taken, in order a session."""

    session_key = models.CharField(max_length=500)
    key = models.CharField(max_length=64, help_text="SHA-256 of what makes it the same; a replay changes nothing.")
    point = models.CharField(max_length=40)
    meta = models.JSONField()
    data = models.JSONField(help_text="Private blocks taken out.")
    state = models.CharField(max_length=8, choices=LoopState, default=LoopState.QUEUED)
    attempts = models.IntegerField(default=0)
    next_attempt_at = models.DateTimeField()
    claimed_by = models.CharField(max_length=100, blank=True, default="")
    claimed_at = models.DateTimeField(null=True, blank=True)
    outcomes = models.JSONField(blank=True, default=list)
    error = models.TextField(blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())
    done_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["session_key", "key"], name="loop_update_once"),
            models.CheckConstraint(condition=models.Q(state__in=LoopState.values), name="loop_state_known"),
            # One serial queue a session: two workers never deliver for one at the same time.
            models.UniqueConstraint(
                fields=["session_key"], condition=models.Q(state="running"), name="loop_update_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "next_attempt_at", "id"], name="loop_update_due"),
            models.Index(fields=["session_key", "id"], name="loop_update_session"),
        ]

    def __str__(self) -> str:
        return f"{self.point} of {self.session_key} ({self.state})"
