"""What a text means as the value of a key, and how a value is typed."""

from __future__ import annotations

import json
import re

from memory.configuration import keys
from memory.configuration.keys import Scalar

LONGEST = 4096
_MOST = 1_000_000
_LEAST = {"chunking.max_chunk_size": 1, "min_occurrences": 1}
"""By key, or by its last part; the least of any other number is 0."""

_VARIABLE = re.compile(r"env:[A-Za-z_][A-Za-z0-9_]*")
_ADDRESS = re.compile(r"https?://[^\s/@?#]+(?:[/?]\S*)?")
_WORDS = {"true": True, "1": True, "yes": True, "on": True, "false": False, "0": False, "no": False, "off": False}


class InvalidValue(ValueError):
    """A value that a key cannot have; the message is one sentence that starts with the key."""

    def __init__(self, key: str, why: str) -> None:
        super().__init__(f"{key}: {why}")
        self.key = key


def parse(key: str, text: str) -> Scalar:
    """Return what a text means for a key; `env:NAME` stands for a variable and is kept. Raises InvalidValue."""
    if not keys.is_known(key):
        raise InvalidValue(key, "there is no such setting.")
    text = text.strip()
    if len(text) > LONGEST:
        raise InvalidValue(key, f"use at most {LONGEST:,} characters.")
    default = keys.defaults().get(key, "")
    if isinstance(default, list):
        return _list(key, text)
    if not text.isprintable():
        raise InvalidValue(key, "use one line without control characters.")
    if _VARIABLE.fullmatch(text):
        return text
    if isinstance(default, bool):
        return _switch(key, text)
    return _number(key, text) if isinstance(default, int) else _text(key, text)


def typed(value: Scalar) -> str:
    """Write a value as a person types it: `parse` gives it back."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, list):
        is_plain = not any("," in item or item.startswith("[") for item in value)
        return "\n".join(value) if is_plain else json.dumps(value, ensure_ascii=False)
    return str(value)


def _switch(key: str, text: str) -> bool:
    try:
        return _WORDS[text.lower()]
    except KeyError:
        raise InvalidValue(key, "use true or false.") from None


def _number(key: str, text: str) -> int:
    least = _LEAST.get(key, _LEAST.get(key.rpartition(".")[2], 0))
    if not re.fullmatch(r"[0-9]{1,9}", text) or not least <= int(text) <= _MOST:
        raise InvalidValue(key, f"use a whole number from {least} to {_MOST:,}.")
    return int(text)


def _list(key: str, text: str) -> list[str]:
    """Take a JSON array, a line each, or commas, as `memsearch config set` does."""
    items = _array(key, text) if text.startswith("[") else re.split(r"[\n,]", text)
    found = [item.strip() for item in items if item.strip()]
    if not all(item.isprintable() for item in found):
        raise InvalidValue(key, "use no control characters.")
    return found


def _array(key: str, text: str) -> list[str]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        found = None
    if not isinstance(found, list) or not all(isinstance(item, str) for item in found):
        raise InvalidValue(key, "use a JSON array of texts, or one text a line.")
    return found


def _text(key: str, text: str) -> str:
    known = keys.choices(key)
    if text and known and text not in known:
        raise InvalidValue(key, f"use one of {', '.join(known)}.")
    if text and key.endswith("base_url") and not _ADDRESS.fullmatch(text):
        raise InvalidValue(key, "use an address such as https://host/v1, without a name or password in it.")
    return text
