"""What the kubelet and the container runtime may do with a container: start, resume, signal and end it, run commands in it, ask it."""
