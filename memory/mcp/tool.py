"""A tool: what the model is told about it, what it takes and the function that does it."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, get_type_hints

from memory.mcp.answers import Answer
from memory.mcp.arguments import Arguments
from memory.mcp.caller import Call
from memory.models.token import Scope


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    """`needs` is the scope that a caller must have; `failing` is how a refusal begins."""

    name: str
    title: str
    description: str
    arguments: type[Arguments]
    run: Callable[[Call, Any], Answer]
    needs: Scope
    failing: str
    is_destructive: bool
    is_idempotent: bool


def tool[A: Arguments](
    title: str,
    *,
    needs: Scope = Scope.READ,
    failing: str = "",
    is_destructive: bool = False,
    is_idempotent: bool = False,
) -> Callable[[Callable[[Call, A], Answer]], Tool]:
    """Make a tool of a function: its name, its docstring for the model, and the arguments that it takes."""

    def made(run: Callable[[Call, A], Answer]) -> Tool:
        return Tool(
            name=run.__name__,
            title=title,
            description=_unwrapped(inspect.cleandoc(run.__doc__ or "")),
            arguments=get_type_hints(run)["asked"],
            run=run,
            needs=needs,
            failing=failing,
            is_destructive=is_destructive,
            is_idempotent=is_idempotent or needs == Scope.READ,
        )

    return made


def _unwrapped(text: str) -> str:
    """Make one line of each paragraph."""
    return re.sub(r"(?<!\n)\n(?!\n)", " ", text)
