"""postStart and preStop: what they run, how long the worker waits for them, and what a failure means.

postStart blocks the pod's worker and its failure kills the container; preStop spends the grace period and its failure is only
an event.
"""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms, seconds
from simulator.engine.kubelet.containers import execs
from simulator.engine.kubelet.containers.execs import Finished
from simulator.engine.kubelet.containers.ports import resolve_port
from simulator.engine.kubelet.workers import reach
from simulator.engine.machines.hook import HOOK
from simulator.engine.model.container import Container
from simulator.engine.model.probe import HTTPGetAction, LifecycleHandler
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import HookDone
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance, PodRow, Worker

RULES = (
    RuleText(
        "HOOK-POST-START",
        gettext_noop("The postStart hook runs beside the main process; until it is over the kubelet publishes nothing of this pod."),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
    ),
    RuleText(
        "HOOK-POST-START-FAILED",
        gettext_noop("The postStart hook failed, so the container is killed: {message}"),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
    ),
    RuleText(
        "HOOK-HTTP-FALLBACK",
        gettext_noop("The hook asked for HTTPS and the server answered in plain HTTP, so the kubelet asked again without TLS."),
        "pull request 86139; pkg/kubelet/lifecycle/handlers.go runHTTPHandler",
        "1.26",
    ),
    RuleText(
        "HOOK-PRE-STOP-FAILED",
        gettext_noop("The preStop hook failed; that is only reported, the stop goes on."),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
    ),
)


def _named(row: PodRow) -> str:
    return f"{row.name}_{row.namespace}({row.uid})"


def begin(fx: Effects, row: PodRow, container: Container, instance: Instance, handler: LifecycleHandler, purpose: str) -> None:
    """Run a hook; its end comes as ``HookDone`` or, for an exec that takes time, from ``execs``."""
    if handler.exec is not None:
        _, finished = execs.begin(fx, row.key, instance, handler.exec.command, purpose=purpose)
        if finished is not None:
            _later(fx, row.key, instance, purpose, finished, fx.profile.exec_ms)
    elif handler.http_get is not None:
        _http(fx, row.key, container, instance, handler.http_get, purpose)
    elif handler.sleep is not None:
        _later(fx, row.key, instance, purpose, Finished("exited"), seconds(handler.sleep.seconds))
    else:
        _later(fx, row.key, instance, purpose, Finished("error", 0, "", "invalid handler"), 0)


def _later(fx: Effects, pod: Key, instance: Instance, purpose: str, finished: Finished, wait_ms: Ms, *, fallback: str = "") -> None:
    done = HookDone(
        pod,
        instance.container,
        instance.attempt,
        purpose,
        finished.outcome,
        finished.exit_code,
        finished.output,
        finished.error,
        finished.errors,
        fallback,
    )
    fx.schedule(fx.now + wait_ms, Lane.RUNTIME, done)


def _http(fx: Effects, pod: Key, container: Container, instance: Instance, action: HTTPGetAction, purpose: str) -> None:
    """An HTTP hook succeeds with any answer; only what keeps it from one is an error. It has no time limit of its own."""
    port = resolve_port(container, action.port)
    if instance.process is None or port is None:
        _later(fx, pod, instance, purpose, Finished("error", 0, "", f"couldn't find port: {action.port}"), 0)
        return
    row = fx.tables.pods[pod]
    url = _url(fx, row, action, port)
    fetched = reach.fetch(fx, row, instance, url, anywhere=not fx.profile.http_hook_honours_scheme)
    fallback = ""
    if fetched.outcome == "plain":
        again = reach.fetch(fx, row, instance, replace(url, scheme="HTTP", text=url.text.replace("https://", "http://", 1)))
        if not again.error:
            fetched, fallback = again, url.text.partition("://")[2].partition("/")[0]
    if fetched.outcome == "timeout":
        fx.save_instance(pod, replace(instance, asks=(purpose, url.text)))
        return
    finished = Finished("error", 0, "", fetched.error) if fetched.error else Finished("exited")
    _later(fx, pod, instance, purpose, finished, fetched.delay_ms or fx.profile.network_probe_ms, fallback=fallback)


def _url(fx: Effects, row: PodRow, action: HTTPGetAction, port: int) -> reach.RequestAddress:
    """Where the hook asks. Until 1.25 always by plain HTTP, and the kubelet joined address and path with a slash of its own."""
    host = reach.host_or_own(fx, row, action.host)
    if not fx.profile.http_hook_honours_scheme:
        return reach.RequestAddress(f"http://{host}:{port}/{action.path}", "HTTP", host, port, action.path)
    path = action.path if action.path.startswith("/") else f"/{action.path}"
    return reach.RequestAddress(f"{action.scheme.lower()}://{host}:{port}{path}", action.scheme, host, port, action.path)


def connection_lost(fx: Effects, pod: Key, instance: Instance) -> None:
    """The process that an HTTP hook waits for has ended: the hook gets no answer any more."""
    if instance.asks is None:
        return
    purpose, url = instance.asks
    fx.save_instance(pod, replace(instance, asks=None))
    _later(fx, pod, instance, purpose, Finished("error", 0, "", f'Get "{url}": EOF'), 0)


