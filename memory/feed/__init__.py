"""The followed change feed: one reader in each event loop tells all followers what was committed."""
