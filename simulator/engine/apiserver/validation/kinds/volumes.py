"""What PersistentVolumes share with the volumes of pods: their sources, and the nodes from which they can be reached."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.errors import FieldError
from simulator.engine.apiserver.validation.kinds.common import inner
from simulator.engine.apiserver.validation.pod.affinity import node_selector_errors
from simulator.engine.apiserver.validation.pod_rules import (
    RULES,
    Context,
    Fields,
    Place,
    Rule,
    RuleRun,
    fields,
    rules_of,
    text,
    volume_source,
)
from simulator.engine.versions.release import Release

_SHARED = (
    *("hostPath", "gcePersistentDisk", "awsElasticBlockStore", "nfs", "flocker", "quobyte", "cinder", "fc", "vsphereVolume"),
    *("photonPersistentDisk", "portworxVolume", "azureDisk"),
)
"""Sources that a PersistentVolume writes as a pod does."""
_PLACES = {"gcePersistentDisk": "persistentDisk"}
"""Sources that have another name in messages."""


def volume_errors(document: Fields, *, release: Release) -> Iterator[tuple[Rule, FieldError]]:
    """The errors of a PersistentVolume by the rules of pods; none for other kinds."""
    if text(document, "kind") != "PersistentVolume":
        return
    # The rules of pods' volumes look at nothing outside their place.
    context = Context(pod={}, release=release, facts=release.facts)
    run, spec = RuleRun(rules_of(release, defaulted=False), context), inner(Place("", document), "spec")
    for kind in _SHARED:
        if isinstance(spec.value.get(kind), dict):
            place = Place(f"spec.{_PLACES.get(kind, kind)}", fields(spec.value, kind), owner=spec.value)
            yield from run.at(volume_source(kind), place)
    selector = inner(spec, "nodeAffinity", "required")
    if selector.value:
        rule = next(known for known in RULES if known.id == "NODE-AFFINITY")
        yield from ((rule, error) for error in node_selector_errors(selector.value, selector.path, context))
