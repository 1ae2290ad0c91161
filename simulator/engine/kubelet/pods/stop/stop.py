"""Stopping containers: Killing event, preStop, stop signal, KILL. Each container is stopped independently; the worker waits for all.

The stop machine decides what comes next and names a function of ``EFFECTS``; here the alarms are set and the
signals sent. ``deadline_ms`` is that of the current step. ``n`` distinguishes an alarm that was replaced from the
current one; cancelling alone would not do for an alarm that goes off in the same millisecond.

Requesting a stop again only writes one more Event, and keeps its time; ``hurry`` is the exception
that 1.20 makes when it loses a pod, where the shorter period counts. How long a container may take is decided by
``grace_for`` when the stop begins, so a deletion that shortens the period later does not affect it.

Source: pkg/kubelet/kuberuntime/kuberuntime_container.go killContainer, setTerminationGracePeriod.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.units import SECOND, Key, Ms, seconds
from simulator.engine.kubelet.pods.containers import hooks
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.instances import find_instance, signal_instance
from simulator.engine.kubelet.pods.stop.stop_machine import STOP, StopFacts, has_hook_and_grace
from simulator.engine.model.container import Container
from simulator.engine.policies.grace import container_grace, signal_grace_ms
from simulator.engine.policies.restart_policy import is_sidecar
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import StopStep
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance, PodRow, Stop, Worker

KILL, TERM = 9, 15
SIGNALS = {1: "HUP", 2: "INT", 3: "QUIT", 6: "ABRT", 9: "KILL", 10: "USR1", 12: "USR2", 15: "TERM", 28: "WINCH", 37: "RTMIN+3"}


def grace_for(fx: Effects, row: PodRow, worker: Worker, container: Container, reason: str) -> Ms:
    """How long a container may take to stop, including its hook, in milliseconds."""
    if worker.grace_s is not None and (fx.profile.grace_override_before_hook or not fx.profile.pod_worker_states):
        return seconds(worker.grace_s)
    deletion = max(row.grace_s, 0) if row.grace_s is not None and row.deletion_ms is not None else None
    verdict = container_grace(row.pod.spec, container, reason, deletion_grace_s=deletion, probe_level=fx.profile.probe_grace)
    return seconds(verdict.grace_s)


def override_of(fx: Effects, worker: Worker) -> Ms | None:
    """The grace period that counts from the end of the hook (until 1.27), or None.

    Until 1.21 evictions and shutdowns set one; from 1.22 on a worker passes one down whatever ends its pod.
    """
    if fx.profile.grace_override_before_hook:
        return None
    given = worker.grace_s if fx.profile.pod_worker_states else worker.ending.grace_s if worker.ending is not None else None
    return None if given is None else seconds(given)


class StopOrder(Struct, frozen=True, kw_only=True):
    """How a container is to be stopped. ``quiet``: without the Killing event. ``ordered``: the whole pod stops.

    ``override_ms`` is the grace period that counts once the hook is over, whatever is left of ``grace_ms``.
    """

    message: str
    reason: str
    grace_ms: Ms
    quiet: bool = False
    ordered: bool = False
    with_hook: bool = True
    override_ms: Ms | None = None


def begin_stop(fx: Effects, row: PodRow, instance: Instance, container: Container, order: StopOrder) -> None:
    """Begin to stop a running instance. If it is already being stopped, only the Event is repeated."""
    if not order.quiet:
        name, group = instance.container, instance.group
        emit(fx, row, reason="Killing", message=order.message, container=name, group=group, rule="STOP-REQUESTED")
    if instance.stop is not None:  # in progress: the Event was all
        return
    grace = order.grace_ms
    data = (
        ("instance", instance.attempt),
        ("message", order.message),
        ("reason", order.reason),
        ("group", instance.group),
        ("grace_ms", grace),
    )
    stop = Stop(
        state=STOP.initial, reason=order.reason, began_ms=fx.now, grace_ms=grace, deadline_ms=fx.now + grace, n=fx.count("stop"),
        ordered=order.ordered, override_ms=order.override_ms,
    )  # fmt: skip
    instance, _, fx.cause = fx.become(CONTAINER, row.key, instance, "stop_requested", StartFacts(), data=data, stop=stop)
    has_hook = order.with_hook and container.lifecycle is not None and container.lifecycle.pre_stop is not None
    waits = order.ordered and must_wait(fx, row, instance)
    facts = StopFacts(has_hook, grace, must_wait=waits, at_once=order.override_ms == 0, apart=order.override_ms is not None)
    _step(fx, row, instance, "stop", facts, grace)


def _step(fx: Effects, row: PodRow, instance: Instance, trigger: str, facts: StopFacts, left_ms: Ms) -> None:
    """Let the stop of an instance take its next step, with ``left_ms`` of the grace period remaining."""
    told_ms = left_ms if has_hook_and_grace(facts) else _process_ms(fx, instance, left_ms)
    instance, step, fx.cause = fx.become(STOP, row.key, instance, trigger, facts, data=_signal_data(fx, instance.spec, told_ms, left_ms))
    if step is not None:
        EFFECTS[step.do](fx, row, instance, left_ms)


def _run_hook(fx: Effects, row: PodRow, instance: Instance, left_ms: Ms) -> None:
    """Run preStop; when its time is over the stop signal follows."""
    instance = _arm(fx, row.key, instance, fx.now + left_ms)
    hooks.begin_pre_stop(fx, row, instance.spec, instance)


def _wait_for_turn(fx: Effects, row: PodRow, instance: Instance, left_ms: Ms) -> None:
    """Wait for the containers that must end first, but not beyond the grace period."""
    stop = instance.stop
    assert stop is not None
    _arm(fx, row.key, instance, stop.began_ms + stop.grace_ms)


def _send_kill(fx: Effects, row: PodRow, instance: Instance, left_ms: Ms) -> None:
    """Kill the process and cancel the stop's alarm."""
    stop = instance.stop
    assert stop is not None
    fx.cancel(stop.handle)
    instance = fx.save_instance(row.key, replace(instance, stop=replace(stop, handle=0)))
    signal_instance(fx, row.key, instance, KILL)


