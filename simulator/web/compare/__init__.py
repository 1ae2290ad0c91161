"""Runs side by side: two that exist, or one under several Kubernetes versions."""
