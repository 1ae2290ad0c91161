"""The inputs of the sync loop: relists, ends of processes, execs and hooks, pulls, results of probes, housekeeping."""
