"""Conversations of Codex."""
