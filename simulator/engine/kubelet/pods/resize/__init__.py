"""In-place resize: what was asked for, what the kubelet agreed to, and what running containers have."""
