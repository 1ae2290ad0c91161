"""Remedies: what the status words and reasons of a broken pod mean to its owner, and which of them a pasted text shows."""
