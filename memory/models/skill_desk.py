"""What people decided about skill candidates, and the copies of them that agents read."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now

from memory.models.project import Project
from memory.models.skill import SkillCandidate


class SkillAction(models.TextChoices):
    APPROVE = "approve"
    REQUEST_CHANGES = "request_changes"
    REJECT = "reject"
    SNOOZE = "snooze"
    REOPEN = "reopen"
    QUEUE_REVIEW = "queue_review"
    INSTALL = "install"
    UNINSTALL = "uninstall"
    RESTORE = "restore"


class SkillDecision(models.Model):
    """One act of a reviewer, made on one content; never changed afterwards, kept when the candidate goes."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="skill_decisions")
    slug = models.CharField(max_length=255)
    skill = models.ForeignKey(SkillCandidate, models.SET_NULL, null=True, blank=True, related_name="decisions")
    action = models.CharField(max_length=16, choices=SkillAction)
    content_hash = models.CharField(max_length=60, blank=True, default="", help_text="The content it was made on.")
    note = models.TextField(blank=True, default="")
    targets = models.JSONField(blank=True, default=list, help_text="Names of targets, for acts on copies.")
    until = models.DateTimeField(null=True, blank=True, help_text="When a snoozed candidate comes back.")
    is_override = models.BooleanField(default=False, help_text="Approved in bulk without its changes opened.")
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="+")
    actor_label = models.CharField(max_length=200)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(action__in=SkillAction.values), name="skill_action_known"),
        ]
        indexes = [models.Index(fields=["project", "slug", "-id"], name="skill_decision_newest")]

    def __str__(self) -> str:
        return f"{self.action} {self.slug}"


class SkillReading(models.Model):
    """That a person opened the changes of one content; whoever approves in bulk has to have."""

    skill = models.ForeignKey(SkillCandidate, models.CASCADE, related_name="readings")
    person = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="+")
    content_hash = models.CharField(max_length=60)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["skill", "person", "content_hash"], name="skill_reading_once"),
        ]

    def __str__(self) -> str:
        return f"{self.person_id} read {self.skill_id}"


class CopyState(models.TextChoices):
    CURRENT = "current", "equals the installed text"
    EDITED = "edited", "edited by hand"
    MISSING = "missing"
    UNREADABLE = "unreadable"


class SkillCopy(models.Model):
    """One installed SKILL.md, as meta.json names it, and how it was found when it was last looked at."""

    skill = models.ForeignKey(SkillCandidate, models.CASCADE, related_name="copies")
    target = models.CharField(max_length=700, help_text="The target's name, or the folder where it is none of ours.")
    path = models.TextField(help_text="Absolute path of SKILL.md.")
    path_hash = models.CharField(max_length=64, help_text="SHA-256 of the path; a path is too long for an index.")
    state = models.CharField(max_length=12, choices=CopyState)
    content_hash = models.CharField(max_length=60, blank=True, default="", help_text="What is there now.")
    installed_hash = models.CharField(max_length=60, blank=True, default="", help_text="What was put there.")
    installed_text = models.TextField(blank=True, default="", help_text="What was put there; base of a three-way diff.")
    problem = models.TextField(blank=True, default="")
    installed_at = models.DateTimeField(null=True, blank=True)
    checked_at = models.DateTimeField()

    class Meta:
        verbose_name_plural = "skill copies"
        constraints = [
            models.UniqueConstraint(fields=["skill", "path_hash"], name="skill_copy_once"),
            models.CheckConstraint(condition=Q(state__in=CopyState.values), name="skill_copy_state_known"),
        ]

    def __str__(self) -> str:
        return self.path


class JobState(models.TextChoices):
    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"


class SkillJob(models.Model):
    """An installation, removal or restoration of copies: durable when it was asked for, done by the worker."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="skill_jobs")
    slug = models.CharField(max_length=255)
    skill = models.ForeignKey(SkillCandidate, models.SET_NULL, null=True, blank=True, related_name="jobs")
    decision = models.OneToOneField(SkillDecision, models.CASCADE, related_name="job")
    overwrite = models.JSONField(
        blank=True, default=dict, help_text="{target: hash of the copy that the person saw and lets go}"
    )
    state = models.CharField(max_length=8, choices=JobState, default=JobState.QUEUED)
    results = models.JSONField(blank=True, default=list, help_text="[{target, path, outcome, error}], one a target.")
    error = models.TextField(blank=True, default="")
    attempts = models.IntegerField(default=0)
    created_at = models.DateTimeField(db_default=Now())
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        constraints = [
            models.CheckConstraint(condition=Q(state__in=JobState.values), name="skill_job_state_known"),
            # Two jobs on one candidate would overwrite each other's copies.
            models.UniqueConstraint(
                fields=["project", "slug"], condition=Q(state="running"), name="skill_job_one_at_a_time"
            ),
        ]
        indexes = [models.Index(fields=["state", "id"], name="skill_job_due")]

    def __str__(self) -> str:
        return f"job {self.pk} on {self.slug} ({self.state})"


class ReplacedCopy(models.Model):
    """A copy that was overwritten or taken away; it can be put back."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="replaced_copies")
    slug = models.CharField(max_length=255)
    job = models.ForeignKey(SkillJob, models.SET_NULL, null=True, blank=True, related_name="replaced")
    target = models.CharField(max_length=700)
    path = models.TextField()
    content = models.BinaryField(help_text="The bytes that were there, at most 1 MB.")
    content_hash = models.CharField(max_length=60)
    at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "replaced copies"
        indexes = [models.Index(fields=["project", "slug", "-id"], name="replaced_copy_newest")]

    def __str__(self) -> str:
        return f"{self.path} before {self.at}"
