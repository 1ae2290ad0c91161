"""A node's own life: its conditions and taints, the controllers that watch it, and what users do to it."""
