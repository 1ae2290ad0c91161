"""The volumes of a pod: their contents, when they are mounted, and where containers find them."""
