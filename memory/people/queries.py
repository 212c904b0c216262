"""What is asked about people."""

from __future__ import annotations

import getpass
import re

from django.contrib.auth.models import User

from memory.models import SignInLink

_NAMELESS = "owner"
_LONGEST = 150


def anybody_signed_in() -> bool:
    """Tell whether a browser was ever signed in. At most two queries."""
    return User.objects.exclude(last_login=None).exists() or SignInLink.objects.exclude(used_at=None).exists()


def owner_name() -> str:
    """Return the name of the person who runs MemDock: the first superuser, or the account of the system. One query."""
    owners = User.objects.filter(is_superuser=True, is_active=True).order_by("pk")
    return owners.values_list("username", flat=True).first() or _account()


def _account() -> str:
    """Return the name of the system's account as a user name, `owner` where it has none (in a container, say)."""
    try:
        name = getpass.getuser()
    except (KeyError, OSError):
        name = ""
    return re.sub(r"[^\w.@+-]", "-", name)[:_LONGEST] or _NAMELESS
