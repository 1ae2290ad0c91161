"""Acts on containers, their processes, probes and images."""
