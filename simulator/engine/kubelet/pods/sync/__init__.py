"""One sync of a pod: what is decided (pure), how it is worked off, how a pod ends."""
