"""Engram's own checks (`/doctor`, `mem_doctor`): what they look at, in the report that its clients know."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.db import DatabaseError

from memory.engram import findings, naming
from memory.engram.findings import Check, Result
from memory.models import Project

type Json = dict[str, Any]

_CHECKS: dict[str, Callable[[Project | None], Check]] = {
    "invalid_session_identity": findings.invalid_session_identity,
    "manual_session_name_project_mismatch": findings.manual_session_name_project_mismatch,
    "orphaned_observation_session": findings.orphaned_observation_session,
    "session_project_directory_mismatch": findings.session_project_directory_mismatch,
    "sqlite_lock_contention": findings.sqlite_lock_contention,
    "sync_mutation_required_fields": findings.sync_mutation_required_fields,
    "unowned_session_project": findings.unowned_session_project,
}
_WORST_FIRST: tuple[Result, ...] = ("error", "blocked", "warning", "ok")
_SEVERITY = {"ok": "info", "warning": "warning", "blocked": "blocking", "error": "error"}


def report(project: Project | None, check: str = "") -> Json:
    """Run all checks in the order of their names, or one; return Engram's report. Never fails.

    `{status, project, summary: {total, ok, warnings, blocked, errors}, checks: [{check_id, result, severity,
    reason_code, evidence, safe_next_step, requires_confirmation, message?, why?}]}`. A check that does not exist is
    itself an error.
    """
    done = [_run(name, project) for name in ([check] if check else _CHECKS)]
    count = {result: sum(one.result == result for one in done) for result in _WORST_FIRST}
    return {
        "status": next(result for result in _WORST_FIRST if count[result]),
        "project": naming.wire_name(project) if project else "",
        "summary": {
            "total": len(done),
            "ok": count["ok"],
            "warnings": count["warning"],
            "blocked": count["blocked"],
            "errors": count["error"],
        },
        "checks": [_told(one) for one in done],
    }


def _run(name: str, project: Project | None) -> Check:
    if name not in _CHECKS:
        known = {"known_checks": list(_CHECKS)}
        return Check(
            name, "error", "unknown_check", "There is no such check.", "Ask for a known check.", evidence=known
        )
    try:
        return _CHECKS[name](project)
    except DatabaseError as exc:
        kind = {"error": type(exc).__name__}
        return Check(name, "error", "check_failed", "The check could not be done.", "Try again later.", evidence=kind)


def _told(one: Check) -> Json:
    told: Json = {
        "check_id": one.check_id,
        "result": one.result,
        "severity": _SEVERITY[one.result],
        "reason_code": one.reason_code,
        "evidence": dict(one.evidence),
        "safe_next_step": one.safe_next_step,
        "requires_confirmation": one.requires_confirmation,
    }
    return told | {name: text for name, text in (("message", one.message), ("why", one.why)) if text}
