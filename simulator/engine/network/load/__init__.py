"""Requests that a Service gets by declaration, and what becomes of each: counted, never queued."""
