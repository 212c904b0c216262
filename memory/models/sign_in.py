"""One-time sign-in links: a row each, so that a link works once."""

from __future__ import annotations

from django.db import models
from django.db.models.functions import Now


class SignInLink(models.Model):
    """A link that was handed out; the token itself is not stored."""

    digest = models.CharField(max_length=64, unique=True)
    username = models.CharField(max_length=150)
    created_at = models.DateTimeField(db_default=Now())
    expires_at = models.DateTimeField()
    used_at = models.DateTimeField(null=True, blank=True)

    def __str__(self) -> str:
        return f"link for {self.username}"
