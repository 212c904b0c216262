"""Nobody who is not signed in sees anything, at any address; the exceptions are named here."""

from __future__ import annotations

from datetime import date

import pytest
from django.test import Client
from django.urls import URLPattern, URLResolver, get_resolver, reverse

OPEN = {"sign-in", "sign-in-link"}
POST_ONLY = {
    "artifact-delete",
    "artifact-restore",
    "capsule-decide",
    "capture-retry",
    "conflict-judge",
    "connect-remove",
    "connect-write",
    "document-restore",
    "health-rebuild",
    "import-discard",
    "import-look",
    "import-start",
    "memory-bulk",
    "memory-delete",
    "memory-pin",
    "memory-restore",
    "memory-restore-version",
    "memory-undo",
    "memory-unmerge",
    "project-sync",
    "project-unmerge",
    "prompt-delete",
    "proposal-apply",
    "proposal-refuse",
    "review-delete",
    "review-mark",
    "search-delete",
    "search-rename",
    "search-save",
    "settings-token-revoke",
    "settings-try",
    "sign-out",
    "skill-bulk",
    "skill-decide",
    "skill-reopen",
    "upkeep-ask",
}
ARGUMENTS = {
    "day": date(2026, 1, 5),
    "key": "s1",
    "name": "PROJECT.md",
    "number": 1,
    "pk": 1,
    "project": "harbor",
    "slug": "tidy",
    "token": "x",
}

pytestmark = pytest.mark.django_db


def patterns(prefix: str) -> list[URLPattern]:
    """Return every address below a prefix of the root."""
    found = next(one for one in get_resolver().url_patterns if str(one.pattern) == prefix)
    assert isinstance(found, URLResolver)
    return [one for one in found.url_patterns if isinstance(one, URLPattern)]


def dock_urls() -> dict[str, str]:
    return {
        str(one.name): reverse(f"dock:{one.name}", kwargs={name: ARGUMENTS[name] for name in one.pattern.converters})
        for one in patterns("dock/")
    }


@pytest.mark.parametrize("name", sorted(set(dock_urls()) - OPEN - POST_ONLY))
def test_a_stranger_is_sent_to_the_sign_in_page(client: Client, name: str) -> None:
    for headers in ({}, {"HX-Request": "true"}):
        response = client.get(dock_urls()[name], headers=headers)
        assert response.status_code == 302
        assert response["Location"].startswith(reverse("dock:sign-in"))


@pytest.mark.parametrize("name", sorted(POST_ONLY))
def test_a_stranger_changes_nothing(client: Client, name: str) -> None:
    response = client.post(dock_urls()[name])

    assert response.status_code == 302
    assert response["Location"].startswith(reverse("dock:sign-in"))


def test_every_route_of_the_api_asks_who_is_there(client: Client) -> None:
    from memsite.api import api

    for path, operations in api.get_openapi_schema()["paths"].items():
        for method in operations:
            address = path.replace("{entry_id}", "1").replace("{pk}", "1").replace("{", "").replace("}", "")
            assert client.generic(method, address, content_type="application/json").status_code == 401, path
    assert client.get("/api/v1/openapi.json").status_code == 401
    assert client.get("/api/v1/docs").status_code == 401


def test_the_admin_asks_for_a_member_of_staff(client: Client) -> None:
    response = client.get("/admin/memory/entry/")

    assert response.status_code == 302
    assert response["Location"].startswith("/admin/login/")
