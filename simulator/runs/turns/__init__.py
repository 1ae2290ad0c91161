"""Who waits for whom: places, computing time, slots, and what one request may have played. docs/turns.md explains it."""
