"""Starting a container: back-off, image, environment, mounts, the process."""
