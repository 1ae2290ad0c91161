"""Recorded defaults: what a 1.20 server stored for the pods that were sent, field by field.

Masked are values that no two servers agree on: uid, times, revision, managed fields and the random end of the token's name.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from simulator.engine.api.defaults.admission import admit, token_volume
from simulator.engine.api.defaults.pod import default_pod_document
from simulator.engine.api.defaults.serialized import as_serialized
from simulator.engine.api.manifest import pod_from_document
from simulator.engine.api.qos import qos_class
from simulator.engine.api.validation.disabled import drop_disabled_fields
from simulator.fidelity.answers.outcome import masked
from simulator.manifests.decoding import known_fields

Json = dict[str, Any]
MINOR = 20
_NAMESPACE = "rej"
_CLEARED = ("deletionTimestamp", "deletionGracePeriodSeconds", "selfLink")
"""What a new object does not have, whatever was sent."""
_NOT_COMPARED = ("uid", "creationTimestamp", "resourceVersion", "managedFields")


class DefaultsOutcome(Struct, frozen=True):
    """A recorded pod and the fields in which ours differs."""

    case: str
    differing: tuple[str, ...]

    @property
    def agrees(self) -> bool:
        """Whether every field is as recorded."""
        return not self.differing


def measure(path: Path) -> list[DefaultsOutcome]:
    """Compare every pod of a file of recorded defaults. Raises OSError."""
    recorded = json.loads(path.read_text(encoding="utf-8"))
    return [
        DefaultsOutcome(name, tuple(differences(_comparable(pair["stored"]), _comparable(stored(pair["sent"])))))
        for name, pair in recorded.items()
    ]


def stored(sent: Json) -> Json:
    """The pod as it is stored when it was just created in the recorded namespace."""
    pod = default_pod_document(known_fields({"apiVersion": "v1", "kind": "Pod", **sent}, minor=MINOR), minor=MINOR)
    account = pod["spec"].get("serviceAccountName") or pod["spec"].get("serviceAccount") or "default"
    admit(pod["spec"], token_volume(f"{account}-token-xxxxx", bound=False))
    drop_disabled_fields(pod["spec"], minor=MINOR)
    status = {"phase": "Pending", "qosClass": qos_class(pod_from_document(pod).spec, pod_level=False)}
    metadata = {key: value for key, value in pod["metadata"].items() if key not in _CLEARED}
    return as_serialized({**pod, "metadata": {**metadata, "namespace": _NAMESPACE}, "status": status})


def _comparable(pod: Json) -> Json:
    shown: Json = json.loads(masked(json.dumps(pod)))
    return {**shown, "metadata": {key: value for key, value in shown["metadata"].items() if key not in _NOT_COMPARED}}


def differences(recorded: Any, ours: Any, path: str = "") -> Iterator[str]:
    """The paths at which two JSON values differ."""
    if isinstance(recorded, dict) and isinstance(ours, dict):
        for key in sorted({**recorded, **ours}):
            yield from differences(recorded.get(key), ours.get(key), f"{path}.{key}" if path else key)
    elif isinstance(recorded, list) and isinstance(ours, list) and len(recorded) == len(ours):
        for index, (one, other) in enumerate(zip(recorded, ours, strict=True)):
            yield from differences(one, other, f"{path}[{index}]")
    elif recorded != ours:
        yield path