def must_wait(fx: Effects, row: PodRow, instance: Instance) -> bool:
    """Whether a sidecar's turn has not come: an app container or a later sidecar is still running."""
    if instance.group != "init" or not fx.profile.sidecar_containers or not is_sidecar(instance.spec):
        return False
    sidecars = [item.name for item in row.pod.spec.init_containers if is_sidecar(item)]
    later = sidecars[sidecars.index(instance.container) + 1 :] if instance.container in sidecars else []
    return any(other.runs and (other.group == "app" or other.container in later) for other in fx.tables.instances.get(row.key, ()))


def hurry(fx: Effects, row: PodRow, instance: Instance, grace_ms: Ms) -> None:
    """Stop a container a second time: the shorter grace period counts, and a hook is no longer waited for."""
    stop = instance.stop
    if stop is None or stop.state == "killed":
        return
    if stop.state == "term":
        if fx.now + signal_grace_ms(grace_ms, least_ms=fx.profile.min_stop_ms) < stop.deadline_ms:
            _send_term(fx, row, instance, grace_ms)
        return
    _step(fx, row, instance, "time_up", StopFacts(), grace_ms)


def give_turns(fx: Effects, pod: Key) -> None:
    """A container of the pod has ended: sidecars that waited for it may be stopped now."""
    row = fx.tables.pods[pod]
    for instance in fx.tables.instances.get(pod, ()):
        stop = instance.stop
        if stop is None or stop.state != "turn" or not instance.runs or must_wait(fx, row, instance):
            continue
        left = stop.grace_ms - (fx.now - stop.began_ms) // SECOND * SECOND
        _step(fx, row, instance, "turn_came", StopFacts(), left)


def _process_ms(fx: Effects, instance: Instance, left_ms: Ms) -> Ms:
    """The time the process gets from its stop signal on: what is left, at least two seconds, or exactly the override counted from there."""
    if instance.stop is not None and instance.stop.override_ms is not None:
        return instance.stop.override_ms
    return signal_grace_ms(left_ms, least_ms=fx.profile.min_stop_ms)


