"""The defaults of a Pod document: what the API server adds to the fields that were sent, before admission.

Works on the document itself, so that fields the engine does not type stay as they are. Null and
missing are the same, and for most strings and numbers so is the zero value: in a field that is not
a pointer, Go cannot tell an empty string from a missing one, hence ``periodSeconds: 0`` becomes 10.

Pods and pod templates are defaulted by different functions upstream. A template gets what its
containers and volumes need, but requests do not follow limits, service links are not switched on,
and resize policies are not filled in: that happens when a pod is made from it. Host ports in
templates on the node's network were filled in up to 1.27 and are not since, which matters because a
changed template is a new revision.

The order within a pod matters in two places: quantities are rounded before requests are copied from
limits, and resize policies look at the requests that result.

What depends on the version is in ``PodDefaults``, derived from feature gates and release facts.

Source: pkg/apis/core/v1/defaults.go (1.20.2 and newer), checked against objects stored by a 1.20.2
server.
"""

import copy
from functools import lru_cache
from typing import Any

from msgspec import Struct

from simulator.engine.apiserver.defaulting.containers import fill_container, map_of, maps, round_up_all
from simulator.engine.apiserver.defaulting.pod_level import fill_pod_level
from simulator.engine.apiserver.defaulting.volumes import fill_volume
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import DEFAULT_GRACE_S
from simulator.engine.versions.release import Release

_SPEC: tuple[tuple[str, Any], ...] = (
    ("restartPolicy", "Always"),
    ("dnsPolicy", "ClusterFirst"),
    ("terminationGracePeriodSeconds", DEFAULT_GRACE_S),
    ("schedulerName", "default-scheduler"),
)
CONTAINER_LISTS = ("initContainers", "containers", "ephemeralContainers")


class PodDefaults(Struct, frozen=True, kw_only=True):
    """The parts of defaulting that depend on the version and its gates.

    ``resize_policy``: fill in how containers take a change of cpu and memory. ``image_volumes``: fill in their pull policy.
    ``pod_level``: fill in the requests of a pod with limits of its own. ``template_host_ports``: pod templates on the node's network
    get host ports, as pods do.
    """

    resize_policy: bool
    image_volumes: bool
    pod_level: bool
    template_host_ports: bool


@lru_cache(maxsize=256)
def defaults_of(release: Release) -> PodDefaults:
    """The defaulting of a release."""
    return PodDefaults(
        resize_policy=release.has("InPlacePodVerticalScaling"),
        image_volumes=release.facts.image_volume_pull_policy,
        pod_level=release.has("PodLevelResources"),
        template_host_ports=release.facts.template_host_ports,
    )


def default_pod_document(document: Json, *, release: Release) -> Json:
    """A new document with its defaults. Cost: O(document)."""
    filled: Json = copy.deepcopy(document)
    fill_pod(filled, release=release)
    return filled


def fill_pod(document: Json, *, release: Release) -> None:
    """Fill in the defaults of a pod, in place."""
    document["spec"] = map_of(document, "spec")
    fill_spec(document["spec"], rules=defaults_of(release))


def default_template_document(template: Json, *, release: Release) -> Json:
    """A new pod template with its defaults: those of a pod except the ones that only pods have."""
    filled: Json = copy.deepcopy(template)
    filled["spec"] = map_of(filled, "spec")
    fill_template_spec(filled["spec"], rules=defaults_of(release))
    return filled


def fill_spec(spec: Json, *, rules: PodDefaults) -> None:
    """Fill in the defaults of a pod's spec, in place."""
    _fill_common(spec, rules=rules)
    for kind in CONTAINER_LISTS:
        for container in maps(spec, kind):
            # Ephemeral containers have neither resources nor ports to default.
            if kind != "ephemeralContainers":
                _request_limits(container)
                _host_ports(spec, container)
                _resize_policy(container, rules=rules)
    if rules.pod_level:
        fill_pod_level(spec)
    if spec.get("enableServiceLinks") is None:
        spec["enableServiceLinks"] = True


def fill_template_spec(spec: Json, *, rules: PodDefaults) -> None:
    """Fill in the defaults of a pod template's spec, in place; limits are not copied to requests there."""
    _fill_common(spec, rules=rules)
    for container in (*maps(spec, "initContainers"), *maps(spec, "containers")):
        if rules.template_host_ports:
            _host_ports(spec, container)


def _fill_common(spec: Json, *, rules: PodDefaults) -> None:
    for name, value in _SPEC:
        if spec.get(name) in (None, ""):
            spec[name] = value
    if spec.get("securityContext") is None:
        spec["securityContext"] = {}
    if map_of(spec, "overhead"):
        spec["overhead"] = round_up_all(spec["overhead"])
    for kind in CONTAINER_LISTS:
        for container in maps(spec, kind):
            fill_container(container)
    for volume in maps(spec, "volumes"):
        fill_volume(volume, image_volumes=rules.image_volumes)


def _request_limits(container: Json) -> None:
    """Copy a limit without a request to the requests."""
    resources = container["resources"]
    if map_of(resources, "limits"):
        resources["requests"] = {**resources["limits"], **map_of(resources, "requests")}


def _host_ports(spec: Json, container: Json) -> None:
    if not spec.get("hostNetwork"):
        return
    for port in maps(container, "ports"):
        if not port.get("hostPort"):
            port["hostPort"] = port.get("containerPort")


def _resize_policy(container: Json, *, rules: PodDefaults) -> None:
    if not rules.resize_policy or "resizePolicy" in container:
        return
    resources = container["resources"]
    known = {**map_of(resources, "limits"), **map_of(resources, "requests")}
    policies = [{"resourceName": name, "restartPolicy": "NotRequired"} for name in ("cpu", "memory") if name in known]
    if policies:
        container["resizePolicy"] = policies
