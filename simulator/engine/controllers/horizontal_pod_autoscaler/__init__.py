"""The HorizontalPodAutoscaler controller: sets the number of replicas from the measured usage of their pods."""
