"""What nobody is shown of a value: secrets whole, passwords in addresses."""

from __future__ import annotations

from urllib.parse import urlsplit, urlunsplit

MASK = "••••"


def address(value: str) -> str:
    """Return an address without the name and password in it, and without its query, where some drivers have them."""
    if "://" not in value:
        return value
    try:
        parts = urlsplit(value)
    except ValueError:
        return MASK
    host = parts.netloc.rpartition("@")[2]
    netloc = f"{MASK}@{host}" if "@" in parts.netloc else host
    return urlunsplit(parts._replace(netloc=netloc, query=MASK if parts.query else ""))
