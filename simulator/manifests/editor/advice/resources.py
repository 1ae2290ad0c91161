"""Advice about requests and limits.

Requests are what the scheduler reserves, limits what the kernel enforces, and together they make the QoS class that
decides who is evicted first. The advice covers three cases in which they do something that the manifest does not say: a
limit that becomes the request, a class that is missed by one field, and amounts in a unit that was hardly intended.
"""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import fields
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kubelet.node.new_node import DEFAULT_NODE
from simulator.engine.model.quantity import BadQuantity, parse
from simulator.manifests.editor.advice.advisers import CONTAINER, POD, AdviceScene, ContainerPlace, Hint, PodPlace, advice
from simulator.manifests.texts import _

_DOC = "concepts/configuration/manage-resources-containers/"
_QOS = "concepts/workloads/pods/pod-qos/"
_COUNTED = ("cpu", "memory")


def nano(value: Any) -> int | None:
    """A quantity in billionths, or None if it is not valid."""
    try:
        return parse(value).nano
    except (BadQuantity, TypeError):
        return None


def _requests(value: dict[str, Any]) -> dict[str, Any]:
    return fields(fields(value, "resources"), "requests")


def _limits(value: dict[str, Any]) -> dict[str, Any]:
    return fields(fields(value, "resources"), "limits")


@advice(
    "pod-best-effort",
    POD,
    why=gettext_noop(
        "To the scheduler the pod uses nothing, and when a node runs low the pod is BestEffort: among the first to be evicted or killed."
    ),
    doc=f"{_QOS}#besteffort",
)
def best_effort(place: PodPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A pod without requests or limits."""
    if place.spec.get("containers") and not place.has_resources:
        yield Hint(path=f"{place.path}spec.containers", message=_("no container requests or limits cpu or memory"), at_key=True)


@advice(
    "memory-limit-missing",
    CONTAINER,
    why=gettext_noop("A leak in this container consumes its neighbours’ memory, and the kernel may kill any of them."),
    doc=_DOC,
)
def memory_limit(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Some resources are set, but no memory limit."""
    if not place.runs_on or not place.owner.has_resources or "memory" in fields(fields(place.owner.spec, "resources"), "limits"):
        return
    if "memory" not in _limits(place.value):
        path = f"{place.path}.resources" if "resources" in place.value else f"{place.path}.name"
        yield Hint(path=path, message=_("no memory limit"), at_key="resources" in place.value)


@advice(
    "request-from-limit",
    CONTAINER,
    why=gettext_noop("The limit also counts as the request: the scheduler reserves all of it, however little the container uses."),
    doc=f"{_DOC}#requests-and-limits",
)
def request_from_limit(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A limit without a request."""
    for name in _limits(place.value):
        if name in _COUNTED and name not in _requests(place.value):
            yield Hint(path=f"{place.path}.resources.limits.{name}", message=_("no %s request: it defaults to the limit") % name)


@advice(
    "request-over-node",
    CONTAINER,
    why=gettext_noop("No node in the simulated default cluster is that large, so the pod stays Pending with FailedScheduling."),
    doc=f"{_DOC}#my-pods-are-pending-with-event-message-failedscheduling",
)
def over_node(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A request larger than a default node."""
    # With nodes of its own, the text is not meant for the default cluster.
    if scene.of_kind("Node"):
        return
    for group in ("requests", "limits"):
        for name, value in fields(fields(place.value, "resources"), group).items():
            room = nano(DEFAULT_NODE.allocatable[name]) if name in _COUNTED else None
            wanted = nano(value)
            if room is None or wanted is None or wanted <= room or (group == "limits" and name in _requests(place.value)):
                continue
            values = {"wanted": value, "name": name, "room": DEFAULT_NODE.allocatable[name]}
            message = _("%(wanted)s of %(name)s is more than a node has (%(room)s)") % values
            yield Hint(path=f"{place.path}.resources.{group}.{name}", message=message)


@advice(
    "almost-guaranteed",
    CONTAINER,
    why=gettext_noop(
        "Guaranteed requires every container to have equal requests and limits for cpu and memory; as written, the pod is Burstable."
    ),
    doc=f"{_QOS}#guaranteed",
)
def almost_guaranteed(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Memory fits Guaranteed, but cpu has no limit."""
    requests, limits = _requests(place.value), _limits(place.value)
    memory = nano(limits.get("memory"))
    if memory is not None and nano(requests.get("memory")) == memory and "cpu" in requests and "cpu" not in limits:
        yield Hint(path=f"{place.path}.resources.limits", message=_("without a cpu limit the pod is not Guaranteed"), at_key=True)


@advice(
    "request-tiny-memory",
    CONTAINER,
    why=gettext_noop(
        "Bytes without a suffix, or m for thousandths, are almost never intended: the container is killed before it has started."
    ),
    doc=f"{_DOC}#meaning-of-memory",
)
def tiny_memory(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """Memory in bytes or thousandths of a byte."""
    for group in ("requests", "limits"):
        value = fields(fields(place.value, "resources"), group).get("memory")
        amount = nano(value)
        # A mebibyte in billionths of a byte.
        if amount is not None and 0 < amount < 1024 * 1024 * 10**9:
            path = f"{place.path}.resources.{group}.memory"
            yield Hint(path=path, message=_("%s of memory is less than a mebibyte: is a suffix such as Mi missing?") % value)
