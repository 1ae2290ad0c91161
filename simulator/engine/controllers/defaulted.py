"""A pod as the engine works with it: read from its document, with the defaults of the run's version."""

from typing import Any

from msgspec.structs import replace

from simulator.engine.api.defaults.pod_level import with_pod_level
from simulator.engine.api.manifest import default_pod, pod_from_document
from simulator.engine.api.pod import Pod
from simulator.engine.profile.fields import Profile


def defaulted_pod(profile: Profile, document: dict[str, Any], *, namespace: str) -> Pod:
    """The pod of a document; ``namespace`` where it names none. Raises BadManifest and BadQuantity. Cost: O(document)."""
    pod = default_pod(pod_from_document(document, namespace=namespace))
    if profile.pod_level_resources and pod.spec.resources is not None:
        return replace(pod, spec=with_pod_level(pod.spec))
    return pod
