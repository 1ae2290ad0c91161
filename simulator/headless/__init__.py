"""Runs without a site: a world is driven to a moment and printed as a trace, a watch table or a list of Events."""
