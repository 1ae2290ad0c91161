"""The worker of a pod: its states, and when it may sync."""
