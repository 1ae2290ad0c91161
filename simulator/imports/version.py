"""Guess which Kubernetes version wrote a text, from what each version writes."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.versions import MINORS, Profile, resolve
from simulator.imports.read import SeenPod

_NEEDED = 10
"""The penalty for a version that lacks a field that the pod needs to run as it does."""


def minor_of_nodes(nodes: tuple[dict[str, Any], ...]) -> str:
    """The newest version among the kubelets of these nodes that can be simulated; empty if there is none."""
    found = set()
    for node in nodes:
        info = ((node.get("status") or {}).get("nodeInfo") or {}).get("kubeletVersion")
        found.add(".".join(str(info or "").removeprefix("v").split(".")[:2]))
    return next((minor for minor in reversed(MINORS) if minor in found), "")


def guess_minor(pods: tuple[SeenPod, ...]) -> str:
    """The version that agrees best with the fields, conditions and Event messages; the newest one if several agree equally."""
    best, score = MINORS[-1], None
    for minor in MINORS:
        profile = resolve(minor, {})
        points = sum(1 if agrees else -1 for pod in pods for agrees in _evidence(pod, profile))
        points -= _NEEDED * sum(_uses_sidecars(pod) and not profile.sidecar_containers for pod in pods)
        # >= rather than >, to prefer the newest of equals.
        if score is None or points >= score:
            best, score = minor, points
    return best


def _uses_sidecars(pod: SeenPod) -> bool:
    return any(item.get("restartPolicy") == "Always" for item in pod.spec.get("initContainers") or ())


def _evidence(pod: SeenPod, profile: Profile) -> Iterator[bool]:
    """For each difference between versions: whether this one would have written the text's form."""
    status = pod.status
    kinds = {item["type"] for item in status["conditions"]}
    if status.get("startTime"):
        yield (profile.ready_to_start_condition or None) == next(
            (kind for kind in ("PodReadyToStartContainers", "PodHasNetwork") if kind in kinds), None
        )
    yield ("generation" in pod.metadata) == profile.pod_generation
    resources = any("resources" in item or "allocatedResources" in item for item in status["containerStatuses"])
    if status["containerStatuses"]:
        yield resources == profile.in_place_resize
    for volume in pod.spec.get("volumes") or ():
        name = str(volume.get("name"))
        if name.startswith(("kube-api-access-", "default-token-")):
            yield name.startswith(profile.token_volume_prefix)
    yield from _words(pod, profile)


def _words(pod: SeenPod, profile: Profile) -> Iterator[bool]:
    for event in pod.events:
        container = event.field_path.partition("{")[2].rstrip("}")
        if event.reason == "Created":
            yield event.message == profile.created_text.format(container=container)
        elif event.reason == "BackOff" and "restarting" in event.message:
            yield (" in pod " in event.message) == (profile.backoff_event_text == "named")
        elif event.reason == "Started":
            yield event.message == profile.started_text.format(container=container)
        elif event.reason == "Pulled" and "Successfully" in event.message:
            kind = "size" if "Image size" in event.message else "waiting" if "including waiting" in event.message else "plain"
            yield (profile.pulled_text if profile.pulled_text in ("plain", "waiting") else "size") == kind
