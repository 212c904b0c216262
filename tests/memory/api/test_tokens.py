from __future__ import annotations

import hashlib
import re
from datetime import datetime, timedelta

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext
from django.utils.timezone import now

from memory.api import tokens
from memory.audit import COMMAND, person
from memory.models import ApiToken, AuditEntry
from memory.models.token import Scope

AT = now()


def _make(name: str = "laptop", scope: Scope = Scope.READ, at: datetime = AT) -> tuple[ApiToken, str]:
    return tokens.create(name=name, scope=scope, actor=COMMAND, at=at)


@pytest.mark.parametrize(("scope", "letter"), [(Scope.READ, "r"), (Scope.WRITE, "w"), (Scope.ADMIN, "a")])
def test_makes_a_text_that_names_its_scope_and_keeps_only_its_digest(db: None, scope: Scope, letter: str) -> None:
    token, text = _make(scope=scope)
    assert re.fullmatch(rf"mdk_{letter}_[A-Za-z0-9_-]{{43}}", text)
    token.refresh_from_db()
    assert (token.scope, token.prefix, token.created_at) == (scope, text[:10], AT)
    assert token.digest == hashlib.sha256(text.encode()).hexdigest()


def test_finds_a_token_by_its_whole_text_in_one_query(db: None) -> None:
    token, text = _make()
    with CaptureQueriesContext(
        connection,
    ) as queries:
        assert tokens.find(text) == token
    assert len(queries) == 1


def test_finds_nothing_for_any_other_text(db: None) -> None:
    token, text = _make()
    for other in ["", text[:-1], text + "x", text.replace("_r_", "_w_"), token.digest, "ü" * 49, "\0", "x" * 10**6]:
        assert tokens.find(other) is None


def test_reads_the_authorization_header(db: None) -> None:
    token, text = _make()
    assert tokens.from_header(f"Bearer {text}") == token
    assert tokens.from_header(f"bearer  {text} ") == token
    for other in ["", text, f"Basic {text}", f"Bearer{text}", "Bearer", f"Bearer {text} {text}"]:
        assert tokens.from_header(other) is None


def test_ends_a_token_when_it_is_revoked(db: None) -> None:
    token, text = _make()
    tokens.revoke(name="laptop", actor=COMMAND, at=AT)
    assert tokens.find(text) is None
    token.refresh_from_db()
    assert token.revoked_at == AT
    with pytest.raises(tokens.NoSuchToken):
        tokens.revoke(name="laptop", actor=COMMAND, at=AT)


def test_ends_a_token_with_the_account_of_its_maker(guest: User) -> None:
    _, text = tokens.create(name="theirs", scope=Scope.WRITE, actor=person(guest), at=AT)
    assert tokens.find(text) is not None
    User.objects.filter(pk=guest.pk).update(is_active=False)
    assert tokens.find(text) is None


def test_gives_a_name_once_even_after_its_revocation(db: None) -> None:
    _make("laptop")
    tokens.revoke(name="laptop", actor=COMMAND, at=AT)
    with pytest.raises(tokens.TokenExists):
        _make(" laptop ")
    assert ApiToken.objects.count() == 1
    assert list(AuditEntry.objects.values_list("action", flat=True)) == ["token.created", "token.revoked"]


@pytest.mark.parametrize("name", ["", "  ", "x" * 101, "a\nb", "a\0b"])
def test_refuses_a_text_that_is_no_name(db: None, name: str) -> None:
    with pytest.raises(tokens.InvalidName):
        _make(name)


def test_writes_down_who_made_and_who_ended_it(owner: User, guest: User) -> None:
    _, text = tokens.create(name="ci", scope=Scope.WRITE, actor=person(owner), at=AT)
    tokens.revoke(name="ci", actor=person(guest), at=AT)
    made, ended = AuditEntry.objects.order_by("pk")
    assert (made.action, made.actor, made.target, made.at) == ("token.created", owner, "ci", AT)
    assert made.detail == {"scope": "write", "prefix": text[:10]}
    assert (ended.action, ended.actor, ended.target) == ("token.revoked", guest, "ci")


def test_notes_a_use_at_most_once_a_minute(db: None) -> None:
    token, text = _make()
    moments = [AT, AT + timedelta(seconds=59), AT + timedelta(seconds=60)]
    seen = []
    for moment in moments:
        found = tokens.find(text)
        assert found is not None
        tokens.touch(found, at=moment)
        token.refresh_from_db()
        seen.append(token.last_used_at)
    assert seen == [moments[0], moments[0], moments[2]]


def test_does_not_take_back_a_later_use(db: None) -> None:
    token, text = _make()
    early = tokens.find(text)
    assert early is not None
    tokens.touch(token, at=AT + timedelta(seconds=30))
    tokens.touch(early, at=AT)
    token.refresh_from_db()
    assert token.last_used_at == AT + timedelta(seconds=30)
