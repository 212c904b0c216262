"""API tokens: shown once, stored hashed."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Now


class Scope(models.TextChoices):
    READ = "read"
    WRITE = "write"
    ADMIN = "admin"

    def covers(self, other: Scope) -> bool:
        """Tell whether a holder of this scope may do what needs `other`."""
        order = list(Scope)
        return order.index(self) >= order.index(other)


class ApiTokenQuerySet(models.QuerySet["ApiToken"]):
    def valid(self) -> ApiTokenQuerySet:
        return self.filter(revoked_at=None)


class ApiToken(models.Model):
    """A key for the API; only its SHA-256 and its first characters are kept."""

    name = models.CharField(max_length=100, unique=True)
    prefix = models.CharField(max_length=16, help_text="First characters, to recognise it.")
    digest = models.CharField(max_length=64, unique=True)
    scope = models.CharField(max_length=8, choices=Scope)
    created_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, blank=True, related_name="api_tokens"
    )
    created_at = models.DateTimeField(db_default=Now())
    last_used_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)

    objects = ApiTokenQuerySet.as_manager()

    class Meta:
        verbose_name = "API token"
        constraints = [models.CheckConstraint(condition=models.Q(scope__in=Scope.values), name="token_scope_known")]

    def __str__(self) -> str:
        return f"{self.name} ({self.prefix}…)"
