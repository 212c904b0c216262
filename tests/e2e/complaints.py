"""What a browser complains of while a page is open."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from playwright.sync_api import ConsoleMessage, Page


def complaints_of(page: Page) -> list[str]:
    """Return a list that script errors and CSP violations of a page are added to."""
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    page.on("console", lambda message: _hear(found, message))
    return found


def _hear(found: list[str], message: ConsoleMessage) -> None:
    """Leave out what htmx says in two lines when a page is left, or asks anew, before an answer came."""
    if message.type != "error":
        return
    if message.text.startswith("htmx:sendAbort"):
        if found and found[-1].startswith("htmx:afterRequest"):
            found.pop()
        return
    found.append(message.text)
