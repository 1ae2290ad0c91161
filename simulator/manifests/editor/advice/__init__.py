"""Advice about manifests that the API server accepts: rules of our own, each with a reason and a page of the documentation."""

from collections.abc import Iterable, Iterator, Sequence

from simulator.engine.apiserver.validation.kinds.workloads.templates import pod_template
from simulator.engine.apiserver.validation.pod_rules import GROUPS, fields, items, text
from simulator.manifests.check.findings import Finding
from simulator.manifests.check.semantic import pod_path
from simulator.manifests.editor.advice import containers, images, objects, pods, probes, resources, services, startup, termination
from simulator.manifests.editor.advice.advisers import (
    ADVICE,
    CONTAINER,
    OBJECT,
    POD,
    Advice,
    AdviceScene,
    ContainerPlace,
    Hint,
    ObjectPlace,
    PodPlace,
)
from simulator.manifests.problems import WARNING
from simulator.manifests.texts import _

__all__ = ["ADVICE", "Advice", "ObjectPlace", "advise", "pod_place"]

_MODULES = (containers, images, objects, pods, probes, resources, services, startup, termination)
"""Imported to register their rules."""


def advise(
    places: Iterable[ObjectPlace],
    *,
    minor: int,
    known: frozenset[tuple[str, str, str]] = frozenset(),
    around: Sequence[ObjectPlace] = (),
) -> Iterator[tuple[int, Finding]]:
    """(document, warning) for every rule that applies. ``around`` are existing objects outside the text.

    Cost: O(documents × Services), some 10 µs a container.
    """
    objects_ = tuple(places)
    own = {_identity(place) for place in objects_}
    # An object in the text replaces the run's version of it.
    others = tuple(place for place in around if _identity(place) not in own)
    pods_ = tuple(pod for place in objects_ if (pod := pod_place(place)) is not None)
    elsewhere = tuple(pod for place in others if (pod := pod_place(place)) is not None)
    scene = AdviceScene(minor=minor, objects=(*objects_, *others), pods=(*pods_, *elsewhere), known=known)
    containers_ = [container for pod in pods_ for container in _containers(pod)]
    for rule in (rule for rule in ADVICE if rule.holds_for(minor)):
        if rule.scope == CONTAINER:
            yield from _warnings(rule, ((place.owner.document, hint) for place in containers_ for hint in rule.check(place, scene)))
        elif rule.scope == POD:
            yield from _warnings(rule, ((place.document, hint) for place in pods_ for hint in rule.check(place, scene)))
        elif rule.scope == OBJECT:
            yield from _warnings(rule, ((place.document, hint) for place in objects_ for hint in rule.check(place, scene)))


def _identity(place: ObjectPlace) -> tuple[str, str, str]:
    return place.kind, place.namespace, text(fields(place.value, "metadata"), "name")


def _warnings(rule: Advice, hints: Iterable[tuple[int, Hint]]) -> Iterator[tuple[int, Finding]]:
    for document, hint in hints:
        yield (
            document,
            Finding(
                path=hint.path, message=hint.message, code=rule.id, severity=WARNING, at_key=hint.at_key, why=_(rule.why), doc=rule.doc
            ),
        )


def pod_place(place: ObjectPlace) -> PodPlace | None:
    """The pod of an object or of its template; None if it has none."""
    pod = place.value if place.kind == "Pod" else pod_template(place.value)
    if pod is None:
        return None
    return PodPlace(
        document=place.document, kind=place.kind, path=pod_path(place.kind), pod=pod, namespace=place.namespace, owner=place.value
    )


def _containers(pod: PodPlace) -> Iterator[ContainerPlace]:
    for group in GROUPS:
        for index, value in items(pod.spec, group):
            yield ContainerPlace(owner=pod, path=f"{pod.path}spec.{group}[{index}]", group=group, value=value)
