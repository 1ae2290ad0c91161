"""Declared load on a Service and the outcome of each request: counted, never queued."""
