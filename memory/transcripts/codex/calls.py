"""Codex's tool calls, which come as several kinds of items, and whose results say in several ways how they went."""

from __future__ import annotations

import re
import shlex

from memory.transcripts import fields
from memory.transcripts.conversation import Json, JsonObject
from memory.transcripts.drafts import Draft

_EXIT = re.compile(r"^Process exited with code (-?\d+)$", re.MULTILINE)
_CALLS = frozenset({"function_call", "custom_tool_call", "local_shell_call", "web_search_call", "tool_search_call"})
_RESULTS = frozenset(
    {"function_call_output", "custom_tool_call_output", "tool_search_output", "tool_search_call_output"}
)
_SHELLS = frozenset({"bash", "sh", "zsh"})
_SCRIPT = "exec"


class Calls:
    """The calls of one turn."""

    def __init__(self) -> None:
        self._count = 0
        self._script = ""

    def item(self, draft: Draft, kind: str, item: JsonObject) -> None:
        """Take a call or a result as the model saw it."""
        if kind in _CALLS:
            self._call(draft, kind, item)
        elif kind in _RESULTS:
            self._result(draft, item)

    def event(self, draft: Draft, kind: str, payload: JsonObject) -> None:
        """Take what only an event says of a call: the conversation it started, the patch that did not apply."""
        call = draft.calls.get(fields.text(payload.get("call_id")))
        if call and kind == "collab_agent_spawn_end":
            call.subagent = fields.text(payload.get("new_thread_id"))
        elif call and kind == "patch_apply_end":
            call.is_error = payload.get("success") is False

    def completed(self, draft: Draft, kind: str, item: JsonObject) -> None:
        """Take what really ran, in the place of the script that ran it."""
        if kind == "commandexecution":
            self._put(
                draft,
                "exec_command",
                {"cmd": _command(item.get("command"))},
                _text(item.get("aggregated_output")),
                item,
            )
        elif kind == "mcptoolcall":
            name = f"{fields.text(item.get('server'))}.{fields.text(item.get('tool'))}"
            self._put(draft, name, fields.decoded(item.get("arguments")), _text(item.get("result")), item)
        elif kind == "filechange":
            self._put(draft, "apply_patch", item.get("changes"), _text(item.get("stdout")), item)

    def _put(self, draft: Draft, name: str, arguments: Json, output: str, item: JsonObject) -> None:
        if self._script:
            draft.calls.pop(self._script, None)
        key = self._key(item)
        draft.call(key, name, arguments)
        code = fields.number(item.get("exit_code"))
        draft.answer(key, output, is_error=bool(code) or item.get("status") == "failed")

    def _call(self, draft: Draft, kind: str, item: JsonObject) -> None:
        key = self._key(item)
        name = fields.text(item.get("name"))
        if kind == "custom_tool_call":
            self._script = key if name == _SCRIPT else ""
            draft.call(key, name, item.get("input"))
        elif kind == "function_call":
            self._script = ""
            draft.call(key, name, fields.decoded(item.get("arguments")))
        else:
            fallback = kind.removesuffix("_call")
            draft.call(key, name or fallback, item.get("action") or fields.decoded(item.get("arguments")))

    def _result(self, draft: Draft, item: JsonObject) -> None:
        key = fields.text(item.get("call_id"))
        if key not in draft.calls:
            return
        output, is_error = _outcome(item.get("output"))
        draft.answer(key, output, is_error=is_error or draft.calls[key].is_error or item.get("status") == "failed")
        if draft.calls[key].name == "spawn_agent" and not draft.calls[key].subagent:
            draft.calls[key].subagent = fields.text(fields.record(fields.decoded(output)).get("agent_id"))

    def _key(self, item: JsonObject) -> str:
        """Use the id that a result names; searches often have none."""
        self._count += 1
        return fields.text(item.get("call_id")) or fields.text(item.get("id")) or f"#{self._count}"


def _outcome(output: Json) -> tuple[str, bool]:
    """Read an output as text, and whether it says that the call failed."""
    inner = fields.record(fields.decoded(output))
    if "output" in inner and "metadata" in inner:
        return _text(inner["output"]), bool(fields.number(fields.record(inner["metadata"]).get("exit_code")))
    if isinstance(output, dict):
        return _text(output.get("content")), output.get("success") is False
    text = _text(output)
    code = _EXIT.search(text[:1000])
    return text, code is not None and code[1] != "0"


def _text(value: Json) -> str:
    if isinstance(value, dict):
        return _text(value.get("content"))
    return fields.joined(value, frozenset({"text", "input_text", "output_text"}))


def _command(value: Json) -> str:
    """Show what a shell was given to run, without the shell."""
    if not isinstance(value, list):
        return fields.text(value)
    parts = [part for part in value if isinstance(part, str)]
    is_shell = len(parts) == 3 and parts[0].rpartition("/")[2] in _SHELLS and parts[1] in {"-c", "-lc"}
    return parts[2] if is_shell else shlex.join(parts)
