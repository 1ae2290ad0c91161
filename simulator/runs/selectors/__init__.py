"""Reads, which return plain data or querysets; nothing here writes, and nothing runs the engine.

Every docstring says how many queries a function takes, and tests count them. Texts that may be megabytes
(manifests, contents) are deferred wherever the caller does not need them. Queries that run every second
are compiled once (``Statement``).
"""
