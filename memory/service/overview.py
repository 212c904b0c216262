"""How plugins and their consumers do, for the doctor, the settings' page and the command line."""

from __future__ import annotations

import json
from dataclasses import dataclass
from datetime import datetime
from functools import reduce
from operator import or_

from django.conf import settings
from django.db.models import Q

from memory.models import Change, PluginHealth, SubscriptionCursor
from memory.plugins.kinds import NOUNS
from memory.plugins.scopes import project_of
from memory.service.plugins import EVERYWHERE
from memory.service.registry import Registration, Registry, plugins
from memory.service.routing import Policy, parse

MOST = 10_000
"""Changes that are counted as to come; more are not told apart."""


@dataclass(frozen=True, slots=True)
class PluginState:
    """One plugin: who brought it, what the routing says of it, and how its calls went; times are in milliseconds."""

    id: str
    origin: str
    routing: str
    is_enabled: bool
    is_followable: bool
    calls: int = 0
    failures: int = 0
    latency_ms: float | None = None
    last_call_at: datetime | None = None
    last_error: str = ""
    last_error_at: datetime | None = None

    @property
    def is_failing(self) -> bool:
        """Tell whether the last call that is known of failed."""
        return bool(self.last_error_at and self.last_call_at and self.last_error_at >= self.last_call_at)


@dataclass(frozen=True, slots=True)
class Following:
    """How far a consumer is with a plugin; `lag` counts changes to come, None where only the plugin knows."""

    consumer: str
    plugin_id: str
    scope: str
    lag: int | None
    saved_at: datetime
    failures: int
    last_error: str
    last_error_at: datetime | None
    is_stopped: bool

    @property
    def sentence(self) -> str:
        """Say it to a person."""
        far = "" if self.lag is None else "up to date; " if not self.lag else f"{self.lag:,} changes behind; "
        state = f"stopped: {self.last_error}" if self.is_stopped else f"last saved {self.saved_at:%Y-%m-%d %H:%M} UTC"
        trouble = (
            f", {self.failures:,} failures since: {self.last_error}" if self.failures and not self.is_stopped else ""
        )
        return f"{far}{state}{trouble}"


def states(registry: Registry = plugins) -> list[PluginState]:
    """Return all plugins of this process in their order. One query."""
    health = {row.plugin_id: row for row in PluginHealth.objects.all()}
    routing = parse(settings.MEMORY_SERVICE)
    return [_state(row, routing.policy(row.id), health.get(row.id)) for row in registry]


def following() -> list[Following]:
    """Return what consumers follow, by consumer and plugin. One query, and one for each of our own plugins in it."""
    rows = SubscriptionCursor.objects.order_by("consumer_id", "plugin_id", "pk")
    return [_following(row) for row in rows]


def _state(row: Registration, policy: Policy, known: PluginHealth | None) -> PluginState:
    health = known or PluginHealth(plugin_id=row.id)
    return PluginState(
        id=row.id,
        origin=row.origin,
        routing=_words(policy),
        is_enabled=policy.enabled,
        is_followable=row.is_followable,
        calls=health.calls,
        failures=health.failures,
        latency_ms=health.latency_ms,
        last_call_at=health.last_call_at,
        last_error=health.last_error,
        last_error_at=health.last_error_at,
    )


def _words(policy: Policy) -> str:
    """Say what a person allows a plugin."""
    if not policy.enabled:
        return "off"
    limits = (
        ("operations", policy.operations),
        ("source types", policy.source_types),
        ("sources", policy.source_ids),
        ("scopes", policy.scopes),
    )
    told = [f"{name} {', '.join(sorted(allowed))}" for name, allowed in limits if allowed is not None]
    told += [f"{name} = {json.dumps(value)}" for name, value in policy.attributes.items()]
    return f"only {'; '.join(told)}" if told else "every call that it wants"


def _following(row: SubscriptionCursor) -> Following:
    return Following(
        consumer=row.consumer_id,
        plugin_id=row.plugin_id,
        scope=row.scope,
        lag=_lag(row),
        saved_at=row.updated_at,
        failures=row.failures,
        last_error=row.last_error,
        last_error_at=row.last_error_at,
        is_stopped=row.is_stopped,
    )


def _lag(row: SubscriptionCursor) -> int | None:
    """Count the changes that a plugin of ours will tell after the cursor, up to MOST."""
    nouns = NOUNS.get(row.plugin_id)
    if not nouns or not row.cursor.isdigit():
        return None
    wanted = reduce(or_, (Q(kind__startswith=f"{noun}.") for noun in nouns))
    rows = Change.objects.filter(wanted, pk__gt=int(row.cursor))
    if row.scope != EVERYWHERE:
        rows = rows.filter(project=project) if (project := project_of(row.scope)) else rows.none()
    return rows[:MOST].count()
