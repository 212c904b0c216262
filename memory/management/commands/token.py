"""`memdock token`: API tokens, shown once."""

from __future__ import annotations

from typing import Any

from django.core.management.base import CommandError, CommandParser
from django.utils import timezone

from memory.api import tokens
from memory.audit import COMMAND
from memory.management.base import MemdockCommand, add_json
from memory.models import ApiToken
from memory.models.token import Scope


class Command(MemdockCommand):
    help = "create, list and revoke API tokens"
    expected = (tokens.InvalidName,)

    def add_arguments(self, parser: CommandParser) -> None:
        actions = parser.add_subparsers(dest="action", required=True, metavar="create|list|revoke")
        create = actions.add_parser("create", help="make a token and show it, this once")
        create.add_argument("name", help="what it is for")
        create.add_argument("--scope", choices=Scope.values, required=True, help="what its holder may do")
        revoke = actions.add_parser("revoke", help="end a token for good")
        revoke.add_argument("name")
        for part in (create, revoke, actions.add_parser("list", help="list all tokens")):
            add_json(part)

    def handle(self, *, action: str, as_json: bool, **options: Any) -> None:
        match action:
            case "create":
                self._create(options["name"], Scope(options["scope"]), as_json=as_json)
            case "revoke":
                self._revoke(options["name"], as_json=as_json)
            case _:
                self._list(as_json=as_json)

    def _create(self, name: str, scope: Scope, *, as_json: bool) -> None:
        try:
            row, text = tokens.create(name=name, scope=scope, actor=COMMAND, at=timezone.now())
        except tokens.TokenExists as exc:
            raise CommandError(f"There is or was a token named {name.strip()}; choose another name.") from exc
        if not as_json:
            self.say("This token is shown once; keep it where only its user can read it.")
        self.report({**_facts(row), "token": text}, [text], as_json=as_json)

    def _revoke(self, name: str, *, as_json: bool) -> None:
        try:
            tokens.revoke(name=name, actor=COMMAND, at=timezone.now())
        except tokens.NoSuchToken as exc:
            raise CommandError(f"There is no valid token named {name}.") from exc
        row = ApiToken.objects.get(name=name)
        self.report(_facts(row), [f"{name} is revoked."], as_json=as_json)

    def _list(self, *, as_json: bool) -> None:
        rows = list(ApiToken.objects.order_by("name"))
        lines = [_line(row) for row in rows] or ["There are no tokens."]
        self.report([_facts(row) for row in rows], lines, as_json=as_json)


def _facts(row: ApiToken) -> dict[str, object]:
    return {
        "name": row.name,
        "scope": row.scope,
        "prefix": row.prefix,
        "created_at": row.created_at,
        "last_used_at": row.last_used_at,
        "revoked_at": row.revoked_at,
    }


def _line(row: ApiToken) -> str:
    used = f"used {row.last_used_at:%Y-%m-%d}" if row.last_used_at else "never used"
    return f"{row.name}  {row.prefix}…  {row.scope}  {'revoked' if row.revoked_at else used}"
