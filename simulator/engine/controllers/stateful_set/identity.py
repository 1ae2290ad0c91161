"""The identity of a StatefulSet's pod: its ordinal, name, labels, host name and claims.

Source: pkg/controller/statefulset/stateful_set_utils.go. The ordinal is read from the pod's name
alone.
"""

import json
import re
from functools import lru_cache
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.pod_updates import update_pod
from simulator.engine.kernel.json_text import Json
from simulator.engine.workloads.history import POD_HASH_LABEL
from simulator.engine.workloads.objects import spec_of
from simulator.engine.workloads.pod_control import pod_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import ApiObject

NAME_LABEL = "statefulset.kubernetes.io/pod-name"
INDEX_LABEL = "apps.kubernetes.io/pod-index"
_NAMED = re.compile(r"(.*)-([0-9]+)$", re.DOTALL)


@lru_cache(maxsize=16384)
def is_member_name(set_name: str, pod_name: str) -> bool:
    """Whether a pod of that name can belong to the set."""
    found = _NAMED.fullmatch(pod_name)
    return found is not None and found[1] == set_name


@lru_cache(maxsize=16384)
def ordinal_of(pod_name: str) -> int:
    """The number at the end of a pod's name, -1 for none or one that does not fit 32 bits."""
    found = _NAMED.fullmatch(pod_name)
    digits = found[2] if found is not None else ""
    # Upstream reads an int32; a name with a larger number has no ordinal.
    return int(digits) if 0 < len(digits) <= 10 and int(digits) < 2**31 else -1


def revision_of(row: PodRow) -> str:
    """The name of the ControllerRevision that the pod was made from."""
    return row.pod.metadata.labels.get(POD_HASH_LABEL, "")


def claim_name(template: Json, set_name: str, ordinal: int) -> str:
    """The name of the claim that a template gives the pod of that ordinal."""
    return f"{(template.get('metadata') or {}).get('name')}-{set_name}-{ordinal}"


def claim_templates(row: ApiObject) -> list[Json]:
    """The claim templates of a set, read-only."""
    return list(spec_of(row).get("volumeClaimTemplates") or ())


def identity_labels(fx: Effects, name: str) -> dict[str, str]:
    """The labels that every pod of a set has in this version."""
    labels = {NAME_LABEL: name}
    return {**labels, INDEX_LABEL: str(ordinal_of(name))} if fx.profile.pod_index_label else labels


def stateful_pod(fx: Effects, row: ApiObject, template: Json, revision: str, ordinal: int) -> Json:
    """The pod of an ordinal as the controller sends it (newStatefulSetPod)."""
    name = f"{row.name}-{ordinal}"
    given = dict((template.get("metadata") or {}).get("labels") or {})
    pod = pod_of(
        row, template, name=name, generateName=f"{row.name}-",
        labels={**given, **identity_labels(fx, name), POD_HASH_LABEL: revision},
    )  # fmt: skip
    spec = {**pod["spec"], "hostname": name}
    service = spec_of(row).get("serviceName")
    if service:
        spec["subdomain"] = service
    claims = {str((item.get("metadata") or {}).get("name")): claim_name(item, row.name, ordinal) for item in claim_templates(row)}
    if claims:
        # A claim template wins over a volume of the pod template with the same name.
        kept = [item for item in spec.get("volumes") or () if item.get("name") not in claims]
        spec["volumes"] = [*({"name": key, "persistentVolumeClaim": {"claimName": claim}} for key, claim in claims.items()), *kept]
    return {**pod, "spec": spec}


def identity_matches(fx: Effects, row: PodRow) -> bool:
    """Whether the pod has the labels that identify it (identityMatches)."""
    return identity_labels(fx, row.name).items() <= row.pod.metadata.labels.items()


def give_identity(fx: Effects, row: PodRow) -> None:
    """Restore the identifying labels of a pod that has lost them (updateIdentity)."""
    labels = {**row.pod.metadata.labels, **identity_labels(fx, row.name)}
    document: dict[str, Any] = json.loads(row.document)
    document["metadata"] = {**document["metadata"], "labels": labels}
    update_pod(fx, row, document, replace(row.pod, metadata=replace(row.pod.metadata, labels=labels)), grown=False)
