"""Valid facts for tests; each call returns a new one, which a test may change."""

from __future__ import annotations

from typing import Any

NOW = "2026-11-30T12:00:00.000Z"


def make_metadata(kind: str, **extensions: Any) -> dict[str, Any]:
    core = {
        "schema": f"patchouli.{kind}@1",
        "scope": {"tenant": None, "workspace": "/work/harbor", "user": None, "session": "s1"},
        "origin": {
            "provider": "deepseek-harness",
            "binding": "tests",
            "native_type": "note",
            "native_id": "7",
            "native_revision": None,
        },
        "time": {
            "event_at": "2026-11-30T12:00:00+02:00",
            "source_created_at": None,
            "source_updated_at": None,
            "observed_at": NOW,
            "ingested_at": NOW,
        },
        "lifecycle": {"status": "active", "expires_at": None},
        "provenance": [{"kind": "observed", "actor": "user:mira", "source": None, "recorded_at": NOW}],
    }
    return {"core": core, "extensions": extensions}


def make_knowledge(text: str = "The tide gauge reports in millimetres") -> dict[str, Any]:
    return {
        "content": {"kind": "text", "text": text},
        "metadata": make_metadata("knowledge", **{"local.session": {"turn": 3}}),
        "artifact": [{"type": "artifact", "id": "12", "role": "source"}],
        "profile": {
            "epistemic": "observation",
            "temporal": {"kind": "instant", "at": NOW},
            "ownership": "world",
            "abstraction": "instance",
            "persistence": "long_term",
            "retrieval": ["exact", "contextual"],
            "actionability": "informational",
        },
    }


def make_relation(*, source: str = "k1", target: str = "k2") -> dict[str, Any]:
    sides = {"from": [{"type": "knowledge", "id": source}], "to": [{"type": "knowledge", "id": target}]}
    return {"type": "supports", **sides, "metadata": make_metadata("knowledge-relation")}


def make_artifact() -> dict[str, Any]:
    return {
        "media_type": "image/png",
        "name": "tides.png",
        "byte_length": 12,
        "digest": f"sha256:{'0' * 64}",
        "placement": {"kind": "managed", "provider": "memdock", "key": f"sha256/{'0' * 64}"},
        "metadata": make_metadata("artifact"),
    }


def make_indexed() -> dict[str, Any]:
    placement = {"kind": "indexed", "provider": "drive", "locator": "files/7", "revision": None}
    return make_artifact() | {"placement": placement, "byte_length": None, "digest": None, "name": None}


def changed(value: dict[str, Any], path: str, new: Any) -> dict[str, Any]:
    """Set what lies at a path such as `profile.retrieval.0`; None of a key named `-key` takes it away."""
    *above, last = path.split(".")
    part: Any = value
    for step in above:
        part = part[int(step)] if isinstance(part, list) else part[step]
    if last.startswith("-"):
        del part[last[1:]]
    else:
        part[int(last) if isinstance(part, list) else last] = new
    return value
