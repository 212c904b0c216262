"""All tools, by name, in the order in which clients list them."""

from __future__ import annotations

from memory.mcp.tool import Tool
from memory.mcp.tools import editing, judging, projects, reading, recall, saving, searching, service, sessions

_ALL: tuple[Tool, ...] = (
    saving.mem_save,
    searching.mem_search,
    reading.mem_context,
    saving.mem_session_summary,
    reading.mem_get_observation,
    saving.mem_save_prompt,
    projects.mem_current_project,
    recall.memory_retrieve,
    recall.memory_expand,
    recall.memory_transcript,
    judging.mem_judge,
    judging.mem_compare,
    editing.mem_update,
    editing.mem_review,
    editing.mem_pin,
    editing.mem_unpin,
    service.mem_suggest_topic_key,
    sessions.mem_session_start,
    sessions.mem_session_end,
    saving.mem_capture_passive,
    projects.mem_list_projects,
    service.mem_doctor,
    reading.mem_stats,
    reading.mem_timeline,
    editing.mem_delete,
    projects.mem_merge_projects,
)

TOOLS = {tool.name: tool for tool in _ALL}
