"""The sandbox of a pod, and the range of user ids that comes with it."""
