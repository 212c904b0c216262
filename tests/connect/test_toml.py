"""Codex's configuration keeps what is not ours, as text and as what it says."""

from __future__ import annotations

import tomllib

import pytest

from memory.connect import toml
from memory.connect.refusals import Unreadable
from memory.transcripts.conversation import JsonObject

SERVER: JsonObject = {"command": "/opt/memdock", "args": ["mcp"]}
PART = toml.part(SERVER)

TEXTS = [
    None,
    'model = "x"\n',
    'model = "x"',
    "# only a comment\n\n\n",
    '[mcp_servers.a]\ncommand = "a"\n',
    '[mcp_servers]\na = { command = "a" }\n',
    'mcp_servers.a.command = "a"\n[x]\ny = 1\n',
    'x = """\r\n[mcp_servers.memdock]\r\n"""\r\n',
    "\ufeffx = 1\n",
]


@pytest.mark.parametrize("text", TEXTS)
def test_taking_ours_out_undoes_putting_it_in(text: str | None) -> None:
    changed = PART.put(text)

    assert changed and toml.read(changed)["mcp_servers"]["memdock"] == SERVER  # type: ignore[call-overload, index]
    assert PART.put(changed) == changed
    assert PART.take(changed) == text


def test_a_table_that_codex_wrote_anew_is_still_taken_out() -> None:
    text = 'a = 1 # one\n\n[mcp_servers.memdock]\ncommand = "/old/memdock"\nargs = [ "mcp" ]\nenabled = true\n\n[z]\nb = 2\n'

    left = PART.take(text)

    assert left and tomllib.loads(left) == {"a": 1, "z": {"b": 2}}
    assert "# one" in left


def test_an_older_table_is_brought_up_to_date_in_its_place() -> None:
    text = '[mcp_servers.memdock] # mine\ncommand = "/old/memdock"\nargs = ["mcp"]\nenabled = false # for now\n\n[z]\nb = 2\n'

    assert PART.put(text) == text.replace("/old/memdock", "/opt/memdock")


@pytest.mark.parametrize(
    "text",
    [
        'mcp_servers = { a = { command = "a" } }\n',
        '[mcp_servers.memdock]\ncommand = "other"\n',
        "mcp_servers = 1\n",
        "a = \n",
        "a = 1\na = 2\n",
    ],
)
def test_what_cannot_be_changed_safely_is_refused(text: str) -> None:
    with pytest.raises(Unreadable):
        PART.put(text)
