"""The address of a one-time link."""

from __future__ import annotations

from django.urls import reverse

from memory import addresses


def url(token: str) -> str:
    """Return the whole address that signs a browser in with this token."""
    return addresses.base() + reverse("dock:sign-in-link", args=[token])
