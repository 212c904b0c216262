"""Runs of upkeep (MemSearch's maintenance), and documents that wait for a person's approval."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project


class UpkeepTask(models.TextChoices):
    PROJECT_REVIEW = "project_review"
    USER_PROFILE = "user_profile"
    MEMORY_TO_SKILL = "memory_to_skill"


class UpkeepState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class UpkeepRun(models.Model):
    """One run of one task over one project's journals."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="upkeep_runs")
    platform = models.CharField(max_length=40, help_text="Whose configuration and state it used.")
    task = models.CharField(max_length=20, choices=UpkeepTask)
    trigger = models.CharField(max_length=20, help_text="timer, session end, or who asked for it.")
    is_dry_run = models.BooleanField(default=False)
    is_forced = models.BooleanField(default=False)
    state = models.CharField(max_length=8, choices=UpkeepState, default=UpkeepState.QUEUED)
    action = models.CharField(
        max_length=12, blank=True, default="", help_text="none, replace, distilled, waiting, skip, locked or error."
    )
    reason = models.TextField(blank=True, default="")
    error = models.TextField(blank=True, default="")
    input_digest = models.CharField(max_length=80, blank=True, default="")
    output_path = models.TextField(blank=True, default="")
    before = models.TextField(blank=True, default="", help_text="The document as the model saw it.")
    after = models.TextField(blank=True, default="", help_text="The document that it wrote or would write.")
    skills = models.JSONField(blank=True, default=list, help_text="[{slug, outcome}] of memory to skill.")
    provider = models.CharField(max_length=100, blank=True, default="")
    model = models.CharField(max_length=200, blank=True, default="")
    input_tokens = models.IntegerField(default=0)
    output_tokens = models.IntegerField(default=0)
    cost_usd = models.DecimalField(max_digits=12, decimal_places=6, null=True, blank=True)
    duration_ms = models.IntegerField(null=True, blank=True)
    actor_label = models.CharField(max_length=200, blank=True, default="")
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(task__in=UpkeepTask.values), name="upkeep_task_known"),
            models.CheckConstraint(condition=Q(state__in=UpkeepState.values), name="upkeep_state_known"),
            models.UniqueConstraint(
                fields=["project", "task"], condition=Q(state="running"), name="upkeep_one_at_a_time"
            ),
        ]
        indexes = [
            models.Index(fields=["state", "id"], name="upkeep_due"),
            models.Index(fields=["project", "task", "-id"], name="upkeep_newest"),
            models.Index(fields=["-id"], name="upkeep_all_newest"),
        ]

    def __str__(self) -> str:
        return f"{self.task} of {self.project_id} ({self.state})"


class ProposalState(models.TextChoices):
    WAITING = "waiting"
    APPLIED = "applied"
    REFUSED = "refused"
    STALE = "stale", "the file changed meanwhile"


class DocumentProposal(models.Model):
    """A new PROJECT.md or USER.md that waits until a person lets it in."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="document_proposals")
    name = models.CharField(max_length=40, help_text="PROJECT.md or USER.md.")
    run = models.OneToOneField(UpkeepRun, models.CASCADE, related_name="proposal")
    path = models.TextField(help_text="The file that it would replace.")
    base_hash = models.CharField(max_length=64, blank=True, default="", help_text="SHA-256 of the file it was made on.")
    text = models.TextField()
    state = models.CharField(max_length=8, choices=ProposalState, default=ProposalState.WAITING)
    note = models.TextField(blank=True, default="")
    decided_by = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    decided_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=ProposalState.values), name="proposal_state_known"),
            models.UniqueConstraint(
                fields=["project", "name"], condition=Q(state="waiting"), name="proposal_one_waiting"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.name} of {self.project_id} ({self.state})"
