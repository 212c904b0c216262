"""Updates that were given up: the doctor tells of them, and a person may have them delivered again."""

from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from memory.agent_loop import queue
from memory.doctor import agent_loop
from memory.models import LoopUpdate
from memory.models.service import LoopState
from tests.memory.agent_loop.seen import created

pytestmark = pytest.mark.django_db(transaction=True)

NOW = timezone.now()


def take(state: LoopState, attempts: int) -> LoopUpdate:
    queue.take(created(), request_id=state, at=NOW)
    LoopUpdate.objects.filter(pk__gt=0, attempts=0, state=LoopState.QUEUED).update(state=state, attempts=attempts)
    return LoopUpdate.objects.latest("pk")


def said() -> tuple[str, str]:
    [check] = agent_loop.updates()
    return check.state, check.text


def test_the_doctor_tells_of_updates_that_wait_or_were_given_up() -> None:
    assert said() == ("ok", "Everything has reached the memory plugins, or is on its way.")
    take(LoopState.QUEUED, 2)
    assert said() == ("ok", "Updates that are tried again for a plugin that failed: 1.")
    take(LoopState.FAILED, 7)
    assert said() == ("warn", "Updates that a memory plugin failed on every time, and that were given up: 1.")


def deliver_again(browser: Client, row: LoopUpdate) -> int:
    form = {"action": "deliver_again", "_selected_action": [str(row.pk)]}
    return browser.post(reverse("admin:memory_loopupdate_changelist"), form).status_code


def test_the_owner_lets_one_be_delivered_again(browser: Client) -> None:
    row = take(LoopState.FAILED, 7)

    assert deliver_again(browser, row) == 302

    row.refresh_from_db()
    assert (row.state, row.attempts) == (LoopState.QUEUED, 0)


def test_whoever_may_only_look_does_not(client: Client, guest: User) -> None:
    from django.contrib.auth.models import Permission

    row = take(LoopState.FAILED, 7)
    guest.is_staff = True
    guest.save()
    guest.user_permissions.add(Permission.objects.get(codename="view_loopupdate"))
    client.force_login(guest)

    deliver_again(client, row)

    row.refresh_from_db()
    assert row.state == LoopState.FAILED
