"""Numbers of what is remembered, by day, agent and kind: bounded reads only, so that pages stay quick."""
