"""The HorizontalPodAutoscaler controller: as many replicas as the measured use of their pods asks for."""
