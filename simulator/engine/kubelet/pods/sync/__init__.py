"""One sync of a pod: what is decided (pure), how it is carried out, how a pod ends."""
