"""Agents' original conversations: where their files lie, and how one turn is read out of them."""
