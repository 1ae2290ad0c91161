"""Imported pods: their past fact by fact, and the moment at which the simulation takes them over."""
