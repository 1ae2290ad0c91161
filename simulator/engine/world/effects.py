"""Effects: the only code that changes a World. Controllers call methods of ``Effects``; they never touch the tables themselves.

An effect is a call rather than a value to interpret later: the call returns the number of the record it wrote, which the next
effect can name as its cause, and a later read in the same handler sees the change. One class assigns seq, writes records,
feeds the digest and maintains the indexes.
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Any, ClassVar, TypeVar

from msgspec.structs import replace

from simulator.engine.containers.files.filesystem import Files
from simulator.engine.containers.process.state import Holder
from simulator.engine.kernel.machine import ANY, Machine
from simulator.engine.kernel.machine import Row as MachineRow
from simulator.engine.kernel.records import Data, Record, RecordKind
from simulator.engine.kernel.rng import jitter_ms, uniform_ms
from simulator.engine.kernel.units import Key, Ms, Seq, Subject
from simulator.engine.versions import Profile
from simulator.engine.world.changed_parts import changed_parts_of_node, changed_parts_of_object, changed_parts_of_pod
from simulator.engine.world.events import Event, LoadLook, SyncDue
from simulator.engine.world.indexing import index_new_pod, index_object, index_pod
from simulator.engine.world.node_effects import NodeEffects
from simulator.engine.world.queue import Lane
from simulator.engine.world.rest import up_to_now
from simulator.engine.world.rows import (
    AutoscalerRow,
    Backoff,
    BackoffEntry,
    Exec,
    ExecAnswer,
    ImageRow,
    Instance,
    K8sEvent,
    Learnt,
    LoadRow,
    MeasuredLayer,
    MeasuredVolumes,
    NodeLife,
    NodePressure,
    NodeRow,
    PodRow,
    PodVolumes,
    ProbeRow,
    Report,
    Resize,
    Sandbox,
    Seen,
    Similar,
    StaticPod,
    Worker,
)
from simulator.engine.world.watch import ADDED, EVERY_KIND, GONE, NOBODY, Queue
from simulator.engine.world.world import ApiObject, Chosen, Tables, World

Facts = TypeVar("Facts")
StoredRow = PodRow | NodeRow | ApiObject
"""An object of the API server's store."""
Kept = TypeVar("Kept")
Item = TypeVar("Item")
_TRANSITION = RecordKind.TRANSITION.value
ANSWERS_MAX, ANSWER_CHARS_MAX = 8, 1 << 18
"""How many commands in containers have all their output kept, and how much of each stream."""
CLIENT = "client"
"""The actor when no component acts: a user's command."""
KUBELET = "kubelet"
REVISIONS = "revisions"
"""Counter of writes to the API server's store: the newest resourceVersion."""


class Because:
    """A cause that applies to the body of a ``with``; afterwards the previous one is restored, whatever the body did or raised."""

    __slots__ = ("before", "fx", "seq")

    def __init__(self, fx: "Effects", seq: Seq) -> None:
        self.fx, self.seq = fx, seq

    def __enter__(self) -> None:
        self.before = self.fx.cause
        self.fx.cause = self.seq

    def __exit__(self, *_: object) -> None:
        self.fx.cause = self.before


