"""The page of the memory plugins."""

from __future__ import annotations

from datetime import timedelta

import pytest
from django.test import Client, override_settings
from django.utils import timezone

from memory.models import PluginHealth, SubscriptionCursor

URL = "/dock/settings/plugins/"

pytestmark = pytest.mark.django_db


def test_lists_the_plugins_with_what_they_get_and_how_they_do(browser: Client) -> None:
    now = timezone.now()
    PluginHealth.objects.create(
        plugin_id="journal", calls=1200, failures=3, latency_ms=4.26, last_call_at=now, last_error="<b>disk</b>",
        last_error_at=now - timedelta(hours=1),
    )  # fmt: skip
    routing = {"routing": {"journal": {"operations": ["retrieve"]}, "observations": {"enabled": False}}}

    with override_settings(MEMORY_SERVICE=routing):
        page = browser.get(URL).content.decode()

    assert "<b>journal</b>" in page
    assert "only operations retrieve" in page
    assert "1,200, 3 failed" in page
    assert "4.3 ms" in page
    assert "&lt;b&gt;disk&lt;/b&gt;" in page
    assert ">failing<" not in page
    assert page.count('data-tone="warn">off<') == 1
    assert "not asked yet" in page


def test_lists_who_follows_what(browser: Client) -> None:
    assert "Nobody follows a plugin yet" in browser.get(URL).content.decode()
    for number, told in enumerate(
        ({}, {"failures": 2, "last_error": "lost"}, {"is_stopped": True, "last_error": "bug"})
    ):
        SubscriptionCursor.objects.create(
            key=str(number), consumer_id=f"c{number}", subscription_key="changes", scope="*", plugin_id="journal",
            cursor="0", **told,
        )  # fmt: skip

    page = browser.get(URL).content.decode()

    states = ("in order", "trying again", "stopped")
    assert [page.index(f"<b>c{number}</b>") < page.index(f">{state}<") for number, state in enumerate(states)] == [
        True
    ] * 3
    assert "lost" in page
    assert "bug" in page
