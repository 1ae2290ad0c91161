"""The work queue of a workload's controller: what puts an object into it, and how it is retried.

A controller is woken by keys, not by changes: however many writes concern an object, one check is
pending for it, and the round reads the state as it is then. That makes rounds idempotent, and it
means that intermediate states may never be seen.

A check comes ``watch_ms`` after the write, the time in which an informer learns of it. A round that
fails is retried after 5 ms, doubled each time up to 1,000 s; success resets the count. A wait for
a point in time (minReadySeconds, a deadline) is a check planned ahead, with no failure counted.

A pod wakes its controller by its controller reference, the one before the write too when it has
changed; a pod without one wakes every controller whose selector matches it.

Source: client-go util/workqueue; pkg/controller/replicaset/replica_set.go addPod, updatePod,
deletePod and their like.
"""

from collections.abc import Callable

from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import SECOND, Subject, seconds
from simulator.engine.model.selectors import selects
from simulator.engine.workloads.objects import selector_of
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import Event
from simulator.engine.world.lookups import objects_of
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import PodRow
from simulator.engine.world.watch import ADDED, BOUND, CHANGED, DELETING, ENDED, GONE, NOBODY, STATUS, Handler, Watch
from simulator.engine.world.world import ApiObject

Key = Callable[[str, str], Event]
"""Builds the key of a queue from an object's namespace and name."""


def look(fx: Effects, key: Event, *, after_ms: int = 0) -> None:
    """Have a controller check an object as soon as its informer has seen the change, or that much later.

    Each object has one pending check, the earliest requested.
    """
    fx.check(fx.now + fx.profile.watch_ms + after_ms, Lane.CONTROLLER, key)


def retry(fx: Effects, key: Event) -> None:
    """A round has failed: the next one comes after 5 ms, 10 ms, 20 ms … up to 1,000 s (workqueue ItemExponentialFailureRateLimiter)."""
    failures = fx.tables.failures.get(key, 0)
    fx.save_failures(key, failures + 1)
    profile = fx.profile
    fx.check(fx.now + min(profile.retry_first_ms << min(failures, 20), profile.retry_max_ms), Lane.CONTROLLER, key)


def forget(fx: Effects, key: Event) -> None:
    """A round has succeeded: the next failure counts as the first again."""
    if key in fx.tables.failures:
        fx.save_failures(key, 0)


def look_when_available(fx: Effects, key: Event, pods: list[PodRow], min_ready_s: int) -> None:
    """Have a controller check again a second after the next of these pods has been ready for long enough (enqueueRSAfter)."""
    if not min_ready_s:
        return
    moments = (pod.status.condition("Ready") for pod in pods)
    since = (ready.transition_ms for ready in moments if ready is not None and ready.status == "True" and ready.transition_ms)
    dues = [moment + seconds(min_ready_s) + SECOND for moment in since]
    for due in sorted(due for due in dues if due > fx.now)[:1]:
        fx.check(due, Lane.CONTROLLER, key)


def await_key(fx: Effects, key: Event, subject: Subject, rule: str, data: Data) -> None:
    """A round must wait for something else: record what it waits for, once."""
    if fx.tables.waits.get(key) != (rule, data):
        fx.note_step(subject, "waits", rule=rule, data=data)
        fx.save_wait(key, (rule, data))


def go_on(fx: Effects, key: Event) -> None:
    """A round does not wait: the next wait is recorded again."""
    if key in fx.tables.waits:
        fx.save_wait(key, None)


def workload_watches(component: str, kind: str, key: Key, *, adopts: bool = True) -> tuple[Watch, ...]:
    """The watches that wake a controller for its objects, for the pods that they control, and for orphans that they could adopt."""
    pods = Watch(component, "Pod", ADDED | CHANGED | BOUND | DELETING | STATUS | ENDED | GONE, _of_managed(kind, key), owner=kind)
    lone = Watch(component, "Pod", ADDED | CHANGED, _of_alone(kind, key), owner=NOBODY, beside=kind)
    own = Watch(component, kind, ADDED | CHANGED | DELETING, _of_own(key))
    return (own, pods, *((lone,) if adopts else ()))


def _of_own(key: Key) -> Handler:
    def written(fx: Effects, _old: ApiObject | None, row: ApiObject) -> None:
        look(fx, key(row.namespace, row.name))

    return written


def _of_managed(kind: str, key: Key) -> Handler:
    def written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
        metadata = row.pod.metadata
        after = metadata.controller
        before = after if old is None or old.pod.metadata is metadata else old.pod.metadata.controller
        if after is not None and after.kind == kind:
            look(fx, key(row.namespace, after.name))
        if before is not None and before is not after and before.kind == kind:
            look(fx, key(row.namespace, before.name))

    return written


def _of_alone(kind: str, key: Key) -> Handler:
    def written(fx: Effects, old: PodRow | None, row: PodRow) -> None:
        # Only labels and owners can make a pod adoptable, and both are metadata.
        if old is not None and old.pod.metadata is row.pod.metadata:
            return
        for item in objects_of(fx.tables, kind, row.namespace):
            if selects(selector_of(item), row.pod.metadata.labels):
                look(fx, key(item.namespace, item.name))

    return written
