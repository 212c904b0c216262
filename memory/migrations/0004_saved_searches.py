"""Searches kept under a name."""

from __future__ import annotations

import django.db.models.deletion
from django.conf import settings
from django.db import migrations, models
from django.db.models.functions import Lower, Now


class Migration(migrations.Migration):
    dependencies = [
        ("memory", "0003_search_vectors"),
        migrations.swappable_dependency(settings.AUTH_USER_MODEL),
    ]

    operations = [
        migrations.CreateModel(
            name="SavedSearch",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                ("name", models.CharField(max_length=80)),
                (
                    "query",
                    models.CharField(help_text="What its address asks, such as q=lease&kind=entry.", max_length=4000),
                ),
                ("created_at", models.DateTimeField(db_default=Now())),
                (
                    "owner",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE,
                        related_name="saved_searches",
                        to=settings.AUTH_USER_MODEL,
                    ),
                ),
            ],
            options={
                "verbose_name_plural": "saved searches",
                "constraints": [
                    models.UniqueConstraint("owner", Lower("name"), name="saved_search_name_once"),
                    models.CheckConstraint(condition=~models.Q(name=""), name="saved_search_named"),
                    models.CheckConstraint(condition=~models.Q(query=""), name="saved_search_asks"),
                ],
            },
        ),
    ]
