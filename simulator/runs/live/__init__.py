"""Runs as they are watched: the sockets of runs and classes, one hub per run that serves all its sockets, and presence."""