def answered_at_last(fx: Effects, pod: Key, instance: Instance) -> None:
    """The process that an HTTP hook waits for goes on: the hook gets its answer, and any will do."""
    if instance.asks is None:
        return
    fx.save_instance(pod, replace(instance, asks=None))
    _later(fx, pod, instance, instance.asks[0], Finished("exited"), fx.profile.network_probe_ms)


def report_fallback(fx: Effects, row: PodRow, address: str) -> None:
    """Write the Event about a hook that wanted TLS and was answered without."""
    text = f"request to HTTPS lifecycle hook {address} got HTTP response, retry with HTTP succeeded"
    emit(fx, row, severity="Warning", reason="LifecycleHTTPFallback", message=text, rule="HOOK-HTTP-FALLBACK")


def describe(row: PodRow, container: Container, handler: LifecycleHandler, finished: Finished, *, with_message: bool) -> str:
    """The full text of a hook's failure."""
    where = f'for Container "{container.name}" in Pod "{_named(row)}" failed - error: {error_text(handler, finished)}'
    output = f', message: "{_escaped(finished.output)}"' if with_message else ""
    if handler.exec is not None:
        return f"Exec lifecycle hook ([{' '.join(handler.exec.command)}]) {where}{output}"
    if handler.http_get is not None:
        word = "Http" if with_message else "HTTP"
        return f"{word} lifecycle hook ({handler.http_get.path}) {where}{output}"
    if handler.sleep is not None:
        return f"Sleep lifecycle hook ({handler.sleep.seconds}) {where}"
    return f"Cannot run handler: {finished.error}"


def _escaped(text: str) -> str:
    return text.replace("\\", "\\\\").replace('"', '\\"').replace("\r", "\\r").replace("\n", "\\n")


def error_text(handler: LifecycleHandler, finished: Finished) -> str:
    """The error of a hook as the kubelet words it."""
    if finished.outcome == "error" or handler.exec is None:
        return finished.error
    return f"command '{' '.join(handler.exec.command)}' exited with {finished.exit_code}: {finished.errors}"


def has_failed(finished: Finished) -> bool:
    """Whether a hook's end counts as failure."""
    return finished.outcome != "exited" or finished.exit_code != 0


def begin_post_start(fx: Effects, worker: Worker, row: PodRow, container: Container, instance: Instance) -> Worker:
    """Run postStart; the worker waits in the step ``post_start`` until it is over."""
    assert container.lifecycle is not None
    assert container.lifecycle.post_start is not None
    assert worker.start is not None
    subject = f"container/{row.key}/{container.name}"
    data = (("hook", "post_start"), ("instance", instance.attempt))
    step, fx.cause = fx.fire(HOOK, subject, HOOK.initial, DECIDED, "HOOK-POST-START", data=data)
    if step is not None and step.target == "running":
        begin(fx, row, container, instance, container.lifecycle.post_start, "post_start")
    return replace(worker, step="post_start", start=replace(worker.start, seq=fx.cause))


def counts_apart(instance: Instance) -> bool:
    """Whether what the process gets counts from the end of the preStop hook that runs."""
    return instance.stop is not None and instance.stop.override_ms is not None


def begin_pre_stop(fx: Effects, row: PodRow, container: Container, instance: Instance) -> None:
    """Run preStop inside the grace period, or before it where the grace counts from its end."""
    assert container.lifecycle is not None
    assert container.lifecycle.pre_stop is not None
    data = (("hook", "pre_stop"), ("instance", instance.attempt))
    rule = "STOP-HOOK-APART" if counts_apart(instance) else "STOP-HOOK"
    step, _ = fx.fire(HOOK, f"container/{row.key}/{container.name}", HOOK.initial, DECIDED, rule, data=data)
    if step is not None and step.target == "running":
        begin(fx, row, container, instance, container.lifecycle.pre_stop, "pre_stop")


def report_pre_stop(fx: Effects, row: PodRow, container: Container, group: str, finished: Finished) -> None:
    """Write the event of a failed preStop."""
    assert container.lifecycle is not None
    assert container.lifecycle.pre_stop is not None
    text = "PreStopHook failed"
    if fx.profile.hook_event_text == "full":
        text = describe(row, container, container.lifecycle.pre_stop, finished, with_message=True)
    rule = "HOOK-PRE-STOP-FAILED"
    emit(fx, row, severity="Warning", reason="FailedPreStopHook", message=text, container=container.name, group=group, rule=rule)


def report_post_start(fx: Effects, row: PodRow, container: Container, group: str, finished: Finished) -> tuple[str, str]:
    """Write the event of a failed postStart; returns the waiting reason and message that the container will show."""
    assert container.lifecycle is not None
    assert container.lifecycle.post_start is not None
    handler = container.lifecycle.post_start
    full = describe(row, container, handler, finished, with_message=fx.profile.hook_error_text == "with_message")
    text = full if fx.profile.hook_event_text == "full" else "PostStartHook failed"
    rule = "HOOK-POST-START-FAILED"
    emit(fx, row, severity="Warning", reason="FailedPostStartHook", message=text, container=container.name, group=group, rule=rule)
    if fx.profile.post_start_reason == "with_error":
        return f"PostStartHookError: {error_text(handler, finished)}", full
    return "PostStartHookError", full
