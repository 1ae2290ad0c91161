"""Runs as they are watched: sockets of runs and classes, one reader of each run for all of them, and who is there."""
