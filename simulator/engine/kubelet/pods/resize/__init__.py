"""In-place resize: what was requested, what the kubelet accepted, and what running containers have."""
