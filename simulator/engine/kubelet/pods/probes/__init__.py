"""Probes: the stored result as a machine, the pure step of a worker, the worker, and what a result triggers."""
