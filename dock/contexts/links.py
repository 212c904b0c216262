"""Addresses of the dock with their state in the query."""

from __future__ import annotations

from urllib.parse import urlencode

from django.urls import reverse


def to(page: str, *args: object, **query: object) -> str:
    """Return the address of a page of the dock; query values that are empty are left out."""
    kept = {name: value for name, value in query.items() if value not in {"", None}}
    return reverse(f"dock:{page}", args=args) + (f"?{urlencode(kept)}" if kept else "")
