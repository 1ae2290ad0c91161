"""The volumes of a pod: what is in them, when they are mounted, and where containers find them."""
