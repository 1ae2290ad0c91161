"""postStart and preStop: what they run, how long the worker waits for them, and what a failure means.

postStart blocks the pod's worker and its failure kills the container; preStop uses up the grace period and its failure is only
an Event.
"""

from typing import Any

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit
from simulator.engine.kernel.machine import DECIDED
from simulator.engine.kernel.rule_text import RuleText, gettext_noop
from simulator.engine.kernel.units import Key, Ms, seconds
from simulator.engine.kubelet.pods.containers import execs, handler_requests
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.kubelet.pods.containers.hook_machine import HOOK
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.containers.ports import resolve_port
from simulator.engine.model.container import Container
from simulator.engine.model.probe import HTTPGetAction, LifecycleHandler
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import HookDone
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Instance, PodRow, Unanswered, Worker

RULES = (
    RuleText(
        "HOOK-POST-START",
        gettext_noop(
            "The postStart hook runs alongside the main process; the kubelet publishes nothing about this pod until it has finished."
        ),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
    ),
    RuleText(
        "HOOK-POST-START-FAILED",
        gettext_noop("The postStart hook failed, so the container is killed: {message}"),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer",
    ),
    RuleText(
        "HOOK-HTTP-FALLBACK",
        gettext_noop("The hook asked for HTTPS but the server answered in plain HTTP, so the kubelet tried again without TLS."),
        "pull request 86139; pkg/kubelet/lifecycle/handlers.go runHTTPHandler",
        "1.26",
    ),
    RuleText(
        "HOOK-PRE-STOP-FAILED",
        gettext_noop("The preStop hook failed; this is only reported, and the stop continues."),
        "pkg/kubelet/kuberuntime/kuberuntime_container.go executePreStopHook",
    ),
)


def _named(row: PodRow) -> str:
    return f"{row.name}_{row.namespace}({row.uid})"


def begin(fx: Effects, row: PodRow, container: Container, instance: Instance, handler: LifecycleHandler, purpose: str) -> None:
    """Run a hook; its end arrives as ``HookDone`` or, for an exec that takes time, from ``execs``."""
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
    fx.schedule(fx.now + wait_ms, Lane.RUNTIME, _done(fx, pod, instance, purpose, finished, fallback=fallback))


def _done(fx: Effects, pod: Key, instance: Instance, purpose: str, finished: Finished, **more: Any) -> HookDone:
    return HookDone(
        pod,
        instance.container,
        instance.attempt,
        purpose,
        finished.outcome,
        finished.exit_code,
        finished.output,
        finished.error,
        finished.errors,
        kubelet=_kubelet(fx, pod),
        **more,
    )


def _kubelet(fx: Effects, pod: Key) -> int:
    """The kubelet that runs the pod, by the number of its start; -1 if its node is gone."""
    life = fx.tables.node_life.get(fx.tables.pods[pod].node)
    return life.starts if life is not None else -1


def _http(fx: Effects, pod: Key, container: Container, instance: Instance, action: HTTPGetAction, purpose: str) -> None:
    """Run an HTTP hook: any answer is a success; only failing to get one is an error. It has no timeout of its own."""
    port = resolve_port(container, action.port)
    if instance.process is None or port is None:
        _later(fx, pod, instance, purpose, Finished("error", 0, "", f"couldn't find port: {action.port}"), 0)
        return
    row = fx.tables.pods[pod]
    url = _url(fx, row, action, port)
    fetched = handler_requests.fetch(fx, row, instance, url, anywhere=not fx.profile.http_hook_honours_scheme)
    handler_requests.note_problem(fx, row, container.name, fetched)
    fallback = ""
    if fetched.outcome == "plain":
        again = handler_requests.fetch(fx, row, instance, replace(url, scheme="HTTP", text=url.text.replace("https://", "http://", 1)))
        if not again.error:
            fetched, fallback = again, url.text.partition("://")[2].partition("/")[0]
    if fetched.server is not None:
        _await(fx, pod, instance, purpose, fetched, fallback)
        return
    wait_ms, error = fetched.delay_ms or fx.profile.network_probe_ms, fetched.error
    if fetched.outcome == "timeout":
        wait_ms = fetched.delay_ms + fx.profile.hook_dial_timeout_ms
        error = f'Get "{fetched.url.text}": dial tcp {fetched.url.host}:{fetched.url.port}: {fx.profile.hook_dial_error}'
    _later(fx, pod, instance, purpose, _got(error), wait_ms)


def _got(error: str) -> Finished:
    return Finished("error", 0, "", error) if error else Finished("exited")


def _await(fx: Effects, pod: Key, instance: Instance, purpose: str, fetched: handler_requests.Fetched, fallback: str) -> None:
    """Let the hook wait until the server that accepted its request answers or ends, however long that takes."""
    assert fetched.server is not None
    handle = 0
    if fetched.outcome != "timeout":
        done = _done(fx, pod, instance, purpose, _got(fetched.error), fallback=fallback, server=fetched.server)
        handle = fx.schedule(fx.now + (fetched.delay_ms or fx.profile.network_probe_ms), Lane.RUNTIME, done)
    taker = find_instance(fx, *fetched.server)
    assert taker is not None
    request = Unanswered(pod, instance.container, instance.attempt, purpose, fetched.url.text, _kubelet(fx, pod), handle)
    fx.save_instance(fetched.server[0], replace(taker, owes=(*taker.owes, request)))


