"""What a kubelet reads of a pod and its node before anything runs: names, fields, configuration, agreed resources."""
