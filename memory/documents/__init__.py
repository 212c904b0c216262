"""PROJECT.md and USER.md: what the agents hold to be true of a project and of its person."""
