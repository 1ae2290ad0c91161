"""Advice about Services and the pods behind them."""

from collections.abc import Iterator
from typing import Any

from simulator.engine.apiserver.validation.pod_rules import fields, items, number, text
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.editor.advice.advisers import CONTAINER, OBJECT, AdviceScene, ContainerPlace, Hint, ObjectPlace, PodPlace, advice
from simulator.manifests.texts import _

_DOC = "concepts/services-networking/service/"


def selects(selector: dict[str, Any], place: PodPlace, namespace: str) -> bool:
    """Whether a plain selector matches the pod."""
    return bool(selector) and place.namespace == namespace and all(place.labels.get(key) == value for key, value in selector.items())


def _behind(place: ObjectPlace, scene: AdviceScene) -> list[PodPlace]:
    if place.kind != "Service":
        return []
    selector = fields(fields(place.value, "spec"), "selector")
    # Pods of Jobs are not meant to serve requests, even if their labels match.
    return [pod for pod in scene.pods if pod.kind not in ("Job", "CronJob") and selects(selector, pod, place.namespace)]


@advice(
    "readiness-missing",
    CONTAINER,
    why=gettext_noop(
        "Without a readiness probe a container is ready the moment it starts: the Service sends requests before anything is listening."
    ),
    doc="concepts/workloads/pods/pod-lifecycle/#when-should-you-use-a-readiness-probe",
)
def readiness_missing(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A container without a readiness probe behind a Service port, in the text or in the run."""
    if place.group != "containers" or place.value.get("readinessProbe") or place.owner.kind in ("Job", "CronJob"):
        return
    for item in scene.of_kind("Service"):
        spec = fields(item.value, "spec")
        ports = [port for _index, port in items(spec, "ports") if _listener(place.owner, port) is place.value]
        if ports and selects(fields(spec, "selector"), place.owner, item.namespace):
            name = text(fields(item.value, "metadata"), "name")
            yield Hint(path=f"{place.path}.name", message=_('Service "%s" sends it requests, but it has no readiness probe') % name)
            return


@advice(
    "target-port-unknown",
    OBJECT,
    why=gettext_noop("If no container port has this name, the Service has no endpoint on that pod and requests are refused."),
    doc=f"{_DOC}#field-spec-ports",
)
def target_port(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A named targetPort that the pods do not have."""
    for pod in _behind(place, scene):
        for index, port in items(fields(place.value, "spec"), "ports"):
            wanted = port.get("targetPort")
            if isinstance(wanted, str) and not wanted.isdecimal() and _listener(pod, port) is None:
                values = {"port": wanted, "pod": _name(pod)}
                yield Hint(path=f"spec.ports[{index}].targetPort", message=_('no container of "%(pod)s" has a port "%(port)s"') % values)


@advice(
    "service-selects-nothing",
    OBJECT,
    why=gettext_noop("A Service whose selector matches no pod has no endpoints: its address exists, and every request to it fails."),
    doc=f"{_DOC}#services-without-selectors",
)
def selects_nothing(place: ObjectPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A selector that matches no pod in the text or in the run."""
    selector = fields(fields(place.value, "spec"), "selector")
    # If no pod is known at all, the pods are somewhere else.
    if place.kind == "Service" and selector and scene.pods and not _behind(place, scene):
        yield Hint(path="spec.selector", message=_("the selector matches no pod known here"), at_key=True)


def _listener(pod: PodPlace, port: dict[str, Any]) -> dict[str, Any] | None:
    """The container that has the port a Service port leads to."""
    wanted = port.get("targetPort") or number(port, "port")
    for _index, container in items(pod.spec, "containers"):
        for _n, own in items(container, "ports"):
            if wanted in (number(own, "containerPort"), text(own, "name")) or str(wanted) == str(own.get("containerPort")):
                return container
    return None


def _name(pod: PodPlace) -> str:
    metadata = fields(pod.owner, "metadata")
    return text(metadata, "name") or text(metadata, "generateName")
