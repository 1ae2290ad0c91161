"""The gallery, the page of a scenario, and new runs: from a scenario, from YAML, from a cluster."""
