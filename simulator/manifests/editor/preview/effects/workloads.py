"""Effects of creating or changing Services, budgets, quotas and workloads."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from simulator.engine.apiserver.store.unacted import WITHOUT_CONTROLLER
from simulator.engine.apiserver.validation.pod_rules import fields
from simulator.engine.model.selectors import from_document, selects
from simulator.manifests.editor.preview.effects.effect_rules import Change, effect
from simulator.manifests.editor.preview.outcome import Effect

_NAMES_MAX = 5


def _listed(names: list[str]) -> str:
    return ", ".join(names[:_NAMES_MAX]) + (" …" if len(names) > _NAMES_MAX else "")


@effect("Service")
def service(change: Change) -> Iterator[Effect]:
    """The pods that a Service's selector now matches, and those it no longer matches."""
    was, now = (fields(fields(document, "spec"), "selector") for document in (change.was, change.now))
    if was == now:
        return

    def meant(selector: dict[str, str]) -> list[str]:
        rows = change.pods() if selector else []
        return [row.name for row in rows if all(row.pod.metadata.labels.get(key) == value for key, value in selector.items())]

    before, after = meant(was), meant(now)
    lost = [name for name in before if name not in after]
    gained = [name for name in after if name not in before]
    if gained:
        yield Effect(
            text=_("sends requests to %s when they are ready") % _listed(gained), rule="service-gains", path="spec.selector", tone="good"
        )
    if lost:
        yield Effect(text=_("sends no more requests to %s") % _listed(lost), rule="service-loses", path="spec.selector", tone="warn")
    # A Service without a selector has manually managed endpoints, so none are missing.
    if now and not after:
        yield Effect(text=_("its selector matches no pod: there are no endpoints"), rule="service-empty", path="spec.selector", tone="warn")


@effect("PodDisruptionBudget")
def budget(change: Change) -> Iterator[Effect]:
    """The pods a budget counts."""
    selector = from_document(fields(fields(change.now, "spec"), "selector"))
    names = [row.name for row in change.pods() if selects(selector, row.pod.metadata.labels)]
    message = _("counts %s") % _listed(names) if names else _("counts no pods")
    yield Effect(text=message, rule="budget-counts", path="spec.selector")


@effect("LimitRange", "ResourceQuota")
def limits(change: Change) -> Iterator[Effect]:
    """Limits only apply to new pods."""
    yield Effect(text=_("applies to pods created from now on; existing ones stay as they are"), rule="limits-later", path="spec")


@effect(*sorted(WITHOUT_CONTROLLER))
def workload(change: Change) -> Iterator[Effect]:
    """Kinds without a controller are only stored."""
    yield Effect(text=_("is stored; the simulation creates no pods from it"), rule="no-controller", path="kind")


@effect("PriorityClass")
def priority(change: Change) -> Iterator[Effect]:
    """Priorities are copied when pods are created."""
    yield Effect(text=_("pods that reference it from now on get its value; existing ones keep theirs"), rule="priority-later", path="value")
