"""Texts for people to read and compare: lines, differences, and characters that nobody sees."""