def is_answered(fx: Effects, event: HookDone) -> bool:
    """Whether the answer that ends a hook has come; a server that hangs gives it when it resumes."""
    taker = find_instance(fx, *event.server) if event.server is not None else None
    if event.server is None or taker is None:
        return True
    asker = (event.pod, event.container, event.attempt, event.purpose)
    mine = [item for item in taker.owes if (item.pod, item.container, item.attempt, item.purpose) == asker]
    owes = tuple(item for item in taker.owes if item not in mine)
    hangs = taker.process is not None and taker.process.hung
    if hangs:
        owes += tuple(replace(item, handle=0, is_due=True) for item in mine)
    fx.save_instance(event.server[0], replace(taker, owes=owes))
    return not hangs


def _url(fx: Effects, row: PodRow, action: HTTPGetAction, port: int) -> handler_requests.RequestAddress:
    """The URL of the hook. Until 1.25 always plain HTTP, and the kubelet itself joined address and path with a slash."""
    host = handler_requests.host_or_own(fx, row, action.host)
    if not fx.profile.http_hook_honours_scheme:
        return handler_requests.RequestAddress(f"http://{host}:{port}/{action.path}", "HTTP", host, port, action.path)
    path = action.path if action.path.startswith("/") else f"/{action.path}"
    return handler_requests.RequestAddress(f"{action.scheme.lower()}://{host}:{port}{path}", action.scheme, host, port, action.path)


def connection_lost(fx: Effects, pod: Key, instance: Instance) -> None:
    """The process that HTTP hooks wait for has ended: they get no answer any more."""
    if not instance.owes:
        return
    fx.save_instance(pod, replace(instance, owes=()))
    for request in instance.owes:
        fx.cancel(request.handle)
        asker = _asker(fx, request)
        if asker is not None:
            _later(fx, request.pod, asker, request.purpose, _got(f'Get "{request.url}": EOF'), 0)


def resume_requests(fx: Effects, pod: Key, instance: Instance) -> None:
    """The process that HTTP hooks wait for resumes: overdue answers come now, and unanswered requests are sent again."""
    waiting = [item for item in instance.owes if not item.handle]
    if not waiting:
        return
    fx.save_instance(pod, replace(instance, owes=tuple(item for item in instance.owes if item.handle)))
    for request in waiting:
        asker = _asker(fx, request)
        handler = _handler(asker, request.purpose) if asker is not None else None
        if asker is None or handler is None or handler.http_get is None:
            continue
        if request.is_due:
            _later(fx, request.pod, asker, request.purpose, Finished("exited"), 0)
        else:
            _http(fx, request.pod, asker.spec, asker, handler.http_get, request.purpose)


def _handler(instance: Instance, purpose: str) -> LifecycleHandler | None:
    lifecycle = instance.spec.lifecycle
    if lifecycle is None:
        return None
    return lifecycle.post_start if purpose == "post_start" else lifecycle.pre_stop


def _asker(fx: Effects, request: Unanswered) -> Instance | None:
    """The instance whose hook sent the request; None if it is gone, or the kubelet that sent it."""
    found = find_instance(fx, request.pod, request.container, request.attempt)
    return found if found is not None and request.kubelet == _kubelet(fx, request.pod) else None


def report_fallback(fx: Effects, row: PodRow, address: str) -> None:
    """Write the Event about a hook that requested TLS and was answered without."""
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
    """Whether the end of a hook counts as a failure."""
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
    """Whether the time that the process gets counts from the end of the running preStop hook."""
    return instance.stop is not None and instance.stop.override_ms is not None


def begin_pre_stop(fx: Effects, row: PodRow, container: Container, instance: Instance) -> None:
    """Run preStop within the grace period, or before it if the grace period counts from its end."""
    assert container.lifecycle is not None
    assert container.lifecycle.pre_stop is not None
    data = (("hook", "pre_stop"), ("instance", instance.attempt))
    rule = "STOP-HOOK-APART" if counts_apart(instance) else "STOP-HOOK"
    step, _ = fx.fire(HOOK, f"container/{row.key}/{container.name}", HOOK.initial, DECIDED, rule, data=data)
    if step is not None and step.target == "running":
        begin(fx, row, container, instance, container.lifecycle.pre_stop, "pre_stop")


def report_pre_stop(fx: Effects, row: PodRow, container: Container, group: str, finished: Finished) -> None:
    """Write the Event of a failed preStop."""
    assert container.lifecycle is not None
    assert container.lifecycle.pre_stop is not None
    text = "PreStopHook failed"
    if fx.profile.hook_event_text == "full":
        text = describe(row, container, container.lifecycle.pre_stop, finished, with_message=True)
    rule = "HOOK-PRE-STOP-FAILED"
    emit(fx, row, severity="Warning", reason="FailedPreStopHook", message=text, container=container.name, group=group, rule=rule)


def report_post_start(fx: Effects, row: PodRow, container: Container, group: str, finished: Finished) -> tuple[str, str]:
    """Write the Event of a failed postStart; returns the waiting reason and message that the container will show."""
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
