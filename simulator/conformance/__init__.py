"""Runs published facts about Kubernetes through the functions that the simulation itself uses."""
