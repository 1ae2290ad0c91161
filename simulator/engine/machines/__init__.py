"""The state machines, one file each. ``tables`` lists them all."""
