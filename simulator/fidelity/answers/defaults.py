"""Recorded defaults: what a 1.20 server stored for the pods that were sent, field by field.

Values that no two servers have in common are masked: uid, times, revision, managed fields and the random suffix of the
token's name.
"""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from msgspec import Struct

from simulator.engine import RunHeader, apply, new_world
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.kernel.json_text import Json, decode
from simulator.fidelity.answers.outcome import masked

KUBERNETES = "1.20"
_NAMESPACE = "rej"
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
    recorded = decode(path.read_text(encoding="utf-8"))
    return [
        DefaultsOutcome(name, tuple(differences(_comparable(pair["stored"]), _comparable(stored(pair["sent"])))))
        for name, pair in recorded.items()
    ]


def stored(sent: Json) -> Json:
    """A newly created pod in the recorded namespace, as the store of a run shows it. Raises ValueError if it is refused."""
    world = new_world(RunHeader(kubernetes=KUBERNETES, jitter=False))
    document = json.dumps({"apiVersion": "v1", "kind": "Pod", **sent})
    records = apply(world, ApplyManifest(documents=(document,), namespace=_NAMESPACE, create=True))
    refused = [record for record in records if record.machine == "command" and record.target == "refused"]
    if refused:
        raise ValueError(str(refused[0].get("message") or refused[0].rule))
    (pod,) = world.tables.pods.values()
    return object_document(world, "Pod", _NAMESPACE, pod.name)


def _comparable(pod: Json) -> Json:
    shown: Json = decode(masked(json.dumps(pod)))
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
