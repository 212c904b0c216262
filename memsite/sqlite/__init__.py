"""Django's SQLite backend with writers that are seen to wait."""
