"""Effects beyond a single pod: nodes and their health, evictions, static pods, what a lost kubelet forgets, budgets."""

from typing import Any

from msgspec.structs import replace

from simulator.engine.kernel.units import Key, Ms
from simulator.engine.world.rows import BudgetKey, BudgetRow, Eviction, HeldEvent, KubeletRow, Need, NodeLife, Room, StaticPod
from simulator.engine.world.world import AffinityKey, Tables

EVENTS_MAX = 1_000
"""How many Events fit in a component's queue (client-go tools/record/event.go maxQueuedEvents)."""


class NodeEffects:
    """Part of ``Effects``; see there."""

    __slots__ = ()
    tables: Tables
    now: Ms

    def save_drain(self, node: str, pods: tuple[Key, ...]) -> None:
        """Store the pods that a drain of the node waits for; with none it is over."""
        self.tables.drains.pop(node, None)
        if pods:
            self.tables.drains[node] = pods

    def save_kubelet(self, row: KubeletRow) -> None:
        """Store what a kubelet has in progress."""
        self.tables.kubelets[row.node] = row

    def hold_node(self, node: str) -> None:
        """Cut the node off: its kubelet keeps the view of the API that it has at this moment. O(pods + objects) pointers."""
        tables = self.tables
        tables.held_objects[node] = dict(tables.objects)
        for row in tables.pods.values():
            if row.node == node and (row.gone_ms is None or row.key in tables.workers):
                tables.held_pods[row.key] = row

    def save_withheld_state(self, pod: Key, state: str) -> None:
        """Store the state that a pod would be shown in if the API server knew; empty if it would be shown the same."""
        if state:
            self.tables.held_words[pod] = state
        else:
            self.tables.held_words.pop(pod, None)

    def hold_event(self, node: str, event: HeldEvent) -> None:
        """Keep an Event of a kubelet until it can be sent. If the recorder's queue is full, the Event is dropped."""
        waiting = self.tables.held_events.get(node, ())
        if len(waiting) < EVENTS_MAX:
            self.tables.held_events[node] = (*waiting, event)

    def drop_withheld(self, node: str) -> None:
        """Drop what the kubelet of a disconnected node had yet to send, because it has stopped."""
        tables = self.tables
        for key in [key for key, row in tables.held_pods.items() if row.node == node]:
            del tables.held_pods[key]
            tables.held_words.pop(key, None)
        tables.held_events.pop(node, None)

    def release_node(self, node: str) -> None:
        """Reconnect the node: its kubelet sees the API's objects again. What it reports about each of its pods is handled elsewhere."""
        tables = self.tables
        tables.held_objects.pop(node, None)
        tables.held_events.pop(node, None)
        for key in [key for key, row in tables.held_pods.items() if row.node == node]:
            del tables.held_pods[key]

    def save_scheduled(self, node: str, room: Room, pod: Key, need: Need | None) -> None:
        """Store or remove a pod's requests on its node in the scheduler's cache, and update the node's sum."""
        self.tables.room_scheduled[node] = room
        if need is None:
            del self.tables.scheduled[pod]
        else:
            self.tables.scheduled[pod] = need

    def save_affinity(self, pod: Key, rules: AffinityKey | None) -> None:
        """Store or remove, in the scheduler's cache, what a pod on a node says about other pods."""
        held = self.tables.affinity_of.pop(pod, None)
        if held is not None:
            self.tables.pods_with_affinity.drop(held, pod)
        if rules is not None:
            self.tables.affinity_of[pod] = rules
            self.tables.pods_with_affinity.add(rules, pod)

    def save_admitted(self, node: str, room: Room, pod: Key, need: Need | None) -> None:
        """The same for a pod that a node's kubelet has admitted."""
        self.tables.room_admitted[node] = room
        if need is None:
            del self.tables.admitted[pod]
        else:
            self.tables.admitted[pod] = need

    def save_node_life(self, row: NodeLife) -> NodeLife:
        """Store a node's health, and whether anything about it is abnormal."""
        self.tables.node_life[row.node] = row
        if row.is_unhealthy:
            self.tables.unhealthy[row.node] = True
        else:
            self.tables.unhealthy.pop(row.node, None)
        return row

    def save_eviction(self, pod: Key, row: Eviction | None) -> None:
        """Store a pending taint eviction, or remove it."""
        if row is None:
            self.tables.evictions.pop(pod, None)
        else:
            self.tables.evictions[pod] = row

    def save_static_pod(self, row: StaticPod, *, gone: bool = False) -> None:
        """Store a static pod, or remove it once its containers are gone."""
        key = (row.node, row.namespace, row.name)
        if gone:
            self.tables.static_pods.pop(key, None)
        else:
            self.tables.static_pods[key] = row

    def save_budget(self, row: BudgetRow) -> None:
        """Store a disruption budget's row."""
        self.tables.budgets[row.key] = row

    def drop_budget(self, key: BudgetKey) -> None:
        """Remove a disruption budget."""
        self.tables.budgets.pop(key, None)

    def rename_pod(self, old: Key, new: Key) -> None:
        """Move what the node holds for a pod to another key."""
        tables = self.tables
        keyed: tuple[dict[Key, Any], ...] = (
            tables.sandboxes, tables.instances, tables.seen, tables.mounts, tables.measured, tables.layers, tables.admitted,
        )  # fmt: skip
        for table in keyed:
            if old in table:
                table[new] = table.pop(old)
        for probe in [key for key in tables.probes if key[0] == old]:
            tables.probes[(new, *probe[1:])] = tables.probes.pop(probe)
        for log in [key for key in tables.logs if key[0] == old]:
            tables.logs[(new, log[1])] = tables.logs.pop(log)
        for backoff in [key for key in tables.backoffs if key[1] == old]:
            tables.backoffs[(backoff[0], new, backoff[2])] = tables.backoffs.pop(backoff)
        for n, row in tables.execs.items():
            if row.pod == old:
                tables.execs[n] = replace(row, pod=new)
        if old in tables.workers:
            tables.workers[new] = replace(tables.workers.pop(old), pod=new)

    def drop_remains(self, pod: Key) -> None:
        """Remove what is left of a past pod in tables that are iterated again and again: back-offs, measurements, resizes."""
        tables = self.tables
        tables.measured.pop(pod, None)
        tables.layers.pop(pod, None)
        tables.reports.pop(pod, None)
        tables.resizes.pop(pod, None)
        for key in [key for key in tables.backoffs if key[1] == pod]:
            del tables.backoffs[key]

    def drop_tries(self, pod: Key) -> None:
        """Let the scheduler forget a pod that is gone."""
        self.set_unscheduled(pod, waiting=False)
        self.tables.tries.pop(pod, None)
        self.tables.nominations.pop(pod, None)
        for part in (1, 2):
            self.tables.series.pop((pod, part), None)

    def set_unscheduled(self, pod: Key, *, waiting: bool, by: tuple[str, ...] = ()) -> None:
        """Note that a pod waits for a node because these plugins refused it, or that it no longer does."""
        tables = self.tables
        if pod in tables.unscheduled:
            for plugin in tables.unscheduled[pod] or ("",):
                tables.unscheduled_by.drop(plugin, pod)
        if waiting:
            tables.unscheduled[pod] = by
            for plugin in by or ("",):
                tables.unscheduled_by.add(plugin, pod)
        else:
            tables.unscheduled.pop(pod, None)

    def set_nominated(self, pod: Key, *, waiting: bool) -> None:
        """Note that a node reserves room for a pod that is not bound yet, or that it no longer does."""
        if waiting:
            self.tables.nominations[pod] = True
        else:
            self.tables.nominations.pop(pod, None)

    def forget_events(self, node: str) -> None:
        """Drop a kubelet's lost event correlator: counts restart in new Event objects, the old ones stay."""
        tables = self.tables
        for key in [key for key in tables.similar if key[1] == node]:
            del tables.similar[key]
        for bucket in [bucket for bucket in tables.buckets if bucket[0] == "kubelet" and tables.pods[bucket[1]].node == node]:
            del tables.buckets[bucket]
        for name in [name for name in tables.k8s_events if name[:2] == ("kubelet", node)]:
            tables.k8s_events[("past", str(len(tables.k8s_events)), str(self.now), *name)] = tables.k8s_events.pop(name)

    def forget_backoffs(self, node: str) -> None:
        """Drop a kubelet's lost back-off entries."""
        tables = self.tables
        for key in [key for key in tables.backoffs if tables.pods[key[1]].node == node]:
            del tables.backoffs[key]

    def note_try(self, pod: Key) -> None:
        """Count a failed attempt to place a pod, with its moment."""
        self.tables.tries[pod] = (self.tables.tries.get(pod, (0, 0))[0] + 1, self.now)
