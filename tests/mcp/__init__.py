"""Tests of the tools for agents: what they do, and both ways to reach them."""
