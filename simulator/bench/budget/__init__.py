"""The cost of canonical runs: calls of the project's own functions, the same on every machine, and time against another commit."""
