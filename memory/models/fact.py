"""Facts in Patchouli's sense: typed JSON values with versions, for exchange with it."""

from __future__ import annotations

from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class FactType(models.TextChoices):
    ARTIFACT = "artifact"
    KNOWLEDGE = "knowledge"
    RELATION = "knowledge-relation"


class Fact(models.Model):
    """An entity of a scope; what it says is in its versions."""

    scope_hash = models.CharField(max_length=64, help_text="SHA-256 of the scope; a scope is too long for an index.")
    scope = models.TextField()
    type = models.CharField(max_length=20, choices=FactType)
    external_id = models.CharField(max_length=200)
    is_deleted = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())
    updated_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [
            models.UniqueConstraint(fields=["scope_hash", "type", "external_id"], name="fact_once_a_scope"),
            models.CheckConstraint(condition=Q(type__in=FactType.values), name="fact_type_known"),
        ]
        indexes = [models.Index(fields=["scope_hash", "type", "-updated_at"], name="fact_newest")]

    def __str__(self) -> str:
        return f"{self.type} {self.external_id}"


class FactVersion(models.Model):
    """One immutable value of a fact; several heads are a conflict that a later write resolves."""

    fact = models.ForeignKey(Fact, models.CASCADE, related_name="versions")
    version = models.UUIDField(unique=True)
    number = models.IntegerField()
    value = models.JSONField(null=True, blank=True, help_text="Empty for a deletion.")
    bases = models.JSONField(blank=True, default=list, help_text="The versions that it replaces.")
    is_head = models.BooleanField(default=True)
    is_tombstone = models.BooleanField(default=False)
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        constraints = [models.UniqueConstraint(fields=["fact", "number"], name="fact_version_once")]
        indexes = [models.Index(fields=["fact"], condition=Q(is_head=True), name="fact_heads")]

    def __str__(self) -> str:
        return f"version {self.number} of {self.fact_id}"
