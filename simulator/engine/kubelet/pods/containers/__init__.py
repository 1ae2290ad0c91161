"""Containers that run: their processes, execs and hooks, and what the runtime says of them."""
