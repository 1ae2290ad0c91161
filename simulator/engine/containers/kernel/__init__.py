"""One turn of a container: its processes, what they read and write, and the programs they run."""
