"""The inputs of the sync loop: relists, ends of processes, execs and hooks, pulls, probe results, housekeeping."""
