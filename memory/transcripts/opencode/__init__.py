"""Conversations of OpenCode."""
