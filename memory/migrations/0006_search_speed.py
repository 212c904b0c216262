from __future__ import annotations

from django.db import migrations

# PostgreSQL only. A posting carries all that its score needs, and the primary key all of the posting: the words of a
# question are read from neighbouring pages of one index, and no document is fetched to be scored.
POSTINGS = (
    "ALTER TABLE memory_searchposting RENAME TO memory_searchposting_old",
    'CREATE TABLE memory_searchposting (term text COLLATE "C" NOT NULL, document_id bigint NOT NULL,'
    " title integer NOT NULL, body integer NOT NULL, length integer NOT NULL)",
    "INSERT INTO memory_searchposting SELECT p.term, p.document_id, p.title, p.body, d.length"
    " FROM memory_searchposting_old p JOIN memory_searchdocument d ON d.id = p.document_id",
    "DROP TABLE memory_searchposting_old",
    "ALTER TABLE memory_searchposting ADD CONSTRAINT memory_searchposting_pkey"
    " PRIMARY KEY (term, document_id) INCLUDE (title, body, length)",
    "CREATE INDEX memory_searchposting_document ON memory_searchposting (document_id)",
)

# How many documents and terms there are, in parts that add up: each statement that changes documents adds a part, so
# that nobody waits for anybody, and the next writing puts them together.
TOTALS = (
    "CREATE TABLE memory_searchtotals (documents bigint NOT NULL, terms bigint NOT NULL)",
    "INSERT INTO memory_searchtotals SELECT count(*), coalesce(sum(length), 0) FROM memory_searchdocument",
    """
    CREATE FUNCTION memory_searchdocument_changed() RETURNS trigger LANGUAGE plpgsql AS $$
    BEGIN
        IF TG_OP = 'INSERT' THEN
            INSERT INTO memory_searchtotals SELECT count(*), sum(length) FROM added HAVING count(*) > 0;
        ELSIF TG_OP = 'UPDATE' THEN
            INSERT INTO memory_searchtotals
            SELECT 0, (SELECT sum(length) FROM added) - sum(length) FROM removed HAVING count(*) > 0;
        ELSIF TG_OP = 'DELETE' THEN
            INSERT INTO memory_searchtotals SELECT -count(*), -sum(length) FROM removed HAVING count(*) > 0;
            DELETE FROM memory_searchposting USING removed WHERE document_id = removed.id;
        ELSE
            DELETE FROM memory_searchtotals;
            DELETE FROM memory_searchposting;
        END IF;
        RETURN NULL;
    END $$
    """,
    *(
        f"CREATE TRIGGER memory_searchdocument_{event.lower()} AFTER {event} ON memory_searchdocument"
        f" {tables} FOR EACH STATEMENT EXECUTE FUNCTION memory_searchdocument_changed()"
        for event, tables in {
            "INSERT": "REFERENCING NEW TABLE AS added",
            "UPDATE": "REFERENCING NEW TABLE AS added OLD TABLE AS removed",
            "DELETE": "REFERENCING OLD TABLE AS removed",
            "TRUNCATE": "",
        }.items()
    ),
)

# Facets and filters, without the pages that hold the texts.
FACTS = (
    "CREATE INDEX memory_searchdocument_facts ON memory_searchdocument (id)"
    ' INCLUDE (project_id, kind, type, platform, "when")',
)

BACK = (
    "DROP INDEX memory_searchdocument_facts",
    *(
        f"DROP TRIGGER memory_searchdocument_{event} ON memory_searchdocument"
        for event in ("insert", "update", "delete", "truncate")
    ),
    "DROP FUNCTION memory_searchdocument_changed",
    "DROP TABLE memory_searchtotals",
    "ALTER TABLE memory_searchposting DROP CONSTRAINT memory_searchposting_pkey",
    "ALTER TABLE memory_searchposting DROP COLUMN length",
    "ALTER TABLE memory_searchposting ADD CONSTRAINT memory_searchposting_pkey PRIMARY KEY (term, document_id)",
)


def forwards(apps, schema_editor):
    _execute(schema_editor, *POSTINGS, *TOTALS, *FACTS)


def backwards(apps, schema_editor):
    _execute(schema_editor, *BACK)


def _execute(schema_editor, *statements):
    if schema_editor.connection.vendor == "postgresql":
        for statement in statements:
            schema_editor.execute(statement)


class Migration(migrations.Migration):
    dependencies = [("memory", "0005_engram")]

    operations = [migrations.RunPython(forwards, backwards)]
