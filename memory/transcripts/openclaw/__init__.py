"""Conversations of OpenClaw."""
