"""The Common Memory Service: one door in this process through which any memory plugin is told, asked and followed."""
