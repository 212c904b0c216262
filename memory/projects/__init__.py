"""Projects: their names, where they are and how MemSearch calls their index."""
