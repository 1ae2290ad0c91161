"""Recordings of a real node, simulated again and compared: what happened to each pod, and what kubectl describe said in the end."""
