"""Runs without a site: drive a world to a moment, and print it as a trace, a watch table or a list of Events."""
