"""Sweeps: the same run over many values of one field and many seeds, and what comes of each."""
