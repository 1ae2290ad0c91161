"""The files of a container."""
