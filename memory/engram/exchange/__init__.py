"""Memory that comes in from Engram, in any of its forms, and goes out as Engram's export."""
