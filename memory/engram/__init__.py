"""Memories saved one by one, as Engram keeps them: observations, prompts, relations and their sessions."""
