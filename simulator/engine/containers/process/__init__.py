"""The stored state of a container: its processes, what a shell has left to do, and the result of a turn."""
