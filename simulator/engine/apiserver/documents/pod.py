"""The Pod object as the API server holds it at this moment.

The stored text has what was sent, completed; what changes while the pod lives (node, status,
generation, revision, deletion) is kept in its row and added when the object is shown. A version
that does not have a field yet does not show it, though the row may know it: generation, host
addresses, allocated resources, mounts in the status.

The row keeps short container ids and short image names; what a client sees is written out in
the manner of the node's runtime: containerd's ids and digests, or Docker's familiar names.
"""

import json
from hashlib import blake2b
from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.documents.moments import timestamp
from simulator.engine.containers import docker
from simulator.engine.containers.images.reference import parse_reference, with_default_tag
from simulator.engine.kernel.ids import container_id
from simulator.engine.kernel.units import SECOND, Key
from simulator.engine.model.quantity import canonical, parse
from simulator.engine.model.status import ContainerState, ContainerStatus, PodStatus, Terminated
from simulator.engine.model.status_json import from_status
from simulator.engine.world.rows import PodRow, resources_of
from simulator.engine.world.world import World

_STATUSES = (
    ("initContainers", "initContainerStatuses"),
    ("containers", "containerStatuses"),
    ("ephemeralContainers", "ephemeralContainerStatuses"),
)
"""The fields that hold the statuses of containers."""


def pod_document(world: World, key: Key) -> dict[str, Any]:
    """The pod as JSON values, as ``kubectl get pod -o yaml`` shows it; for a pod that is gone, its last state. Raises KeyError."""
    row = world.tables.pods[key]
    held: dict[str, Any] = json.loads(row.document)
    spec: dict[str, Any] = held["spec"]
    if row.node:
        # The binding is in the row, not in the stored text.
        spec["nodeName"] = row.node
    return {
        **held,
        "metadata": _metadata(world, row, held["metadata"]),
        "spec": spec,
        "status": _status(world, row, spec),
    }


def _metadata(world: World, row: PodRow, held: dict[str, Any]) -> dict[str, Any]:
    epoch_s = world.header.epoch_s
    metadata = {
        **held,
        "name": row.name,
        "namespace": row.namespace,
        "uid": row.uid,
        "creationTimestamp": timestamp(row.created_ms, epoch_s),
        "resourceVersion": str(row.resource_version),
    }
    if world.profile.pod_generation:
        metadata["generation"] = row.generation
    if row.deletion_ms is not None:
        metadata["deletionTimestamp"] = timestamp(row.deletion_ms, epoch_s)
        metadata["deletionGracePeriodSeconds"] = row.grace_s
    return metadata


def _status(world: World, row: PodRow, spec: dict[str, Any]) -> dict[str, Any]:
    status = _with_ids(world, row)
    shown = from_status(status, world.header.epoch_s * SECOND)
    if status.host_ip and world.release.facts.host_ips:
        shown["hostIPs"] = [{"ip": status.host_ip}]
    if world.profile.in_place_resize:
        for entry in (*shown.get("initContainerStatuses", ()), *shown.get("containerStatuses", ())):
            entry.update(_resources(row, entry["name"], runs="running" in (entry.get("state") or {})))
    if world.release.facts.mounts_in_status:
        for kind, statuses in _STATUSES:
            mounts = {item["name"]: item.get("volumeMounts") for item in spec.get(kind) or ()}
            for entry in shown.get(statuses, ()):
                if mounts.get(entry["name"]):
                    entry["volumeMounts"] = [_mounted(mount) for mount in mounts[entry["name"]]]
    return shown


def _mounted(mount: dict[str, Any]) -> dict[str, Any]:
    """A mount as a container's status reports it. The runtime supports recursive read-only mounts, so ``IfPossible`` is enabled."""
    found = {"name": mount["name"], "mountPath": mount["mountPath"]}
    if mount.get("readOnly"):
        asked = mount.get("recursiveReadOnly") in ("Enabled", "IfPossible")
        found |= {"readOnly": True, "recursiveReadOnly": "Enabled" if asked else "Disabled"}
    return found


def _with_ids(world: World, row: PodRow) -> PodStatus:
    """The status with the runtime's full ids and image names."""
    status = row.status

    def full(items: tuple[ContainerStatus, ...]) -> tuple[ContainerStatus, ...]:
        return tuple(_full_container(world.header.seed, world.runtime_of(row.node), row, item) for item in items)

    return replace(
        status,
        init_containers=full(status.init_containers),
        containers=full(status.containers),
        ephemeral_containers=full(status.ephemeral_containers),
    )


def _full_container(seed: int, runtime: str, row: PodRow, item: ContainerStatus) -> ContainerStatus:
    by_docker = runtime == docker.DOCKER
    name, digest = (docker.familiar, docker.image_id) if by_docker else (with_default_tag, str)
    return replace(
        item,
        container_id=_full_id(seed, runtime, row, item.container_id),
        image=name(item.image) if item.image_id else item.image,
        image_id=digest(image_id(item.image_id)) if item.image_id else "",
        state=_full_state(seed, runtime, row, item.state),
        last_state=_full_state(seed, runtime, row, item.last_state),
    )


def _full_state(seed: int, runtime: str, row: PodRow, state: ContainerState | None) -> ContainerState | None:
    return replace(state, container_id=_full_id(seed, runtime, row, state.container_id)) if isinstance(state, Terminated) else state


def _full_id(seed: int, runtime: str, row: PodRow, short: str) -> str:
    """``containerd://…`` for the short id ``app#0``; an id that is not short stays."""
    name, mark, attempt = short.rpartition("#")
    return f"{runtime}://{container_id(seed, row.uid, name, int(attempt))}" if mark else short


def image_id(image: str) -> str:
    """The repository with a digest, as containerd reports an image; the same name always has the same digest."""
    reference = parse_reference(image)
    if reference is None:
        return image
    digest = reference.digest or f"sha256:{blake2b(with_default_tag(image).encode(), digest_size=32).hexdigest()}"
    return f"{reference.name}@{digest}"


def _resources(row: PodRow, name: str, *, runs: bool) -> dict[str, object]:
    """The resources in a container's status, if they can be resized: allocated requests, actual requests and limits.

    A running container reports them even if they are empty (kubelet_pods.go convertContainerStatusResources).
    """
    container = next((item for item in (*row.pod.spec.init_containers, *row.pod.spec.containers) if item.name == name), None)
    if container is None:
        return {}
    allocated = resources_of(row.status.allocated, name) or container.resources
    actual = resources_of(row.status.actual, name) or allocated
    found: dict[str, object] = {}
    if allocated.requests:
        found["allocatedResources"] = dict(_written(allocated.requests))
    shown = {"limits": dict(_written(actual.limits)), "requests": dict(_written(actual.requests))}
    if runs or any(shown.values()):
        found["resources"] = {kind: values for kind, values in shown.items() if values}
    return found


def _written(quantities: dict[str, str | int | float]) -> dict[str, str]:
    return {name: canonical(parse(text)) for name, text in quantities.items()}
