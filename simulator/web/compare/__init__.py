"""Runs side by side: two existing ones, or one under several Kubernetes versions."""
