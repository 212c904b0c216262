"""Recall in layers: what is found, what stands around it, and the conversation that it came from."""
