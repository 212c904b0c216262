"""Journals: the day files `.memsearch/memory/YYYY-MM-DD.md` and their entries."""
