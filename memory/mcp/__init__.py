"""MemDock as an MCP server: Engram's `mem_*` tools and recall, over the same functions as the wire and the dock."""
