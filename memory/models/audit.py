"""Who did what with rights, tokens and projects."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class AuditEntry(models.Model):
    """One act of a person, token or command; never changed afterwards."""

    at = models.DateTimeField(db_default=Now())
    actor = models.ForeignKey(settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="acts")
    actor_label = models.CharField(max_length=200, help_text="The name at that time, or the command.")
    action = models.CharField(max_length=60)
    target = models.CharField(max_length=700, blank=True, default="")
    detail = models.JSONField(blank=True, default=dict)

    class Meta:
        verbose_name_plural = "audit entries"
        indexes = [models.Index(fields=["-at"], name="audit_newest")]

    def __str__(self) -> str:
        return f"{self.actor_label}: {self.action} {self.target}"
