"""The node as a whole: registration, status, admission, eviction, shutdown, restart, loss of the runtime or the network."""
