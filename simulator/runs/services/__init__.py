"""Writes. Each function is one transaction, takes keywords only, and raises a ServiceError where it may not or cannot."""
