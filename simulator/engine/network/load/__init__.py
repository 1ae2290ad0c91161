"""Declared load on a Service and what becomes of each request: counted, never queued."""
