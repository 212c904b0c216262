"""The browsers' feed (/ws/live)."""

from __future__ import annotations

from importlib import import_module

from django.conf import settings
from django.contrib.auth import SESSION_KEY, get_user
from django.contrib.auth.models import User
from django.http import HttpRequest

from memory.api.consumers import NOT_ALLOWED, NOT_SIGNED_IN, FeedConsumer
from memory.feed.reading import in_thread


class LiveConsumer(FeedConsumer):
    """The feed of a signed-in browser; its session is looked at anew at each heartbeat."""

    async def standing(self) -> int | None:
        return await in_thread(_standing, self.scope["session"].session_key)


def _standing(session_key: str | None) -> int | None:
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore(session_key)
    user_id = request.session.get(SESSION_KEY)
    if get_user(request).is_authenticated:
        return None
    # Django answers "nobody" for an account that was switched off; its owner should be told what is the matter.
    is_switched_off = user_id is not None and User.objects.filter(pk=user_id, is_active=False).exists()
    return NOT_ALLOWED if is_switched_off else NOT_SIGNED_IN
