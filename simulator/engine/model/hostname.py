"""The host name of a pod. Source: pkg/kubelet/kubelet_pods.go GeneratePodHostNameAndDomain, truncatePodHostnameIfNeeded."""

from simulator.engine.model.pod import PodSpec

CHARS_MAX = 63
"""A longer host name is truncated."""


def hostname_of(spec: PodSpec, name: str) -> str:
    """The pod's host name, which is its own name unless it requests another."""
    asked = spec.hostname_override or spec.hostname or name
    # Truncation must not leave a dash or dot at the end.
    return asked if len(asked) <= CHARS_MAX else asked[:CHARS_MAX].rstrip("-.")


def domain_of(spec: PodSpec, namespace: str, cluster: str) -> str:
    """The domain that follows from a subdomain; empty without one."""
    return f"{spec.subdomain}.{namespace}.svc.{cluster}" if spec.subdomain and not spec.hostname_override else ""