def _signal_data(fx: Effects, container: Container, told_ms: Ms, left_ms: Ms) -> tuple[tuple[str, int | str], ...]:
    number = stop_signal(fx, container)
    return (
        ("signal", SIGNALS.get(number, str(number))),
        ("left_s", told_ms // SECOND),
        ("grace_s", left_ms // SECOND),
    )


def stop_signal(fx: Effects, container: Container) -> int:
    """The signal that stops the container: the spec's if the version has it, else the image's, else TERM."""
    wanted = container.lifecycle.stop_signal if container.lifecycle is not None and fx.profile.container_stop_signals else None
    if wanted:
        name = wanted.removeprefix("SIG")
        return next((number for number, known in SIGNALS.items() if known == name), TERM)
    return behaviour.image_facts(container.image).stop_signal


def _arm(fx: Effects, pod: Key, instance: Instance, due: Ms) -> Instance:
    """Set the stop's alarm."""
    stop = instance.stop
    assert stop is not None
    fx.cancel(stop.handle)
    n = fx.count("stop")  # an alarm of this very millisecond cannot be cancelled any more; its number no longer matches
    handle = fx.schedule(due, Lane.RUNTIME, StopStep(pod, instance.container, instance.attempt, n))
    return fx.save_instance(pod, replace(instance, stop=replace(stop, n=n, handle=handle, deadline_ms=due, seq=fx.cause)))


def _send_term(fx: Effects, row: PodRow, instance: Instance, left_ms: Ms) -> None:
    """Send the stop signal, and set the alarm for KILL."""
    instance = _arm(fx, row.key, instance, fx.now + _process_ms(fx, instance, left_ms))
    assert instance.stop is not None
    instance = fx.save_instance(row.key, replace(instance, stop=replace(instance.stop, term_ms=fx.now)))
    signal_instance(fx, row.key, instance, stop_signal(fx, instance.spec))


def hook_ended(fx: Effects, row: PodRow, instance: Instance) -> None:
    """The preStop hook is over: what it took, in whole seconds, is deducted from the grace period."""
    stop = instance.stop
    if stop is None or stop.state != "pre_stop":
        return
    # Whole seconds: the kubelet takes the hook's time as int64(metav1.Now().Sub(start.Time).Seconds()).
    left = stop.grace_ms - (fx.now - stop.began_ms) // SECOND * SECOND
    waits = stop.ordered and must_wait(fx, row, instance)
    facts = StopFacts(grace_ms=left, must_wait=waits, at_once=stop.override_ms == 0, apart=stop.override_ms is not None)
    _step(fx, row, instance, "hook_ended", facts, left)


def stop_step(fx: Effects, event: StopStep) -> None:
    """The hook's time or the grace period is over."""
    instance = find_instance(fx, event.pod, event.container, event.attempt)
    if instance is None or instance.stop is None or instance.stop.n != event.n or not instance.runs:
        return
    fx.cause = instance.stop.seq
    given = instance.stop.override_ms
    _step(fx, fx.tables.pods[event.pod], instance, "time_up", StopFacts(at_once=given == 0, apart=given is not None), 0)


EFFECTS: dict[str, Callable[[Effects, PodRow, Instance, Ms], None]] = {
    "run_hook": _run_hook,
    "wait_for_turn": _wait_for_turn,
    "send_term": _send_term,
    "send_kill": _send_kill,
}
"""The effects that rows of the stop machine name."""


def forget_stop(fx: Effects, pod: Key, item: Instance) -> None:
    """The kubelet or runtime that was stopping the instance is gone: nothing will kill it when the grace period is over."""
    if item.stop is None or not item.runs:
        return
    if item.stop.state != "killed":
        fx.cancel(item.stop.handle)
    data = (("instance", item.attempt), ("group", item.group))
    item, _, _ = fx.become(CONTAINER, pod, item, "stop_forgotten", StartFacts(), data=data)
    item, step, _ = fx.become(STOP, pod, item, "forgotten", StopFacts(), data=data)
    if step is None or step.target == STOP.initial:
        fx.save_instance(pod, replace(item, stop=None))
