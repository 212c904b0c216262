"""What the page of the tokens prints: those that are valid, those that were revoked, and one that was just made."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from django.contrib.auth.models import User

from dock.contexts import links, settings
from dock.contexts.choices import Option
from dock.contexts.settings import Frame
from dock.forms.settings import TokenForm
from memory.models import ApiToken, Project
from memory.models.token import Scope

NAME = "settings-tokens"
ADD = "memory.add_apitoken"
REVOKE = "memory.change_apitoken"

_SCOPES = {
    Scope.READ: "read: search, look, ask for what is relevant",
    Scope.WRITE: "write: also deliver turns and save memories",
    Scope.ADMIN: "admin: everything that the API can do",
}
_REVOKED = 20


@dataclass(frozen=True, slots=True)
class TokenRow:
    """One token; `revoke_url` where this person may end it."""

    name: str
    prefix: str
    scope: str
    by: str
    created_at: datetime
    used_at: datetime | None
    revoked_at: datetime | None
    revoke_url: str


@dataclass(frozen=True, slots=True)
class Tokens:
    """The page. `made` is the text of a new token, shown this once; `error` of a field says why none was made."""

    frame: Frame
    rows: list[TokenRow]
    revoked: list[TokenRow]
    can_add: bool
    name: str
    name_error: str
    scopes: list[Option]
    scope_error: str
    made: str
    made_name: str


def page(project: Project | None, person: User, *, form: TokenForm | None = None, made: str = "") -> Tokens:
    """Build the page. Two queries."""
    rows = ApiToken.objects.select_related("created_by")
    can_revoke = person.has_perm(REVOKE)
    typed = str(form.data.get("name", "")) if form else ""
    return Tokens(
        frame=settings.frame(NAME, project, person),
        rows=[_row(row, can_revoke=can_revoke) for row in rows.valid().order_by("name")],
        revoked=[
            _row(row, can_revoke=False) for row in rows.exclude(revoked_at=None).order_by("-revoked_at")[:_REVOKED]
        ],
        can_add=person.has_perm(ADD),
        name="" if made else typed,
        name_error=_error(form, "name"),
        scopes=[Option(scope, label, scope == _wanted(form, made)) for scope, label in _SCOPES.items()],
        scope_error=_error(form, "scope"),
        made=made,
        made_name=typed.strip() if made else "",
    )


def _wanted(form: TokenForm | None, made: str) -> str:
    return str(form.data.get("scope", "")) if form and not made else Scope.READ


def _error(form: TokenForm | None, field: str) -> str:
    found = form.errors.get(field) if form else None
    return str(found[0]) if found else ""


def _row(row: ApiToken, *, can_revoke: bool) -> TokenRow:
    return TokenRow(
        name=row.name,
        prefix=row.prefix,
        scope=row.scope,
        by=row.created_by.get_username() if row.created_by else "a command",
        created_at=row.created_at,
        used_at=row.last_used_at,
        revoked_at=row.revoked_at,
        revoke_url=links.to("settings-token-revoke", row.name) if can_revoke else "",
    )
