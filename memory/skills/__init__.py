"""Skill candidates: the directory that MemSearch keeps, and the review that people do on it."""
