"""One-time sign-in links."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from memory.models import AuditEntry, SignInLink
from memory.people import actions, links, queries
from memory.people.actions import LinkSpent, LinkUnknown, UnknownPerson

pytestmark = pytest.mark.django_db


def test_the_first_link_makes_the_owner() -> None:
    user = actions.redeem(token=actions.issue(username="mira", at=timezone.now()), at=timezone.now())
    assert (user.username, user.is_superuser, user.is_staff) == ("mira", True, True)
    assert not user.has_usable_password()


def test_a_link_works_once(owner: User) -> None:
    token = actions.issue(username="mira", at=timezone.now())
    assert actions.redeem(token=token, at=timezone.now()) == owner
    with pytest.raises(LinkSpent):
        actions.redeem(token=token, at=timezone.now())


def test_a_link_ends_after_ten_minutes(owner: User) -> None:
    issued = timezone.now()
    token = actions.issue(username="mira", at=issued)
    with pytest.raises(LinkSpent):
        actions.redeem(token=token, at=issued + timedelta(minutes=10))
    actions.redeem(token=token, at=issued + timedelta(minutes=9, seconds=59))


@pytest.mark.parametrize("token", ["", "x", "a:b:c", "InVzZXIi:1xXrtg:nWBoM-V2cCDD", "\0", "ü" * 400])
def test_forged_links_are_unknown(token: str) -> None:
    with pytest.raises(LinkUnknown):
        actions.check(token=token, at=timezone.now())


def test_looking_at_a_link_does_not_use_it_up(owner: User) -> None:
    token = actions.issue(username="mira", at=timezone.now())
    actions.check(token=token, at=timezone.now())
    assert actions.check(token=token, at=timezone.now()).used_at is None


def test_the_token_is_not_stored(owner: User) -> None:
    token = actions.issue(username="mira", at=timezone.now())
    stored = str(list(SignInLink.objects.values())) + str(list(AuditEntry.objects.values()))
    assert token not in stored


def test_a_link_needs_somebody_to_sign_in(owner: User) -> None:
    with pytest.raises(UnknownPerson, match="no active user zoe"):
        actions.issue(username="zoe", at=timezone.now())


def test_an_account_that_was_switched_off_gets_no_link(owner: User, guest: User) -> None:
    User.objects.filter(pk=guest.pk).update(is_active=False)
    with pytest.raises(UnknownPerson):
        actions.issue(username="noor", at=timezone.now())


def test_switching_an_account_off_ends_its_links(owner: User, guest: User) -> None:
    token = actions.issue(username="noor", at=timezone.now())
    User.objects.filter(pk=guest.pk).update(is_active=False)
    with pytest.raises(LinkUnknown):
        actions.redeem(token=token, at=timezone.now())


def test_links_of_an_empty_installation_make_one_account() -> None:
    mira, zoe = (actions.issue(username=name, at=timezone.now()) for name in ("mira", "zoe"))
    actions.redeem(token=mira, at=timezone.now())
    with pytest.raises(LinkUnknown):
        actions.redeem(token=zoe, at=timezone.now())
    assert list(User.objects.values_list("username", flat=True)) == ["mira"]


def test_the_audit_trail_tells_of_both_ends(owner: User) -> None:
    actions.redeem(token=actions.issue(username="mira", at=timezone.now()), at=timezone.now())
    told = AuditEntry.objects.order_by("pk").values_list("action", "actor_label", "target")
    assert list(told) == [
        ("sign_in_link.issued", "command line", "mira"),
        ("sign_in_link.redeemed", "mira", "mira"),
    ]


def test_old_links_are_forgotten(owner: User) -> None:
    now = timezone.now()
    actions.issue(username="mira", at=now - timedelta(days=2))
    actions.issue(username="mira", at=now)
    assert actions.forget(before=now - timedelta(days=1)) == 1
    assert SignInLink.objects.count() == 1


def test_the_owner_is_the_first_active_superuser(owner: User, guest: User) -> None:
    User.objects.create_superuser("zoe")
    assert queries.owner_name() == "mira"
    User.objects.filter(pk=owner.pk).update(is_active=False)
    assert queries.owner_name() == "zoe"


@pytest.mark.parametrize(("account", "name"), [("mira", "mira"), ("CORP\\mira k", "CORP-mira-k")])
def test_the_first_owner_is_named_after_the_account(monkeypatch: pytest.MonkeyPatch, account: str, name: str) -> None:
    monkeypatch.setenv("LOGNAME", account)
    assert queries.owner_name() == name


def test_a_used_link_means_that_somebody_signed_in() -> None:
    token = actions.issue(username="mira", at=timezone.now())
    assert not queries.anybody_signed_in()
    actions.redeem(token=token, at=timezone.now())
    assert queries.anybody_signed_in()


def test_a_link_is_a_whole_address() -> None:
    assert links.url("a:b-c_d").startswith("http://127.0.0.1:7437/dock/sign-in/a:b-c_d")
