"""Conversations of Claude Code."""
