"""Stopping a container within its grace period."""
