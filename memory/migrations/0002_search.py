from __future__ import annotations

import django.db.models.deletion
from django.db import migrations, models

# Terms come ready-made, separated by blanks: letters, digits and `_`, folded.
SQLITE = (
    "CREATE VIRTUAL TABLE memory_searchwords USING fts5(title, body, tokenize=\"ascii tokenchars '_'\")",
    "CREATE VIRTUAL TABLE memory_searchvocabulary USING fts5vocab(memory_searchwords, 'row')",
)
# Without a foreign key: Django empties its own tables in tests without knowing this one.
POSTGRES = (
    'CREATE TABLE memory_searchposting (term text COLLATE "C" NOT NULL, document_id bigint NOT NULL,'
    " title integer NOT NULL, body integer NOT NULL, PRIMARY KEY (term, document_id))",
    "CREATE INDEX memory_searchposting_document ON memory_searchposting (document_id)",
)


def create_words(apps, schema_editor):
    for statement in POSTGRES if schema_editor.connection.vendor == "postgresql" else SQLITE:
        schema_editor.execute(statement)


def drop_words(apps, schema_editor):
    is_postgres = schema_editor.connection.vendor == "postgresql"
    for table in ("memory_searchposting",) if is_postgres else ("memory_searchvocabulary", "memory_searchwords"):
        schema_editor.execute(f"DROP TABLE {table}")


class Migration(migrations.Migration):
    dependencies = [("memory", "0001_initial")]

    operations = [
        migrations.CreateModel(
            name="SearchDocument",
            fields=[
                ("id", models.BigAutoField(auto_created=True, primary_key=True, serialize=False, verbose_name="ID")),
                (
                    "key",
                    models.CharField(
                        help_text="The ref, and for a section its number behind #.", max_length=800, unique=True
                    ),
                ),
                ("ref", models.CharField(help_text="What is opened, such as entry:12.", max_length=700)),
                ("kind", models.CharField(help_text="entry, document, skill, session, …", max_length=40)),
                ("session", models.CharField(blank=True, default="", max_length=500)),
                ("type", models.CharField(blank=True, default="", max_length=60)),
                ("platform", models.CharField(blank=True, default="", max_length=40)),
                ("is_pinned", models.BooleanField(default=False)),
                ("when", models.DateTimeField()),
                ("length", models.IntegerField(default=0, help_text="Number of its index terms.")),
                ("title", models.CharField(blank=True, default="", max_length=300)),
                ("text", models.TextField(blank=True, default="", help_text="Cleaned of what is not to be shown.")),
                (
                    "project",
                    models.ForeignKey(
                        on_delete=django.db.models.deletion.CASCADE, related_name="+", to="memory.project"
                    ),
                ),
            ],
            options={
                "indexes": [
                    models.Index(fields=["ref"], name="search_ref"),
                    models.Index(fields=["-when", "-id"], name="search_newest"),
                    models.Index(fields=["project", "kind"], name="search_project"),
                ],
            },
        ),
        migrations.RunPython(create_words, drop_words),
    ]
