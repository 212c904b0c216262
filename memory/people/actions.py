"""One-time sign-in links: handed out by whoever runs the machine, used up by one browser."""

from __future__ import annotations

import hashlib
import secrets
from datetime import datetime, timedelta

from django.contrib.auth.models import User
from django.core import signing
from django.db import transaction

from memory import audit
from memory.models import SignInLink

LIFETIME = timedelta(minutes=10)

_SALT = "memdock.sign-in-link"


class UnknownPerson(ValueError):
    """A link is wanted for somebody who has no account; the message is one sentence for people."""


class LinkRefused(Exception):
    """A link that does not sign anybody in."""


class LinkUnknown(LinkRefused):
    """Nobody handed this link out, or it was for an account that is gone."""


class LinkSpent(LinkRefused):
    """The link was used already, or its time is over."""


@transaction.atomic(durable=True)
def issue(*, username: str, at: datetime) -> str:
    """Make a link for a person and return its token, which is not kept.

    While nobody has an account yet, the link makes one, which may do everything. Raises UnknownPerson.
    """
    if not _may_get_one(username):
        raise UnknownPerson(f"There is no active user {username}; create one in the admin, under Users.")
    token = signing.dumps(secrets.token_urlsafe(16), salt=_SALT)
    expires_at = at + LIFETIME
    SignInLink.objects.create(digest=_digest(token), username=username, created_at=at, expires_at=expires_at)
    audit.record(audit.COMMAND, "sign_in_link.issued", username, at=at, expires_at=expires_at.isoformat())
    return token


def check(*, token: str, at: datetime) -> SignInLink:
    """Return the link that a token belongs to, without using it up. Raises LinkUnknown, LinkSpent. One query."""
    try:
        signing.loads(token, salt=_SALT, max_age=LIFETIME)
    except signing.SignatureExpired as exc:
        raise LinkSpent from exc
    except signing.BadSignature as exc:
        raise LinkUnknown from exc
    link = SignInLink.objects.filter(digest=_digest(token)).first()
    if link is None:
        raise LinkUnknown
    if link.used_at or link.expires_at <= at:
        raise LinkSpent
    return link


@transaction.atomic(durable=True)
def redeem(*, token: str, at: datetime) -> User:
    """Use a link up and return the person whom it signs in. Raises LinkUnknown, LinkSpent."""
    link = check(token=token, at=at)
    if not SignInLink.objects.filter(pk=link.pk, used_at=None, expires_at__gt=at).update(used_at=at):
        raise LinkSpent  # another browser was first
    user = User.objects.filter(username=link.username).first() or _first(link)
    if not user.is_active:
        raise LinkUnknown
    audit.record(audit.person(user), "sign_in_link.redeemed", user.get_username(), at=at)
    return user


def forget(*, before: datetime) -> int:
    """Delete links that ended before `before`; return how many. The audit trail still tells of them."""
    return SignInLink.objects.filter(expires_at__lt=before).delete()[0]


def _may_get_one(username: str) -> bool:
    return User.objects.filter(username=username, is_active=True).exists() or not User.objects.exists()


def _first(link: SignInLink) -> User:
    """Make the first account; links of that time make no second one under another name."""
    if User.objects.exists():
        raise LinkUnknown
    return User.objects.create_superuser(link.username)


def _digest(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()
