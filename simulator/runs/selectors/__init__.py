"""Reads. Plain data or querysets; nothing here writes, and nothing runs the engine."""
