"""Sharing the machine among visitors: places, computing time, slots, and how much one request may play. docs/turns.md explains it."""
