"""The state machines, one file each. ``tables`` shows them all."""
