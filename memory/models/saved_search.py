"""Searches that a person keeps under a name."""

from __future__ import annotations

from django.conf import settings
from django.db import models
from django.db.models.functions import Lower, Now


class SavedSearch(models.Model):
    """A search to come back to; one person's own, and on nobody else's pages."""

    owner = models.ForeignKey(settings.AUTH_USER_MODEL, models.CASCADE, related_name="saved_searches")
    name = models.CharField(max_length=80)
    query = models.CharField(max_length=4000, help_text="What its address asks, such as q=lease&kind=entry.")
    created_at = models.DateTimeField(db_default=Now())

    class Meta:
        verbose_name_plural = "saved searches"
        constraints = [
            models.UniqueConstraint("owner", Lower("name"), name="saved_search_name_once"),
            models.CheckConstraint(condition=~models.Q(name=""), name="saved_search_named"),
            models.CheckConstraint(condition=~models.Q(query=""), name="saved_search_asks"),
        ]

    def __str__(self) -> str:
        return self.name
