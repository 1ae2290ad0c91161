"""A kubelet whose node is cut off: it carries on with what it knew, and none of its writes arrive.

A kubelet that cannot reach the API server does not stop. Its informers keep the objects as they
were at that moment, containers keep running, probes keep probing, and restarts happen as always.
The statuses it computes go into the status manager's cache and stay there until a sync succeeds. So
two truths exist: what the node does, and what the API server shows.

The simulation keeps both. ``tables.held_pods`` has the kubelet's copy of each pod on the node;
``CutOffEffects`` stands in for the ordinary effects in everything the kubelet does, reads the
copies and writes to them. A component elsewhere sees only the store. Records of what a client of
the API would see change are withheld (``_FACES``), so the timeline does not claim that a client saw
them; records of what happens on the node are written as usual. A status that differs from the
stored one gets a record of its own (STATUS-HELD), which ends when the two agree again or the
kubelet catches up.

Events wait too: the recorder's queue keeps them with the time at which they were made.

What is easy to miss: the pod's object may be deleted, and even replaced by another pod of the same
name, without the kubelet noticing. The copy is therefore found by the pod's key, not by its name,
and through node lists of its own.

Source: pkg/kubelet/status/status_manager.go (the cache, syncBatch), client-go
tools/cache/reflector.go, tools/record/event.go.
"""

from collections.abc import Collection, Iterator, MutableMapping
from typing import Any, ClassVar, cast

from msgspec.structs import replace

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Seq
from simulator.engine.machines.node import STATUS_REPORT
from simulator.engine.world.changed_parts import changed_parts_of_pod
from simulator.engine.world.effects import KUBELET, Effects, StoredRow
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import NOBODY
from simulator.engine.world.world import Tables

RULES = (
    RuleText(
        "STATUS-HELD",
        gettext_noop(
            "The kubelet cannot reach the API server, so the pod’s new status ({holds}) stays on the node; the "
            "API server still shows {shows}."
        ),
        "pkg/kubelet/status/status_manager.go syncPod, syncBatch",
    ),
    RuleText(
        "STATUS-AS-SHOWN",
        gettext_noop("The pod is back to what the API server shows ({shows}); the API server never learned of what happened in between."),
        "pkg/kubelet/status/status_manager.go syncPod",
    ),
    RuleText(
        "STATUS-CAUGHT-UP",
        gettext_noop("The kubelet can reach the API server again and writes the pod’s current status."),
        "pkg/kubelet/status/status_manager.go syncBatch",
    ),
)

_FACES = frozenset(("phase", "condition", "container_status", "status_word", "object", "node_condition"))
"""Machines whose states a client of the API sees."""


class _Pods(MutableMapping[Key, PodRow]):
    """All pods; those of the node that is cut off are as its kubelet knows them."""

    def __init__(self, tables: Tables, node: str) -> None:
        self._all, self._held, self._node = tables.pods, tables.held_pods, node

    def __getitem__(self, key: Key) -> PodRow:
        held = self._held.get(key)
        return held if held is not None and held.node == self._node else self._all[key]

    def __setitem__(self, key: Key, row: PodRow) -> None:
        (self._held if key in self._held else self._all)[key] = row

    def __delitem__(self, key: Key) -> None:
        del self._all[key]

    def __iter__(self) -> Iterator[Key]:
        return iter(self._all)

    def __len__(self) -> int:
        return len(self._all)


class _OnNode:
    """The pods by node; for the node that is cut off, those its kubelet knows, whatever has become of their objects."""

    def __init__(self, tables: Tables, node: str) -> None:
        self._tables, self._node = tables, node

    def of(self, node: str) -> Collection[Key]:
        """The keys of a node's pods."""
        if node != self._node:
            return self._tables.pods_by_node.of(node)
        return [key for key, row in self._tables.held_pods.items() if row.node == node]


def _seen_from(tables: Tables, node: str) -> Tables:
    """The tables as the kubelet of a node that is cut off knows them. Copies only a few pointers."""
    # A shallow twin: three views are replaced, everything else is shared with the real tables.
    twin = Tables.__new__(Tables)
    for name in Tables.__slots__:
        setattr(twin, name, getattr(tables, name))
    twin.pods = cast(dict[Key, PodRow], _Pods(tables, node))
    twin.pods_by_node = cast(Any, _OnNode(tables, node))
    twin.objects = cast(Any, tables.held_objects[node])
    return twin


class CutOffEffects(Effects):
    """Effects for a kubelet that cannot reach the API server: its writes stay with it."""

    __slots__ = ("node",)

    is_cut_off: ClassVar[bool] = True

    def __init__(self, fx: Effects, node: str) -> None:
        super().__init__(fx.world, fx.out)
        self.node = node
        self.now, self.cause, self.component, self.handle = fx.now, fx.cause, fx.component, fx.handle
        self.tables = _seen_from(fx.world.tables, node)

    def record(self, **parts: Any) -> Seq:
        """Write a record as usual, unless it is of a change that only a client of the API would see."""
        return self.cause if parts["machine"] in _FACES else super().record(**parts)

    def save_pod(self, row: PodRow) -> PodRow:
        """Change what the kubelet knows of a pod; only the kubelet itself is notified."""
        old = self.world.tables.held_pods.get(row.key)
        if old is None or old.node != self.node:
            return row
        # The copy counts its own versions; the stored row stays as it is.
        row = replace(row, version=row.version + 1)
        self.save_held_pod(row)
        if row.status_word != old.status_word:
            self._record_difference(row)
        changed = changed_parts_of_pod(old, row)
        if changed:
            self.notify("Pod", changed, old, row)
        return self.world.tables.held_pods[row.key]

    def _record_difference(self, row: PodRow) -> None:
        """Record that the pod would be shown differently if the API server knew."""
        stored = self.world.tables.pods[row.key]
        trigger = "held" if row.status_word != stored.status_word else "as_shown"
        record_divergence(self, row, trigger, (("holds", row.listed), ("shows", stored.listed)))

    def notify(
        self, kind: str, changed: int, old: StoredRow | None, row: StoredRow, owner: str = NOBODY, before: str = NOBODY
    ) -> None:  # fmt: skip
        """Notify only the kubelet itself."""
        for component, handler, _ in self.each(self.world.watches.notified(kind, changed, self.component, owner, before)):
            # No other component can see a change that never reached the API server.
            if component == KUBELET:
                handler(self, old, row)


def record_divergence(fx: Effects, row: PodRow, trigger: str, data: Data = ()) -> None:
    """Record that what the kubelet reports of the pod and what the API server shows have diverged, or agree again."""
    state = fx.tables.held_words.get(row.key, STATUS_REPORT.initial)
    step, _ = fx.fire(STATUS_REPORT, row.subject, state, trigger, None, data=data)
    if step is not None:
        fx.save_withheld_state(row.key, step.target)


def at_node(fx: Effects, node: str) -> Effects:
    """The effects to use for what the kubelet of a node does: CutOffEffects while the node is cut off."""
    held = fx.world.tables.held_objects
    return CutOffEffects(fx, node) if held and node in held and not fx.is_cut_off else fx
