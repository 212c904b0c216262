"""The pages on which people sign in and out."""

from __future__ import annotations

import re

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.models import SignInLink
from memory.people import actions

pytestmark = pytest.mark.django_db


@pytest.fixture
def link(owner: User) -> str:
    """The path of a fresh link."""
    return reverse("dock:sign-in-link", args=[actions.issue(username="mira", at=timezone.now())])


@pytest.fixture
def colleague(owner: User) -> User:
    return User.objects.create_user("noor", password="tide-and-harbor-7")


def is_signed_in(client: Client) -> bool:
    return "_auth_user_id" in client.session


def test_opening_a_link_shows_a_button_and_signs_nobody_in(client: Client, link: str) -> None:
    page = client.get(link)
    assert page.status_code == 200
    assert "Sign in as mira" in page.text
    assert client.head(link).status_code == 200
    assert not is_signed_in(client)
    assert SignInLink.objects.filter(used_at=None).count() == 1


def test_the_page_of_a_link_is_kept_to_itself(client: Client, link: str) -> None:
    page = client.get(link)
    assert page["Referrer-Policy"] == "same-origin"
    assert "no-store" in page["Cache-Control"]
    assert not re.search(r"(src|href)=\"https?:", page.text)


def test_the_button_signs_in_and_goes_to_the_dock(client: Client, link: str) -> None:
    answer = client.post(link)
    assert (answer.status_code, answer["Location"]) == (302, "/dock/")
    assert is_signed_in(client)


def test_a_used_link_is_gone(client: Client, link: str) -> None:
    client.post(link)
    for answer in (client.get(link), Client().post(link)):
        assert answer.status_code == 410
        assert "memdock sign-in-link" in answer.text


def test_a_forged_link_is_not_found(client: Client, link: str) -> None:
    forged = link[:-2] + ("A" if link[-2] != "A" else "B") + "/"
    for answer in (client.get(forged), client.post(forged)):
        assert answer.status_code == 404
        assert "memdock sign-in-link" in answer.text
    assert not is_signed_in(client)


def test_the_button_needs_the_page_it_is_on(link: str) -> None:
    stranger = Client(enforce_csrf_checks=True)
    assert stranger.post(link).status_code == 403
    assert SignInLink.objects.filter(used_at=None).exists()


def test_a_name_and_a_password_sign_in(client: Client, colleague: User) -> None:
    assert client.get(reverse("dock:sign-in")).status_code == 200
    answer = client.post(reverse("dock:sign-in"), {"username": "noor", "password": "tide-and-harbor-7"})
    assert (answer.status_code, answer["Location"]) == (302, "/dock/")
    assert is_signed_in(client)


@pytest.mark.parametrize("fields", [{}, {"username": "noor"}, {"username": "noor", "password": "wrong"}])
def test_wrong_input_shows_the_form_again(client: Client, colleague: User, fields: dict[str, str]) -> None:
    answer = client.post(reverse("dock:sign-in"), {"next": "/dock/skills/", **fields})
    assert answer.status_code == 422
    assert 'value="/dock/skills/"' in answer.text
    assert "wrong" not in answer.text
    assert not is_signed_in(client)


@pytest.mark.parametrize(
    ("wanted", "place"),
    [
        ("/dock/skills/?project=harbor", "/dock/skills/?project=harbor"),
        ("https://elsewhere.example/", "/dock/"),
        ("//elsewhere.example/", "/dock/"),
        ("/\\elsewhere.example/", "/dock/"),
        ("javascript:alert(1)", "/dock/"),
        ("elsewhere", "/dock/"),
    ],
)
def test_people_go_on_to_our_own_pages_only(client: Client, colleague: User, wanted: str, place: str) -> None:
    fields = {"username": "noor", "password": "tide-and-harbor-7", "next": wanted}
    assert client.post(reverse("dock:sign-in"), fields)["Location"] == place


def test_signing_out_ends_the_session(browser: Client) -> None:
    answer = browser.post(reverse("dock:sign-out"))
    assert (answer.status_code, answer["Location"]) == (302, reverse("dock:sign-in"))
    assert not is_signed_in(browser)


def test_a_link_elsewhere_cannot_sign_out(browser: Client) -> None:
    assert browser.get(reverse("dock:sign-out")).status_code == 405
    assert is_signed_in(browser)
