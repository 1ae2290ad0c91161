"""Reads. Plain data or querysets; nothing here writes, and nothing runs the engine.

A function says how many queries it takes, and tests count them. Texts that may be megabytes (manifests,
contents) are deferred wherever the caller does not need them. Statements that run every second are
compiled once (``Statement``) and only get their parameters.
"""
