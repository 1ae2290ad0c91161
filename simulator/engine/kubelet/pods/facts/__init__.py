"""What a kubelet reads about a pod and its node before anything runs: names, fields, configuration, allocated resources."""
