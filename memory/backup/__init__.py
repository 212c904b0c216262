"""Everything that MemDock keeps, in one file that can be put back."""
