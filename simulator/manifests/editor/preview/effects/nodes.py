"""Effects of changing a Node."""

from collections.abc import Iterator

from django.utils.translation import gettext as _

from simulator.engine.policies.taint_eviction import eviction_delay_s
from simulator.manifests.editor.preview.effects.effect_rules import Change, effect
from simulator.manifests.editor.preview.outcome import Effect


@effect("Node")
def node(change: Change) -> Iterator[Effect]:
    """Taints that evict pods, and cordoning."""
    name = change.new.name
    before, after = change.before.tables.nodes.get(name), change.after.tables.nodes.get(name)
    if after is None:
        return
    if before is None:
        yield Effect(text=_("adds Node %s") % name, rule="node-added", tone="good")
        return
    if before.unschedulable != after.unschedulable:
        message = _("no new pods are scheduled to it") if after.unschedulable else _("pods can be scheduled to it again")
        yield Effect(text=message, rule="cordon", path="spec.unschedulable", tone="warn" if after.unschedulable else "good")
    if before.taints == after.taints:
        return
    for row in change.after.tables.pods.values():
        if row.gone_ms is None and row.node == name:
            # None means that the pod stays, 0 that it is evicted at once.
            was, now = (eviction_delay_s(row.pod.spec.tolerations, taints) for taints in (before.taints, after.taints))
            if was is None and now is not None:
                words = _("evicts pod %(pod)s after %(s)d s") if now else _("evicts pod %(pod)s at once")
                message = words % {"pod": row.name, "s": now}
                yield Effect(text=message, rule="taint-evicts", path="spec.taints", tone="bad")
