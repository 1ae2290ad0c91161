"""What a change of a pod's labels means to Services, which select their endpoints by labels: they lose or gain the pod.

A controller that releases or adopts the pod reports that itself.
"""

from collections.abc import Iterator

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.selectors import Labels
from simulator.engine.network.services import services_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "LABELS-SERVICE",
        gettext_noop("The pod’s labels decide which Services send it traffic; that changed at once."),
        "pkg/controller/endpointslice/endpointslice_controller.go",
    ),
)


def note_label_changes(fx: Effects, row: PodRow, before: Labels) -> None:
    """Write notes about a change of labels. O(Services of the namespace)."""
    after = row.pod.metadata.labels
    if after == before:
        return
    for name, word in _services(fx, row.namespace, before, after):
        fx.note(row.subject, f"service-{word}", name, rule="LABELS-SERVICE")


def _services(fx: Effects, namespace: str, before: Labels, after: Labels) -> Iterator[tuple[str, str]]:
    for held, service in services_of(fx.world, namespace):
        wanted = service.spec.selector
        was, now = (bool(wanted) and all(labels.get(key) == text for key, text in wanted.items()) for labels in (before, after))
        if was != now:
            yield held.name, "joined" if now else "left"
