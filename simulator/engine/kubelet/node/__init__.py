"""What concerns a node as a whole: registration, status, admission, eviction, shutdown, restart, loss of runtime or network."""
