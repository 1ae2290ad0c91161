"""Sweeps: the same run with many values of one field and many seeds, and the outcome of each."""