class Effects(NodeEffects):
    """What a handler may do to the world at one instant.

    ``cause`` is the record that led to the handler's call, ``component`` the actor: what Kubernetes calls the field manager of a
    write; ``handle`` is the handle of the current event.
    A handler that has written the record of its own step may set ``fx.cause = seq``: the rest of it happens for that reason, and so
    does what its caller does next. If only part of it happens for a reason, put that part in ``with fx.because(seq)``. Never save a
    cause in order to restore it (a test enforces this). Writing records, Events and rows leaves the cause unchanged.
    """

    __slots__ = ("cause", "component", "handle", "now", "out", "profile", "tables", "world")

    is_cut_off: ClassVar[bool] = False
    """Whether the actor is a kubelet that cannot reach the API server (apiserver/cut_off.py)."""

    def __init__(self, world: World, out: list[Record]) -> None:
        self.world = world
        self.tables: Tables = world.tables
        self.profile: Profile = world.profile
        self.now: Ms = world.now_ms
        self.cause: Seq = 0
        self.component = CLIENT
        self.handle = 0
        self.out = out

    # ---- causes --------------------------------------------------------------------------------------------------
    def because(self, seq: Seq) -> Because:
        """A context in which the record ``seq`` is the cause. About 0.4 µs."""
        return Because(self, seq)

    @contextmanager
    def acting(self, component: str) -> Iterator[None]:
        """A context in which a component other than that of the current event acts: it is not notified of what it writes itself."""
        before, self.component = self.component, component
        try:
            yield
        finally:
            self.component = before

    def aside(self) -> Because:
        """A context that starts with the current cause and restores it afterwards, whatever happens inside."""
        return Because(self, self.cause)

    def each(self, items: Iterable[Item]) -> Iterator[Item]:
        """The items, each with the current cause: what one of them leads to is no reason for the next, nor for what follows the loop.

        A loop that is left early keeps the cause of the item at which it was left.
        """
        cause = self.cause
        for item in items:
            yield item
            self.cause = cause

    # ---- records -------------------------------------------------------------------------------------------------
    def record(  # noqa: PLR0913 - a record has that many parts; all are keyword-only
        self,
        *,
        kind: str = _TRANSITION,
        subject: Subject,
        machine: str,
        source: str = "",
        trigger: str = "",
        target: str,
        rule: str,
        data: Data = (),
        cause: Seq | None = None,
    ) -> Seq:
        """Write one record and return its number. About 1 µs."""
        world = self.world
        seq = world.seq = world.seq + 1
        record = Record(seq, self.now, kind, subject, machine, source, trigger, target, self.cause if cause is None else cause, rule, data)
        self.out.append(record)
        return seq

    def note(self, subject: Subject, name: str, text: str, *, rule: str = "NOTE") -> Seq:
        """Write a note for the reader about something that is not a transition."""
        return self.record(kind=RecordKind.NOTE.value, subject=subject, machine="note", target=name, rule=rule, data=(("text", text),))

    def note_step(self, subject: Subject, name: str, *, rule: str, data: Data) -> Seq:
        """Record what a controller has decided, with the numbers that its rule's sentence names. Returns the record's number."""
        return self.record(kind=RecordKind.NOTE.value, subject=subject, machine="note", target=name, rule=rule, data=data)

    def fire(
        self,
        machine: Machine[Facts],
        subject: Subject,
        state: str,
        trigger: str,
        facts: Facts,
        *,
        word: str = "",
        data: Data = (),
        cause: Seq | None = None,
    ) -> tuple[MachineRow | None, Seq]:
        """Ask a machine whose state is computed, not stored, for its next step; if it has one, record the transition.

        Returns the row and the number of its record. The caller stores the row's target (``word`` if the target is open).
        """
        row = machine.pick(state, trigger, facts, self.profile)
        if row is None:
            return None, self.cause
        target = word if row.target == ANY else row.target
        shown = "" if row.trigger in machine.omitted else row.trigger
        seq = self.record(
            subject=subject, machine=machine.name, source=state, trigger=shown, target=target, rule=row.rule, data=data, cause=cause
        )  # fmt: skip
        return row, seq

    def become(
        self,
        machine: Machine[Facts],
        key: object,
        row: Kept,
        trigger: str,
        facts: Facts,
        *,
        word: str = "",
        data: Data = (),
        **changes: Any,
    ) -> tuple[Kept, MachineRow | None, Seq]:
        """Let ``row`` (of the pod or node ``key``) take the machine's next step: record it, store the new state and ``changes``.

        Returns the stored row, the machine's row and the record's number; if the machine ignores the trigger, the unchanged row, None
        and the cause. ``word`` is the new state if the row leaves it open. This is the only way to change a state
        that a machine declares. About 3 µs.
        """
        place, state_of = machine.places[type(row)]
        state: str = state_of(row)
        step = machine.pick(state, trigger, facts, self.profile)
        if step is None:
            return row, None, self.cause
        seq, target = 0, word if step.target == ANY else step.target
        if not step.quiet:
            about = place.subject(key, row)
            shown = "" if step.trigger in machine.omitted else step.trigger
            seq = self.record(
                subject=about, machine=machine.name, source="" if place.sourceless else state, trigger=shown, target=target, rule=step.rule,
                data=data,
            )  # fmt: skip
            if place.seq_field:
                changes[place.seq_field] = seq
        changes[place.field] = target
        changed: Any = row
        inner, store = place.inner, place.store
        row = replace(changed, **{inner: replace(getattr(row, inner), **changes)}) if inner else replace(changed, **changes)
        if isinstance(store, str):
            getattr(self, store)(key, row)
        elif store is not None:
            store(self, key, row)
        return row, step, seq or self.cause

    # ---- time and chance -----------------------------------------------------------------------------------------
    def schedule(self, due_ms: Ms, lane: int, event: Event, *, cause: Seq | None = None) -> int:
        """Queue an event; returns its handle."""
        return self.world.queue.push(due_ms, lane, event, self.cause if cause is None else cause)

    def cancel(self, handle: int) -> None:
        """Take a queued event back. 0 is ignored, as is the current event: rows may still name the alarm that has just gone off."""
        if handle and handle != self.handle:
            self.world.queue.cancel(handle)

    def count(self, name: str) -> int:
        """The next number of a named counter, starting at 1."""
        value = self.world.counters.get(name, 0) + 1
        self.world.counters[name] = value
        return value

    def uniform(self, stream: str, n: int, low: Ms, high: Ms) -> Ms:
        """A keyed draw from [low, high)."""
        header = self.world.header
        return uniform_ms(header.seed, stream, n, low, high, jitter=header.jitter)

    def jitter(self, stream: str, n: int, base: Ms, factor_percent: int) -> Ms:
        """``base`` × U(1, 1 + factor)."""
        header = self.world.header
        return jitter_ms(header.seed, stream, n, base, factor_percent, jitter=header.jitter)

    # ---- rows ----------------------------------------------------------------------------------------------------
    def save_node(self, row: NodeRow) -> None:
        """Store a node's row."""
        old = self.tables.nodes.get(row.name)
        self.tables.nodes[row.name] = row
        changed = changed_parts_of_node(old, row)
        if changed:
            self.notify("Node", changed, old, row)

    def save_pod(self, row: PodRow) -> PodRow:
        """Store a changed pod row, incrementing its version, and the resourceVersion if the API object itself changed."""
        old = self.tables.pods[row.key]
        worker = self.tables.workers.get(row.key)
        if worker is not None and worker.rests:
            self.awaken(row.key)
        changed = changed_parts_of_pod(old, row)
        if not changed:
            row = self.tables.pods[row.key] = replace(row, version=row.version + 1)
            return row
        counters = self.world.counters
        revision = counters[REVISIONS] = counters.get(REVISIONS, 0) + 1
        row = self.tables.pods[row.key] = replace(row, version=row.version + 1, resource_version=revision)
        index_pod(self.tables, changed, old, row)
        after, before = row.pod.metadata, old.pod.metadata
        owner = after.controller_kind if after.owner_references else NOBODY
        former = owner if after is before else before.controller_kind
        self.notify("Pod", changed, old, row, owner, former)
        return self.tables.pods[row.key]  # a notified component may have changed it further

    def save_held_pod(self, row: PodRow) -> None:
        """Store a pod as the kubelet of a disconnected node knows it."""
        if row.key in self.tables.workers:
            self.awaken(row.key)
        self.tables.held_pods[row.key] = row

    def add_pod(self, row: PodRow) -> None:
        """Store a new pod object and make it the current one of its name."""
        self.tables.names[(row.namespace, row.name)] = row.key
        row = replace(row, resource_version=self.count(REVISIONS), number=len(self.tables.pods) + 1)
        self.tables.pods[row.key] = row
        index_new_pod(self.tables, row)
        owner = row.pod.metadata.controller_kind
        self.notify("Pod", ADDED, None, row, owner, owner)

    def save_object(self, row: ApiObject) -> ApiObject:
        """Store a new or changed API object that is not a pod, with the next resourceVersion."""
        key = (row.kind, row.namespace, row.name)
        old = self.tables.objects.get(key)
        row = self.tables.objects[key] = replace(row, resource_version=self.count(REVISIONS))
        index_object(self.tables, old, row)
        self.notify(_watched_kind(row), changed_parts_of_object(old, row), old, row)
        return row

    def drop_object(self, row: ApiObject) -> None:
        """Remove an API object that is not a pod; that too is a revision of the store."""
        self.count(REVISIONS)
        held = self.tables.objects.pop((row.kind, row.namespace, row.name), None)
        if held is not None:
            self.tables.managed.pop(held.uid, None)
            index_object(self.tables, held, None)
            self.notify(_watched_kind(row), GONE, row, row)

    def notify(
        self, kind: str, changed: int, old: StoredRow | None, row: StoredRow, owner: str = NOBODY, before: str = NOBODY
    ) -> None:  # fmt: skip
        """Notify the components that watch objects of that kind of what a write has changed. The cause stays as it was.

        ``owner`` and ``before``: the kinds of a pod's controllers after and before the write.
        """
        cause, writer, tables, watches = self.cause, self.component, self.tables, self.world.watches
        held, kinds = tables.held_objects, tables.names_by_kind.held
        is_far = bool(held) and _node_of(row) in held
        lines = watches.answers.get((kind, changed, writer, owner, before))
        if lines is None:
            lines = watches.notified(kind, changed, writer, owner, before)
        for component, handler, beside in lines:
            if beside and (beside, row.namespace) not in kinds:  # type: ignore[union-attr]
                continue
            if is_far and component == KUBELET:
                continue
            self.component = component
            handler(self, old, row)
            self.cause = cause
        self.component = writer

    def enqueue(self, queue: Queue, key: Event, *, after_ms: Ms = 0) -> None:
        """Put a key into a component's queue: it is taken ``after_ms`` after the write has arrived there.

        A key is queued only once, whatever happens to its object meanwhile (client-go util/workqueue).
        """
        latency: Ms = getattr(self.profile, queue.latency)
        due_ms = self.now + latency + after_ms
        if self.tables.queued.get(key) != due_ms:
            self.tables.queued[key] = due_ms
            self.schedule(due_ms, queue.lane, key)

    def check(self, due_ms: Ms, lane: int, key: Event, *, put_off: bool = False) -> None:
        """Have ``key`` checked then, or earlier if that is already planned: each key has one pending check, however often it is requested.

        ``put_off``: the moment replaces the planned one, even an earlier one. The handler of a check plans the next one.
        """
        held = self.tables.checks.get(key)
        if held is not None:
            if held[0] == due_ms or (held[0] < due_ms and not put_off):
                return
            self.cancel(held[1])
        self.tables.checks[key] = (due_ms, self.schedule(due_ms, lane, key))

    def uncheck(self, key: Event) -> None:
        """Cancel the pending check of ``key``."""
        held = self.tables.checks.pop(key, None)
        if held is not None:
            self.cancel(held[1])

    def save_failures(self, key: Event, failures: int) -> None:
        """Store how many rounds of a controller failed in a row; 0 removes the entry."""
        if failures:
            self.tables.failures[key] = failures
        else:
            self.tables.failures.pop(key, None)

    def save_node_life(self, row: NodeLife) -> NodeLife:
        """Store a node's health; if its power has changed, requests that go through it are checked."""
        old = self.tables.node_life.get(row.node)
        row = super().save_node_life(row)
        if row.is_unhealthy and (old is None or not old.is_unhealthy):
            self._awaken_all(tuple(self.tables.pods_by_node.of(row.node)))
        if self.tables.loads and (old is None or old.power != row.power):
            self.touch_loads()
        return row

    def save_static_pod(self, row: StaticPod, *, gone: bool = False) -> None:
        """Store a static pod, or remove it once its containers are gone. As long as there is one, the syncs of all pods have work to do."""
        if not self.tables.static_pods:
            self._awaken_all(tuple(self.tables.workers))
        super().save_static_pod(row, gone=gone)

    def _awaken_all(self, pods: tuple[Key, ...]) -> None:
        for pod in pods:
            if pod in self.tables.workers:
                self.awaken(pod)

    def save_triggers(self, key: tuple[str, str, str], row: tuple[Ms, dict[str, Ms]] | None) -> None:
        """Store which changes of a Service an endpoints controller knows about, or remove them."""
        if row is None:
            self.tables.triggers.pop(key, None)
        else:
            self.tables.triggers[key] = row

    def set_proxy_dirty(self, service: tuple[str, str], *, dirty: bool) -> None:
        """Note that the proxies have to write a Service's rules, with the current cause, or that they have."""
        if dirty:
            self.tables.proxy_dirty[service] = self.cause
        else:
            self.tables.proxy_dirty.pop(service, None)

    def save_proxied(self, service: tuple[str, str], rows: tuple[Learnt, ...]) -> None:
        """Store what the proxies have learnt about a Service, newest last."""
        if rows:
            self.tables.proxied[service] = rows
        else:
            self.tables.proxied.pop(service, None)

    def save_load(self, row: LoadRow) -> None:
        """Store the outcome of a Service's requests, and to which pods they go."""
        key = (row.namespace, row.name)
        old, self.tables.loads[key] = self.tables.loads.get(key), row
        before, after = ({slot.pod: None for slot in found.plan} if found is not None else {} for found in (old, row))
        if before == after:
            return
        held = self.tables.load_pods
        for pod, others in [(pod, others) for pod, others in held.items() if key in others]:
            held[pod] = tuple(other for other in others if other != key)
            if not held[pod]:
                del held[pod]
        for name in after:
            pod = self.tables.names.get((row.namespace, name), "")
            if pod:
                held[pod] = (*held.get(pod, ()), key)

    def touch_loads(self, pod: Key = "") -> None:
        """Note a change that requests depend on: of one pod, or of all."""
        loads = self.tables.load_pods.get(pod, ()) if pod else self.tables.loads
        for namespace, name in loads:
            self.check(self.now, Lane.HOUSEKEEPING, LoadLook(namespace, name))

    def save_node_backoff(self, key: tuple[str, str], entry: BackoffEntry) -> None:
        """Store how long a DaemonSet's controller backs off from failed pods on a node."""
        self.tables.node_backoffs[key] = entry

    def save_volume_wait(self, pod: Key, node: str) -> None:
        """Store the node for which a pod waits until its volumes are there; an empty one: it does not wait."""
        if node:
            self.tables.volume_waits[pod] = node
        else:
            self.tables.volume_waits.pop(pod, None)

    def save_wait(self, key: Event, wait: tuple[str, Data] | None) -> None:
        """Store what a controller's round waits for (rule and numbers); None: nothing."""
        if wait is not None:
            self.tables.waits[key] = wait
        else:
            self.tables.waits.pop(key, None)

    def save_autoscaler(self, key: tuple[str, str], row: AutoscalerRow | None) -> None:
        """Store what is remembered about an autoscaler, or remove it."""
        if row is None:
            self.tables.autoscalers.pop(key, None)
        else:
            self.tables.autoscalers[key] = row

    def save_job_failures(self, uid: str, row: tuple[int, Ms] | None) -> None:
        """Store how many pods of a Job have failed in a row and when the last of them finished; None removes it."""
        if row is None:
            self.tables.job_failures.pop(uid, None)
        else:
            self.tables.job_failures[uid] = row

    def save_chosen(self, key: Event, pods: tuple[Chosen, ...]) -> None:
        """Store which pods a controller has yet to delete in this key's round; an empty tuple removes the entry."""
        if pods:
            self.tables.chosen[key] = pods
        else:
            self.tables.chosen.pop(key, None)

    def save_reserved(self, key: Event, held: tuple[Ms, int] | None) -> None:
        """Store the requests that a controller's client may send later for ``key``, or remove them."""
        if held is None:
            self.tables.reserved.pop(key, None)
        else:
            self.tables.reserved[key] = held

    def save_worker(self, row: Worker) -> Worker:
        """Store a pod worker. If it was resting it is now awake (``rest_worker`` lets it rest)."""
        if row.rests:
            awake = self.awaken(row.pod)
            row = replace(row, rests=0, syncs=awake.syncs, busy_until_ms=awake.busy_until_ms)
            row = replace(row, sync_due_ms=awake.sync_due_ms, sync_handle=awake.sync_handle)
        self.tables.workers[row.pod] = row
        return row

    def rest_worker(self, row: Worker) -> Worker:
        """Store a pod worker whose next sync, at ``sync_due_ms``, will find nothing to do: it has a place in the queue but no event."""
        row = self.tables.workers[row.pod] = replace(row, rests=self.world.queue.keep_place(), sync_handle=0)
        return row

    def awaken(self, pod: Key) -> Worker:
        """The pod's worker; if it was resting, its past syncs are accounted for and the next one is queued.

        Call this before anything that may give such a sync work to do: the writes of Effects do.
        """
        worker = self.tables.workers[pod]
        if worker.rests:
            worker = up_to_now(self.world, worker)
            assert worker.sync_due_ms is not None
            self.world.queue.push_at(worker.sync_due_ms, Lane.KUBELET, worker.rests, SyncDue(pod), worker.seq)
            worker = self.tables.workers[pod] = replace(worker, rests=0, sync_handle=worker.rests)
        return worker

    def drop_worker(self, pod: Key) -> None:
        """Remove a pod worker along with what the kubelet remembered about the pod."""
        self.tables.workers.pop(pod, None)
        self.tables.seen.pop(pod, None)

    def save_sandbox(self, pod: Key, row: Sandbox | None) -> None:
        """Store a pod's current sandbox, or remove it."""
        if row is None:
            self.tables.sandboxes.pop(pod, None)
        else:
            self.tables.sandboxes[pod] = row
        if self.tables.load_pods:
            self.touch_loads(pod)

    def save_instances(self, pod: Key, rows: tuple[Instance, ...]) -> None:
        """Store all container instances of a pod, newest first."""
        if rows:
            self.tables.instances[pod] = rows
        else:
            self.tables.instances.pop(pod, None)
        if self.tables.load_pods:
            self.touch_loads(pod)

    def save_instance(self, pod: Key, row: Instance) -> Instance:
        """Replace one instance, or add it as the newest."""
        rows = self.tables.instances.get(pod, ())
        for position, old in enumerate(rows):
            if old.attempt == row.attempt and old.container == row.container:
                if self.tables.load_pods and pod in self.tables.load_pods and _answers(old) != _answers(row):
                    self.touch_loads(pod)
                self.tables.instances[pod] = (*rows[:position], row, *rows[position + 1 :])
                return row
        self.tables.instances[pod] = (row, *rows)
        if self.tables.load_pods:
            self.touch_loads(pod)
        return row

    def save_seen(self, pod: Key, row: Seen) -> None:
        """Store what the kubelet has seen of a pod."""
        worker = self.tables.workers.get(pod)
        if worker is not None and worker.rests:
            self.awaken(pod)
        self.tables.seen[pod] = row

    def save_probe(self, key: tuple[Key, str, str], row: ProbeRow | None) -> None:
        """Store a probe worker, or remove it."""
        if row is None:
            self.tables.probes.pop(key, None)
        else:
            self.tables.probes[key] = row

    def save_exec(self, n: int, row: Exec | None) -> None:
        """Store a process started by exec, or remove it."""
        if row is None:
            self.tables.execs.pop(n, None)
        else:
            self.tables.execs[n] = row

    def save_answer(self, seq: Seq, row: ExecAnswer) -> None:
        """Keep the output of a user's command; the oldest is dropped."""
        answers = self.tables.answers
        answers[seq] = replace(row, printed=row.printed[:ANSWER_CHARS_MAX], errors=row.errors[:ANSWER_CHARS_MAX])
        while len(answers) > ANSWERS_MAX:
            del answers[next(iter(answers))]

    def save_image(self, image: str, row: ImageRow) -> None:
        """Store what the registry answers for an image."""
        self.tables.images[image] = row

    def image_on_disk(self, node: str, image: str) -> None:
        """Note that an image is now on a node's disk."""
        if (node, image) not in self.tables.present:
            self.tables.present[(node, image)] = True
            self.tables.image_nodes[image] = self.tables.image_nodes.get(image, 0) + 1

    def save_volumes(self, volumes: tuple[tuple[str, Files], ...]) -> None:
        """Store changed volumes."""
        for name, files in volumes:
            self.tables.volumes[name] = files

    def save_user_range(self, pod: Key, held: tuple[str, int] | None) -> None:
        """Store the user ids a pod has on its node, or free them."""
        if held is None:
            self.tables.user_ranges.pop(pod, None)
        else:
            self.tables.user_ranges[pod] = held

    def save_resize(self, pod: Key, row: Resize) -> Resize:
        """Store the state of a pod's resize."""
        self.tables.resizes[pod] = row
        return row

    def save_series(self, key: tuple[Key, int], row: tuple[Ms, str, int]) -> None:
        """Store the state of the series of a scheduler's Event."""
        self.tables.series[key] = row

    def save_pressure(self, row: NodePressure) -> NodePressure:
        """Store what a node's eviction manager remembers."""
        self.tables.pressures[row.node] = row
        return row

    def save_measured(self, pod: Key, row: MeasuredVolumes) -> None:
        """Store the result of measuring a pod's volumes."""
        self.tables.measured[pod] = row

    def save_report(self, pod: Key, row: Report | None) -> None:
        """Store what the kubelet reported about a pod before another client overwrote it, or remove it."""
        if row is None:
            self.tables.reports.pop(pod, None)
        else:
            self.tables.reports[pod] = row

    def save_layers(self, pod: Key, rows: tuple[MeasuredLayer, ...]) -> None:
        """Store the result of the last measurement of the writable layers of a pod's containers."""
        self.tables.layers[pod] = rows

    def drop_volume(self, name: str) -> None:
        """Forget a volume's contents."""
        self.tables.volumes.pop(name, None)

    def save_mounts(self, pod: Key, row: PodVolumes | None) -> None:
        """Store the progress of mounting a pod's volumes, or remove it."""
        if row is None:
            self.tables.mounts.pop(pod, None)
        else:
            self.tables.mounts[pod] = row

    def save_k8s_event(self, key: tuple[str, ...], row: K8sEvent) -> None:
        """Store a Kubernetes Event object."""
        self.tables.k8s_events.top[key] = row

    def save_similar(self, key: tuple[str, ...], row: Similar) -> None:
        """Store the aggregation state of one kind of event."""
        self.tables.similar.top[key] = row

    def save_bucket(self, key: tuple[str, str], row: tuple[int, Ms]) -> None:
        """Store the spam filter's bucket of (component, object)."""
        self.tables.buckets[key] = row

    def save_backoff(self, key: tuple[str, Key, str], row: Backoff | None) -> None:
        """Store a back-off entry, or remove it."""
        if row is None:
            self.tables.backoffs.pop(key, None)
        else:
            self.tables.backoffs[key] = row

    def save_log(self, key: tuple[Key, str], lines: tuple[tuple[int, Ms, str, str], ...]) -> None:
        """Store a container's log: (attempt, moment, stream, text) lines."""
        self.tables.logs[key] = lines

    def set_probe_busy(self, key: tuple[Key, str, str]) -> None:
        """Note that a probe attempt is in progress."""
        self.tables.probes[key] = replace(self.tables.probes[key], busy=True, began_ms=self.now)


def _node_of(row: StoredRow) -> str:
    """The node whose kubelet the object concerns; empty if it is neither a pod nor a node."""
    return row.node if isinstance(row, PodRow) else row.name if isinstance(row, NodeRow) else ""


def _watched_kind(row: ApiObject) -> str:
    """The kind whose watchers are notified. Watchers of Node mean machines, which an object that was merely applied is not."""
    return EVERY_KIND if row.kind == "Node" else row.kind


def _answers(row: Instance) -> tuple[object, ...]:
    """The parts of an instance that decide how it answers requests."""
    process = row.process
    if process is None:
        return (row.state,)
    ports = tuple(task.body.ports for task in process.tasks if isinstance(task.body, Holder))
    return row.state, process.hung, process.exit_code, ports
