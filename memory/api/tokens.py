"""API tokens: made, found, revoked. The text of a token is shown once and not kept."""

from __future__ import annotations

import hashlib
import re
import secrets
from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import Q

from memory import audit
from memory.audit import Actor
from memory.models import ApiToken
from memory.models.token import Scope

TOUCH_EVERY = timedelta(minutes=1)
LONGEST_NAME = 100

_TEXT = re.compile(r"mdk_[rwa]_[A-Za-z0-9_-]{43}")
_PREFIX = 10


class InvalidName(ValueError):
    """A text that cannot name a token; the message is one sentence for people."""


class TokenExists(Exception):
    """The name is taken, perhaps by a token that was revoked: the audit trail must stay readable."""


class NoSuchToken(Exception):
    """No valid token has that name."""


def create(*, name: str, scope: Scope, actor: Actor, at: datetime) -> tuple[ApiToken, str]:
    """Make a token; return it with its text, `mdk_<r|w|a>_<43 characters>`. Raises InvalidName, TokenExists."""
    name = _validate(name)
    text = f"mdk_{scope[0]}_{secrets.token_urlsafe(32)}"
    row = ApiToken(
        name=name, prefix=text[:_PREFIX], digest=_digest(text), scope=scope, created_by=actor.user, created_at=at
    )
    try:
        _save(row, actor=actor, at=at)
    except IntegrityError as exc:
        raise TokenExists(name) from exc
    return row, text


def find(text: str) -> ApiToken | None:
    """Return the valid token with that text, or None. One query.

    A token ends with its revocation, and with the account of the person who made it. It is looked up by its digest, so
    how long that takes says nothing about the text.
    """
    if not _TEXT.fullmatch(text):
        return None
    return ApiToken.objects.valid().exclude(created_by__is_active=False).filter(digest=_digest(text)).first()


def from_header(value: str) -> ApiToken | None:
    """Return the valid token of an Authorization header (`Bearer …`), or None."""
    scheme, _, text = value.partition(" ")
    return find(text.strip()) if scheme.lower() == "bearer" else None


def touch(token: ApiToken, *, at: datetime) -> None:
    """Note that a token was used; at most one write a minute."""
    if token.last_used_at and token.last_used_at > at - TOUCH_EVERY:
        return
    stale = Q(last_used_at=None) | Q(last_used_at__lte=at - TOUCH_EVERY)
    ApiToken.objects.filter(stale, pk=token.pk).update(last_used_at=at)
    token.last_used_at = at


@transaction.atomic(durable=True)
def revoke(*, name: str, actor: Actor, at: datetime) -> None:
    """End a token for good. Raises NoSuchToken."""
    if not ApiToken.objects.valid().filter(name=name).update(revoked_at=at):
        raise NoSuchToken(name)
    audit.record(actor, "token.revoked", name, at=at)


@transaction.atomic(durable=True)
def _save(row: ApiToken, *, actor: Actor, at: datetime) -> None:
    row.save(force_insert=True)
    audit.record(actor, "token.created", row.name, at=at, scope=row.scope, prefix=row.prefix)


def _validate(name: str) -> str:
    trimmed = name.strip()
    if not trimmed or len(trimmed) > LONGEST_NAME or not trimmed.isprintable():
        raise InvalidName(f"A token needs a name of 1 to {LONGEST_NAME} printable characters.")
    return trimmed


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("ascii")).hexdigest()
