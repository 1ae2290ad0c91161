"""Remedies: what the words of a broken pod mean for its owner, and which of them a pasted text shows."""
