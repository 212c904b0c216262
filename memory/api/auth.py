"""Who asks MemDock's own API, and what they may: a token with a scope, or a person in a signed-in browser."""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import cast

from django.contrib.auth.models import User
from django.db import OperationalError
from django.http import HttpRequest
from django.utils.timezone import now
from ninja.errors import AuthenticationError, HttpError
from ninja.security import HttpBearer, SessionAuth

from memory import audit
from memory.api import tokens
from memory.api.errors import ApiError
from memory.audit import Actor
from memory.models import ApiToken
from memory.models.token import Scope


class AuthedRequest(HttpRequest):
    """A request that one of the doors below let in."""

    auth: Caller


@dataclass(frozen=True, slots=True)
class Caller:
    """Who asks: a person, or a program with a token."""

    who: User | ApiToken

    def actor(self) -> Actor:
        """Return what the audit trail says about them; for a token that costs a query."""
        if isinstance(self.who, ApiToken):
            return Actor(user=self.who.created_by, label=f"token {self.who.name}")
        return audit.person(self.who)


class Token(HttpBearer):
    """`Authorization: Bearer …` with a token whose scope covers `needs`; any token that is not valid is refused."""

    def __init__(self, needs: Scope) -> None:
        super().__init__()
        self.needs = needs

    def authenticate(self, request: HttpRequest, token: str) -> Caller:
        found = tokens.find(token.strip())
        if found is None:  # not left to the browser's session: a revoked token must be seen to be revoked
            raise AuthenticationError
        with suppress(OperationalError):  # a busy database: the time of last use is not worth refusing a read
            tokens.touch(found, at=now())
        if not Scope(found.scope).covers(self.needs):
            raise ApiError(403, f"This needs a token of scope {self.needs}; this one has {found.scope}.")
        return Caller(found)


class BrowserSession(SessionAuth):
    """The session of a signed-in browser; unsafe methods need the CSRF token too, and `permission` where it is named."""

    def __init__(self, permission: str = "") -> None:
        super().__init__()
        self.permission = permission

    def __call__(self, request: HttpRequest) -> Caller | None:
        if not request.user.is_authenticated:  # asked first: whoever is not signed in is told so, not about CSRF
            return None
        try:
            return cast("Caller | None", super().__call__(request))
        except HttpError as exc:  # the only one that ninja raises here
            raise ApiError(403, "The CSRF token of this page is missing or wrong.", code="csrf_failed") from exc

    def authenticate(self, request: HttpRequest, key: str | None) -> Caller:
        person = cast("User", request.user)
        if self.permission and not person.has_perm(self.permission):
            raise ApiError(403, "You do not have the permission for this.")
        return Caller(person)


type Doors = list[Token | BrowserSession]


def may(needs: Scope, *, permission: str = "") -> Doors:
    """Return the doors of an operation: a token of that scope, or a signed-in person with that permission."""
    return [Token(needs), BrowserSession(permission)]


READ: Doors = may(Scope.READ)
"""Whoever has a token or is signed in may read."""
