"""Template tags of the dock."""
