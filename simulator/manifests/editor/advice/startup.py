"""Advice about startups that take longer than a probe allows, if the manifest says how long they take."""

from collections.abc import Iterator

from simulator.engine.apiserver.validation.pod_rules import fields, number, text
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.manifests.check.behaviours import annotation_text
from simulator.manifests.editor.advice.advisers import CONTAINER, AdviceScene, ContainerPlace, Hint, advice
from simulator.manifests.editor.advice.probes import initial_delay_s, patience_s
from simulator.manifests.read.loader import load
from simulator.manifests.script.durations import duration_ms
from simulator.manifests.texts import _


def startup_ms(place: ContainerPlace) -> int:
    """How long the container takes until it listens, according to the pod's behaviour annotation; 0 if it does not say."""
    written = annotation_text(place.owner.pod)
    if written is None:
        return 0
    documents = load(written).documents
    blocks = documents[0].value if documents else None
    block = blocks.get(text(place.value, "name")) if isinstance(blocks, dict) else None
    return (duration_ms(block.get("startupDelay")) or 0) if isinstance(block, dict) else 0


@advice(
    "killed-while-starting",
    CONTAINER,
    why=gettext_noop(
        "The probe gives up before the program is listening: the container is killed and restarted, and never gets any further."
    ),
    doc="tasks/configure-pod-container/configure-liveness-readiness-startup-probes/#define-startup-probes",
)
def killed_while_starting(place: ContainerPlace, scene: AdviceScene) -> Iterator[Hint]:
    """A startup that takes longer than the startup probe, or without one the liveness probe, allows."""
    name = "startupProbe" if place.value.get("startupProbe") else "livenessProbe"
    probe = fields(place.value, name)
    needed_ms = startup_ms(place) if probe else 0
    # An estimate in whole periods: attempts that hang would take longer.
    allowed_s = initial_delay_s(probe) + patience_s(probe)
    if needed_ms > allowed_s * 1000:
        field = "failureThreshold" if number(probe, "failureThreshold") is not None else ""
        values = {"needed": -(-needed_ms // 1000), "allowed": allowed_s}
        message = _("the program takes %(needed)d s to start, the probe gives up after %(allowed)d s") % values
        yield Hint(path=f"{place.path}.{name}.{field}".rstrip("."), message=message, at_key=not field)
