"""Conversations of DeepSeek Harness."""
