"""Vectors get the number of their batch, by which processes that hold them in memory follow."""

from __future__ import annotations

from django.db import migrations, models


class Migration(migrations.Migration):
    dependencies = [("memory", "0007_capture")]

    operations = [
        migrations.RemoveIndex(model_name="searchvectors", name="search_vectors_model"),
        migrations.AddField(
            model_name="searchvectors",
            name="made",
            field=models.BigIntegerField(default=0, help_text="Number of the batch in which it was made; grows."),
        ),
        migrations.AddIndex(
            model_name="searchvectors", index=models.Index(fields=["model", "made"], name="search_vectors_made")
        ),
    ]
