"""Tools by which an agent says how two memories relate."""

from __future__ import annotations

from pydantic import Field

from memory.api.engram import shapes
from memory.engram import relations
from memory.mcp.answers import Answer, told
from memory.mcp.arguments import Arguments, Line, Number, Text
from memory.mcp.caller import Call
from memory.mcp.tool import tool
from memory.models.token import Scope

_RELATION = "related, compatible, scoped, conflicts_with, supersedes or not_conflict."


class Judge(Arguments):
    judgment_id: Line = Field(description="The judgment_id of one candidate of mem_save.")
    relation: Line = Field(description=_RELATION)
    reason: Text = Field("", description="Why.")
    evidence: Text = Field("", description="What supports it, such as the user's answer.")
    confidence: float | None = Field(None, description="How sure it is, 0 to 1.")
    session_id: Line = Field("", description="The session in which this was judged.")


@tool("Judge Memory Conflict", needs=Scope.WRITE)
def mem_judge(call: Call, asked: Judge) -> Answer:
    """Say how a memory that was just saved relates to one of the candidates that mem_save returned.

    Call it once for each candidate, with that candidate's judgment_id. Ask the user first when you are less than 0.7
    sure, and before supersedes or conflicts_with about an architecture, policy or decision. Judging again replaces the
    verdict.
    """
    row = relations.judge(**asked.model_dump(), at=call.at)
    return told({"relation": shapes.relation(row)})


class Compare(Arguments):
    memory_id_a: Number = Field(description="Id of the first memory.")
    memory_id_b: Number = Field(description="Id of the second memory.")
    relation: Line = Field(description=_RELATION)
    confidence: float = Field(description="How sure it is, 0 to 1.")
    reasoning: Text = Field(description="Why, in a sentence or two.")
    model: Line = Field("", description="Which model judged.")


@tool("Compare Memories", needs=Scope.WRITE, is_idempotent=True)
def mem_compare(call: Call, asked: Compare) -> Answer:
    """Record how two memories relate, after you have read and judged both; not_conflict is worth recording too."""
    row = relations.compare(
        a=asked.memory_id_a,
        b=asked.memory_id_b,
        relation=asked.relation,
        confidence=asked.confidence,
        reasoning=asked.reasoning,
        model=asked.model,
        at=call.at,
    )
    return told({"sync_id": row.sync_id})
