"""What narrows a search: counts by kind, type, platform and project, and the filters in use."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from dock.contexts import links
from dock.contexts.hits import KINDS

_NAMES = (("kind", "Kind"), ("type", "Type"), ("platform", "Platform"), ("project", "Project"))
_SHOWN = 12
"""Values of one facet, the most frequent first."""


@dataclass(frozen=True, slots=True)
class FacetValue:
    """One value; its address adds the filter, or takes it away when it `is_on`."""

    label: str
    count: int
    url: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Facet:
    """The values of one field; `is_local` when choosing one changes nothing outside the results."""

    name: str
    label: str
    values: list[FacetValue]
    is_local: bool


@dataclass(frozen=True, slots=True)
class Chip:
    """A filter in use, and the address without it."""

    words: str
    url: str
    is_local: bool


def facets(counts: Mapping[str, Mapping[str, int]], state: Mapping[str, str]) -> list[Facet]:
    """Return the facets that have something to choose; the chosen value stays even with nothing in it."""
    found = [
        Facet(name, label, _values(name, counts.get(name, {}), state), name != "project") for name, label in _NAMES
    ]
    return [facet for facet in found if len(facet.values) > 1 or any(value.is_on for value in facet.values)]


def chips(state: Mapping[str, str]) -> list[Chip]:
    """Name the filters of an address."""
    words = {name: f"{label.lower()}: {_label(name, state[name])}" for name, label in _NAMES}
    words |= {name: f"{name}: {state[name]}" for name in ("since", "until")}
    return [
        Chip(words[name], links.to("search", **{**state, name: ""}), name != "project")
        for name in ("project", "kind", "type", "platform", "since", "until")
        if state[name]
    ]


def _values(name: str, counts: Mapping[str, int], state: Mapping[str, str]) -> list[FacetValue]:
    chosen = state[name]
    known = {value: count for value, count in counts.items() if value} | (
        {chosen: counts.get(chosen, 0)} if chosen else {}
    )
    ranked = sorted(known.items(), key=lambda pair: (-pair[1], pair[0]))
    return [
        FacetValue(
            label=_label(name, value),
            count=count,
            url=links.to("search", **{**state, name: "" if value == chosen else value}),
            is_on=value == chosen,
        )
        for place, (value, count) in enumerate(ranked)
        if place < _SHOWN or value == chosen
    ]


def _label(name: str, value: str) -> str:
    return KINDS[value].label if name == "kind" and value in KINDS else value
