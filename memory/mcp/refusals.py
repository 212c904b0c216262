"""Why a tool cannot do what it was asked: a sentence, or Engram's code with what helps."""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import ValidationError

from memory.api import errors
from memory.engram.errors import EngramError
from memory.mcp.answers import Answer, told

_HINTS = {
    "ambiguous_project": "Ask the user to choose one of available_projects, then repeat the same call with project, "
    "project_choice_reason=user_selected_after_ambiguous_project and this recovery_token; or work inside one of the "
    "repositories, or name the project in .engram/config.json.",
    "insufficient_scope": "The person who runs MemDock can make a token of that scope: memdock token create.",
    "invalid_project": "Give the name of a project, not a path.",
    "invalid_project_choice": "Ask the user, then use exactly one of available_projects.",
    "invalid_project_config": "Put a project_name into .engram/config.json, or remove the file.",
    "invalid_recovery_token": "Repeat the call without project to get a fresh recovery_token, and use it for the same "
    "session, directory and choice within its life.",
    "missing_recovery_token": "Repeat the call with the recovery_token of the ambiguous_project error.",
    "project_mismatch": "Read the memory again: it belongs to another project than you expected.",
    "project_required": "Name a project, or the session_id of a session that was registered.",
    "session_already_ended": "Choose a new session id and call mem_session_start again; ended sessions stay ended.",
    "session_project_mismatch": "Use the project of that session, or leave session_id out to write to the other project.",
    "unknown_project": "Use one of available_projects, or leave project out to detect it.",
    "unknown_session": "Leave session_id out and repeat the call, or register the session with mem_session_start.",
}
_CODES = {"session_project_conflict": "session_project_mismatch", "project_resolution_failed": "invalid_project_config"}
"""The codes of the wire that have another name here."""


class Refusal(Exception):
    """What a tool itself refuses; with a code it is told as JSON, with `fields` beside it."""

    def __init__(self, message: str, code: str = "", *, available: Sequence[str] = (), **fields: object) -> None:
        self.message = message
        self.code = code
        self.available = list(available)
        self.hint = _HINTS.get(code, "")
        self.fields: dict[str, object] = fields
        super().__init__(message)

    def answer(self) -> Answer:
        if not self.code:
            return Answer(self.message.encode(errors="replace").decode(), is_error=True)
        body = {"error_code": self.code, "message": self.message, "available_projects": self.available}
        return told(body | ({"hint": self.hint} if self.hint else {}) | self.fields, is_error=True)


def answer(exc: Exception, *, failing: str = "") -> Answer:
    """Turn whatever a tool raised into its answer; a sentence begins with `failing`.

    What nobody foresaw is logged and told without details.
    """
    match exc:
        case Refusal():
            refusal = exc
        case ValidationError():
            refusal = Refusal(_first(exc))
        case EngramError() if exc.code:
            refusal = _coded(exc)
        case EngramError():
            refusal = Refusal(f"{failing}{exc.message}")
        case _:
            refusal = Refusal(f"{failing}{errors.translate(exc).message}")
    return refusal.answer()


def _coded(exc: EngramError) -> Refusal:
    """Take over the code of the wire, and whatever its reply would carry (`available_projects` among it)."""
    refusal = Refusal(exc.message, _CODES.get(exc.code, exc.code))
    refusal.fields = dict(exc.fields)
    return refusal


def _first(exc: ValidationError) -> str:
    """Say what is wrong with the first argument that is, without repeating it."""
    first = exc.errors(include_url=False, include_context=False, include_input=False)[0]
    place = ".".join(map(str, first["loc"])) or "arguments"
    if first["type"] == "missing":
        return f"{place} is required"
    return f"{place}: {first['msg'].removeprefix('Value error, ')}"
