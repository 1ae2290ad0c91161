"""What the end of a process, an exec or a hook triggers.

The order when a process ends: hooks that wait for its answer lose their connection, its own stop
completes, its execs end with it, sidecars that waited for it get their turn, and last the worker continues, if this
was the last end that it waited for. The worker comes last because it may sync and start the container again,
and must not find anything of the old instance in progress.

None of this is what the kubelet *knows*: that comes with the next relist. It is what its goroutines that are blocked
in a call (KillContainer, a hook, an exec) get back.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.units import Key
from simulator.engine.kubelet.pods.containers import execs, hooks, user_execs
from simulator.engine.kubelet.pods.containers.execs import Finished, Handler
from simulator.engine.kubelet.pods.containers.hook_machine import HOOK, HookFacts
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.loop import probing
from simulator.engine.kubelet.pods.sandbox import sandbox_steps
from simulator.engine.kubelet.pods.start.start import fail
from simulator.engine.kubelet.pods.stop.stop import StopOrder, begin_stop, give_turns, grace_for, hook_ended
from simulator.engine.kubelet.pods.stop.stop_machine import STOP, StopFacts
from simulator.engine.kubelet.pods.sync import sync
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ExecTimeout, ExecWake, HookDone, ProcessEnded
from simulator.engine.world.rows import Exec, Instance


def process_ended(fx: Effects, event: ProcessEnded) -> None:
    """A container's process has ended: finish its stop, end its execs, and let a worker that waits for it continue."""
    instance = find_instance(fx, event.pod, event.container, event.attempt)
    if instance is not None:
        fx.cause = instance.seq
        hooks.connection_lost(fx, event.pod, instance)
        # The instance without its unanswered requests was just saved: read it again, or the next write would restore them.
        instance = find_instance(fx, event.pod, event.container, event.attempt) or instance
        _finish_stop(fx, event.pod, instance)
    execs.end_with_container(fx, event.pod, event.container, event.attempt, HANDLERS)
    give_turns(fx, event.pod)
    worker = fx.tables.workers.get(event.pod)
    if worker is None or (event.container, event.attempt) not in worker.waits_for:
        return
    waits = tuple(item for item in worker.waits_for if item != (event.container, event.attempt))
    worker = replace(worker, waits_for=waits)
    if waits:
        fx.save_worker(worker)
    elif worker.step == "kill_pod":
        sync.go_on(fx, sandbox_steps.begin_stop(fx, worker))
    elif worker.step == "pull":
        sandbox_steps.stop_while_busy(fx, fx.save_worker(worker))
    else:
        sync.go_on(fx, replace(worker, step=""))


def _finish_stop(fx: Effects, pod: Key, instance: Instance) -> None:
    """Complete the stop machine of the instance."""
    stop = instance.stop
    if stop is None:
        return
    if stop.state != "killed":
        fx.cancel(stop.handle)
    instance, _, _ = fx.become(STOP, pod, instance, "exited", StopFacts(), data=(("exit_code", instance.exit_code),))
    if instance.stop is not None and instance.stop.state == "stopped":
        fx.save_instance(pod, replace(instance, stop=None))


def finish_hook(fx: Effects, pod: Key, container: str, attempt: int, purpose: str, finished: Finished) -> None:
    """A hook has ended."""
    instance = find_instance(fx, pod, container, attempt)
    if instance is None:
        return
    data = (("hook", purpose), ("instance", attempt), ("exit_code", finished.exit_code), ("message", finished.output or finished.error))
    facts = HookFacts(purpose, hooks.has_failed(finished), hooks.counts_apart(instance))
    step, fx.cause = fx.fire(HOOK, f"container/{pod}/{container}", "running", "ended", facts, data=data)
    if step is None or step.target not in ("done", "failed"):
        return
    failed = step.target == "failed"
    if purpose == "pre_stop":
        _finish_pre_stop(fx, pod, instance, finished, failed=failed)
    else:
        _finish_post_start(fx, pod, instance, finished, failed=failed)


def _finish_pre_stop(fx: Effects, pod: Key, instance: Instance, finished: Finished, *, failed: bool) -> None:
    row = fx.tables.pods[pod]
    if failed:
        hooks.report_pre_stop(fx, row, instance.spec, instance.group, finished)
    if instance.runs:
        hook_ended(fx, row, instance)


def _finish_post_start(fx: Effects, pod: Key, instance: Instance, finished: Finished, *, failed: bool) -> None:
    """On success let the worker continue; on failure kill the container first."""
    worker = fx.tables.workers.get(pod)
    if worker is None or worker.step != "post_start":
        return
    if not failed:
        sync.go_on(fx, replace(worker, step="", start=None))
        return
    row = fx.tables.pods[pod]
    cause = fx.cause
    reason, message = hooks.report_post_start(fx, row, instance.spec, instance.group, finished)
    worker = fail(fx, worker, reason, message, cause)  # not saved yet: what follows adds the step that the kill takes
    instance = find_instance(fx, pod, instance.container, instance.attempt) or instance
    if not instance.runs:
        group, name = instance.group, instance.container
        emit(fx, row, reason="Killing", message="FailedPostStartHook", container=name, group=group, rule="HOOK-POST-START-FAILED")
        sync.go_on(fx, worker)
        return
    grace = grace_for(fx, row, worker, instance.spec, "")
    worker = fx.save_worker(replace(worker, step="post_start_kill", waits_for=((instance.container, instance.attempt),)))
    begin_stop(fx, row, instance, instance.spec, StopOrder(message="FailedPostStartHook", reason="post-start", grace_ms=grace))


def hook_done(fx: Effects, event: HookDone) -> None:
    """A hook that was not a long exec has ended; the kubelet that ran it may have stopped since."""
    life = fx.tables.node_life.get(fx.tables.pods[event.pod].node)
    if not hooks.is_answered(fx, event):
        return
    if life is None or life.kubelet != "running" or life.starts != event.kubelet:
        return
    finished = Finished(event.outcome, event.exit_code, event.output, event.error, errors=event.errors)
    if event.fallback:
        hooks.report_fallback(fx, fx.tables.pods[event.pod], event.fallback)
    finish_hook(fx, event.pod, event.container, event.attempt, event.purpose, finished)


def _finish_exec_hook(fx: Effects, row: Exec, finished: Finished) -> None:
    if finished.outcome == "container_gone":
        finished = Finished("exited", 137, finished.output, "", finished.took_ms)
    finish_hook(fx, row.pod, row.container, row.attempt, row.purpose, finished)


def exec_wake(fx: Effects, event: ExecWake) -> None:
    """Continue an exec."""
    execs.exec_wake(fx, event, HANDLERS)


def exec_timeout(fx: Effects, event: ExecTimeout) -> None:
    """The timeout of an exec has expired."""
    execs.exec_timeout(fx, event, HANDLERS)


HANDLERS: dict[str, Handler] = {
    "probe": probing.probe_exec_ended,
    "post_start": _finish_exec_hook,
    "pre_stop": _finish_exec_hook,
    "user": user_execs.user_exec_ended,
}
