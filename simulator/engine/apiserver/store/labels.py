"""What a change of a pod's labels means to those who select pods: controllers let it go or could adopt it, Services lose or gain it.

Source: pkg/controller/controller_ref_manager.go ClaimObject; Services read their endpoints from labels.
"""

import json
from collections.abc import Iterator

from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.model.selectors import Labels, from_document, selects
from simulator.engine.network.services import services_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import PodRow

RULES = (
    RuleText(
        "LABELS-RELEASED",
        gettext_noop(
            "The pod's labels no longer match its controller's selector: a controller lets such a pod go and makes another in its place."
        ),
        "pkg/controller/controller_ref_manager.go ReleasePod",
    ),
    RuleText(
        "LABELS-SERVICE",
        gettext_noop("The pod's labels decide which Services send traffic to it; that changed at once."),
        "pkg/controller/endpointslice/endpointslice_controller.go",
    ),
)


def tell_labels(fx: Effects, row: PodRow, before: Labels) -> None:
    """Notes about a change of labels. O(Services of the namespace)."""
    after = row.pod.metadata.labels
    if after == before:
        return
    owner = _left_owner(fx, row, before, after)
    if owner:
        fx.note(row.subject, "released", owner, rule="LABELS-RELEASED")
    for name, word in _services(fx, row.namespace, before, after):
        fx.note(row.subject, f"service-{word}", name, rule="LABELS-SERVICE")


def _left_owner(fx: Effects, row: PodRow, before: Labels, after: Labels) -> str:
    """The controller whose selector meant the pod before and does not any more."""
    owner = next((item for item in row.pod.metadata.owner_references if item.controller), None)
    held = fx.tables.objects.get((owner.kind, row.namespace, owner.name)) if owner is not None else None
    if owner is None or held is None:
        return ""
    selector = from_document((json.loads(held.document).get("spec") or {}).get("selector"))
    return f"{owner.kind} {owner.name}" if selects(selector, before) and not selects(selector, after) else ""


def _services(fx: Effects, namespace: str, before: Labels, after: Labels) -> Iterator[tuple[str, str]]:
    for held, service in services_of(fx.world, namespace):
        wanted = service.spec.selector
        was, now = (bool(wanted) and all(labels.get(key) == text for key, text in wanted.items()) for labels in (before, after))
        if was != now:
            yield held.name, "joined" if now else "left"
