"""Recordings of a real node, simulated again and compared: what happened to each pod, and the final output of kubectl describe."""
