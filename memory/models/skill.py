"""Skill candidates as found on disk, and every content that was seen."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now

from memory.models.project import Project


class SkillStatus(models.TextChoices):
    CANDIDATE = "candidate"
    INSTALLED = "installed"
    BROKEN = "broken"


class SkillReview(models.TextChoices):
    PENDING = "pending"
    APPROVED = "approved"
    CHANGES_REQUESTED = "changes_requested"
    REJECTED = "rejected"
    SNOOZED = "snoozed"


class SkillCandidate(models.Model):
    """One directory below `.memsearch/skill-candidates/`."""

    project = models.ForeignKey(Project, models.CASCADE, related_name="skills")
    slug = models.CharField(max_length=255, help_text="The directory's name.")
    name = models.CharField(max_length=300, blank=True, default="")
    title = models.CharField(max_length=300, blank=True, default="")
    description = models.TextField(blank=True, default="")
    status = models.CharField(max_length=12, choices=SkillStatus)
    pending = models.CharField(max_length=8, blank=True, default="", help_text="new, updated or empty.")
    content_hash = models.CharField(max_length=60, blank=True, default="")
    installed_hash = models.CharField(max_length=200, blank=True, default="")
    occurrences = models.IntegerField(null=True, blank=True)
    sources = models.JSONField(blank=True, default=list)
    reason = models.TextField(blank=True, default="")
    installed_paths = models.JSONField(blank=True, default=list)
    extra = models.JSONField(blank=True, default=dict, help_text="Keys of meta.json that are not ours.")
    body = models.TextField(blank=True, default="", help_text="SKILL.md without its front matter.")
    text = models.TextField(blank=True, default="", help_text="SKILL.md whole.")
    problems = models.JSONField(blank=True, default=list)
    fingerprint = models.CharField(max_length=64)
    review = models.CharField(
        max_length=20,
        choices=SkillReview,
        default=SkillReview.PENDING,
        help_text="What the last decision on the present content says.",
    )
    reviewed_hash = models.CharField(max_length=60, blank=True, default="", help_text="The content it was made on.")
    reviewed_at = models.DateTimeField(null=True, blank=True)
    snoozed_until = models.DateTimeField(null=True, blank=True)
    proposed_at = models.DateTimeField(null=True, blank=True, help_text="created_at of meta.json.")
    revised_at = models.DateTimeField(null=True, blank=True, help_text="updated_at of meta.json.")
    installed_at = models.DateTimeField(null=True, blank=True)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["project", "slug"], name="skill_once_a_project"),
            models.CheckConstraint(condition=models.Q(status__in=SkillStatus.values), name="skill_status_known"),
            models.CheckConstraint(condition=models.Q(pending__in=["", "new", "updated"]), name="skill_pending_known"),
            models.CheckConstraint(condition=models.Q(review__in=SkillReview.values), name="skill_review_known"),
        ]
        indexes = [models.Index(fields=["review", "project"], name="skill_review")]

    def __str__(self) -> str:
        return self.slug


class SkillRevision(models.Model):
    """One content of SKILL.md that was on disk."""

    skill = models.ForeignKey(SkillCandidate, models.CASCADE, related_name="revisions")
    number = models.IntegerField()
    content_hash = models.CharField(max_length=60)
    text = models.TextField(blank=True)
    seen_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["skill", "number"], name="skill_revision_once")]

    def __str__(self) -> str:
        return f"revision {self.number} of {self.skill_id}"
