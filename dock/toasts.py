"""Messages that offer to take back what was just done."""

from __future__ import annotations

from django.contrib import messages

from dock.http import DockRequest


def offer_undo(request: DockRequest, text: str, *, url: str) -> None:
    """Say what was done beside an Undo button, which posts to `url`; it works without scripts.

    The address travels as the message's extra tag, which templates/dock/shell/toasts.html reads.
    """
    messages.success(request, text, extra_tags=url)
