"""The status of a pod: phase, conditions and container statuses, and why the kubelet ends a pod by itself."""
