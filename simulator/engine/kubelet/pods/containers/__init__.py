"""Running containers: their processes, execs and hooks, and what the runtime reports about them."""
