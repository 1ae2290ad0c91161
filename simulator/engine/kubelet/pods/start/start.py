"""Starting one container inside a sync: back-off, image, configuration, create, start, postStart, one after the other.

Everything here blocks the pod's worker, so later containers of the pod wait. Two of the steps take time and
suspend the sync: the pull (``loop.pulling`` ends it) and the start of the process (``started``); a postStart
hook is a third (``loop.completions``).

What comes next is decided by the container machine, not here: it gets the facts of the attempt, and the row
that matches names the function to call (``EFFECTS``). A failure is kept as a ``Reason`` in the worker, which is the
kubelet's reason cache; the next sync publishes it. The reason also holds the state that the container is
left in, since there is no instance yet to hold it.

The restart count of the next instance follows from the newest instance that the runtime has. If its records
are gone (a new sandbox, a restart of all containers), the published count continues.

Source: pkg/kubelet/kuberuntime/kuberuntime_container.go startContainer. Docker (1.20 to 1.23) differs at the
end: it joins the sandbox's network only when the process starts, so a lost sandbox shows there.
"""

from collections.abc import Callable

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine import containers as behaviour
from simulator.engine.apiserver.k8s_events import EventText, emit, emit_pair
from simulator.engine.containers import Turn, docker
from simulator.engine.kernel.ids import container_id
from simulator.engine.kernel.records import Data
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.kubelet.base.beats import mark_dirty
from simulator.engine.kubelet.base.health import NO_RUNTIME, runtime_answers
from simulator.engine.kubelet.base.pressure import docker_container_began
from simulator.engine.kubelet.pods.containers import hooks
from simulator.engine.kubelet.pods.containers.container_machine import CONTAINER, StartFacts
from simulator.engine.kubelet.pods.containers.instances import carry_out, find_instance, host_of
from simulator.engine.kubelet.pods.facts.allocated import allocated_container
from simulator.engine.kubelet.pods.start import crash_backoff, pulls, windows
from simulator.engine.kubelet.pods.start.image_pull import PULL_FAILED
from simulator.engine.kubelet.pods.start.launch import build
from simulator.engine.kubelet.pods.start.run_as import non_root_problem
from simulator.engine.kubelet.pods.status import restarting_all
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.system import WINDOWS
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import WorkerStep
from simulator.engine.world.lookups import pod_on_node
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import Action, Instance, PodRow, Reason, Start, Worker


class Began(Struct, frozen=True, kw_only=True):
    """Arguments of an effect of a start. ``window``: how long the back-off is; ``problem``: why the step failed."""

    row: PodRow
    container: Container
    window: str = ""
    problem: str = ""
    rule: str = ""  # of the Event that reports the problem, if there are several possible
    took_ms: Ms = 0
    waited_ms: Ms = 0
    turn: Turn | None = None


def find_container(spec: PodSpec, name: str) -> Container:
    """The container of that name in a pod's spec (names are unique across all lists)."""
    for container in (*spec.containers, *spec.init_containers, *spec.ephemeral_containers):
        if container.name == name:
            return container
    raise KeyError(name)


def begin_start(fx: Effects, worker: Worker, action: Action) -> Worker:
    """Try to start the container of ``action``. The returned worker has a ``step`` while the start is in progress."""
    row = fx.tables.pods[worker.pod]
    pod = pod_on_node(fx.tables, row) if fx.tables.static_pods else row.pod
    container = find_container(pod.spec, action.container)
    if row.key in fx.tables.resizes:
        container = allocated_container(fx, row, container)
    last = find_instance(fx, worker.pod, container.name)
    window, until_ms = crash_backoff.window(fx, worker, container)
    if until_ms is not None:  # the sync returns for the container whose wait ends first
        worker = replace(worker, retry_ms=until_ms if worker.retry_ms is None else min(worker.retry_ms, until_ms))
    facts = StartFacts(
        crash_backoff=until_ms is not None,
        valid_name=behaviour.parse_reference(container.image) is not None,
        pull=pulls.verdict(fx, worker.node, worker.pod, container).action,
        runtime_silent=bool(fx.tables.unhealthy) and not runtime_answers(fx, worker.node),
    )
    attempt = _next_attempt(row, container.name, last)
    state = _state_before(worker, container.name, last)
    if state == "backoff" and facts.crash_backoff:  # a quiet step: what is written next follows from the record that began the wait
        fx.cause = next(item.seq for item in worker.reasons if item.container == container.name)
    start = Start(container=container.name, group=action.group, attempt=attempt, state=state, seq=fx.cause, spec=container)
    data: Data = (("instance", attempt), ("image", container.image), ("group", action.group))
    if until_ms is not None:
        data = (*data, ("window", window), ("until_ms", until_ms))
    elif facts.pull == "wait":
        data = (*data, *pulls.window(fx, worker.pod, container.image))
    worker, step, fx.cause = fx.become(CONTAINER, worker.pod, replace(worker, start=start), "start_due", facts, data=data)
    assert step is not None
    return EFFECTS[step.do](fx, worker, Began(row=row, container=container, window=window))


def _next_attempt(row: PodRow, container: str, last: Instance | None) -> int:
    """The restart count of the next instance; if the records were purged, the published count continues."""
    if last is not None:
        return last.attempt + 1
    for item in (*row.status.containers, *row.status.init_containers):
        if item.name == container and restarting_all.counted(item):
            return item.restart_count
        if item.name == container and item.container_id:
            return item.restart_count + 1
    return 0


_NEVER_CREATED = (
    "ImageInspectError",
    PULL_FAILED,
    "ImagePullBackOff",
    "ErrImageNeverPull",
    "InvalidImageName",
    "CreateContainerConfigError",
    "CreateContainerError",
)
SANDBOX_NAME = "POD"
"""What the sandbox's own container is called in ids."""


def state_of_reason(reason: str) -> str:
    """The state in which an attempt that ended with that reason has left a container, if no instance of it can say."""
    if reason == "CrashLoopBackOff":
        return "backoff"
    return "waiting" if reason in _NEVER_CREATED else ""


def _state_before(worker: Worker, container: str, last: Instance | None) -> str:
    """The state in which the container waits for this attempt: the outcome of the last one."""
    for reason in worker.reasons:
        if reason.container == container and reason.state:
            return reason.state
    return CONTAINER.initial if last is None else last.state


def fail(fx: Effects, worker: Worker, reason: str, message: str, seq: Seq) -> Worker:
    """Handle a failed start: remember why, and let the sync end with an error."""
    start = worker.start
    assert start is not None
    made = find_instance(fx, worker.pod, start.container, start.attempt)
    entry = Reason(start.container, reason, message, seq, state=start.state if made is None else "")
    reasons = (*(item for item in worker.reasons if item.container != start.container), entry)
    return replace(worker, reasons=reasons, failed=True, step="", start=None)


def _hold_back(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    named = f"{row.name}_{row.namespace}({row.uid})"
    text = "Back-off restarting failed container"
    if fx.profile.backoff_event_text == "named":
        text += f" {container.name} in pod {named}"
    _event(fx, worker, row, "Warning", "BackOff", text, "BACKOFF-WAIT")
    message = f"back-off {began.window} restarting failed container={container.name} pod={named}"
    return fail(fx, worker, "CrashLoopBackOff", message, fx.cause)


def _event(fx: Effects, worker: Worker, row: PodRow, severity: str, reason: str, message: str, rule: str) -> Seq:
    start = worker.start
    assert start is not None
    return emit(fx, row, severity=severity, reason=reason, message=message, container=start.container, group=start.group, rule=rule)


def _events(fx: Effects, worker: Worker, row: PodRow, text: EventText, error: str, rule: str) -> None:
    """Write the Events for what went wrong and for the failed start that resulted."""
    start = worker.start
    assert start is not None
    both = (text, EventText("Warning", "Failed", f"Error: {error}"))
    emit_pair(fx, row, both, container=start.container, group=start.group, rule=rule)


def _refuse_name(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    error = "invalid reference format"
    if behaviour.parse_reference(container.image.lower()) is not None:
        error += ": repository name must be lowercase"
    text = fx.profile.image_name_error_text.format(image=container.image, error=error)
    _events(fx, worker, row, EventText("Warning", "InspectFailed", text), "InvalidImageName", "IMAGE-INVALID-NAME")
    return fail(fx, worker, "InvalidImageName", text, fx.cause)


def _fail_inspect(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    text = f'Failed to inspect image "{container.image}": {NO_RUNTIME}'
    _events(fx, worker, row, EventText("Warning", "InspectFailed", text), "ImageInspectError", "IMAGE-INSPECT-FAILED")
    return fail(fx, worker, "ImageInspectError", text, fx.cause)


def _refuse_missing(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    text = f'Container image "{container.image}" is not present with pull policy of Never'
    _events(fx, worker, row, EventText("Warning", "ErrImageNeverPull", text), "ErrImageNeverPull", "PULL-NEVER")
    return fail(fx, worker, "ErrImageNeverPull", text, fx.cause)


def _hold_pull_back(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    text = f'Back-off pulling image "{container.image}"'
    _events(fx, worker, row, EventText("Normal", "BackOff", text), "ImagePullBackOff", "PULL-BACKOFF")
    if fx.profile.image_backoff_message == "with_error":
        text += f": ErrImagePull: {pulls.last_problem(fx, worker.pod, container.image)}"
    return fail(fx, worker, "ImagePullBackOff", text, fx.cause)


def _begin_pull(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    _event(fx, worker, row, "Normal", "Pulling", f'Pulling image "{container.image}"', "PULL-NOW")
    pulls.enqueue(fx, worker.node, worker.pod, container.name, container.image)
    return replace(worker, step="pull")


def pulled(fx: Effects, worker: Worker, *, problem: str, took_ms: Ms, waited_ms: Ms) -> Worker:
    """The pull that the worker waits for has ended; ``problem`` is the runtime's error or empty."""
    row = fx.tables.pods[worker.pod]
    start = worker.start
    assert start is not None
    container = start.spec
    trigger = "pull_failed" if problem else "pulled"
    worker, step, fx.cause = fx.become(CONTAINER, worker.pod, worker, trigger, StartFacts(), data=(("instance", start.attempt),))
    assert step is not None
    return EFFECTS[step.do](fx, worker, Began(row=row, container=container, problem=problem, took_ms=took_ms, waited_ms=waited_ms))


def _back_off_pull(fx: Effects, worker: Worker, began: Began) -> Worker:
    text = f'Failed to pull image "{began.container.image}": {began.problem}'
    _events(fx, worker, began.row, EventText("Warning", "Failed", text), PULL_FAILED, "PULL-FAILED")
    return fail(fx, worker, PULL_FAILED, began.problem, _seq(worker))


def _seq(worker: Worker) -> Seq:
    """The record of the last step of the current start."""
    assert worker.start is not None
    return worker.start.seq


def _use_pulled(fx: Effects, worker: Worker, began: Began) -> Worker:
    text = pulls.pulled_text(fx, began.container.image, began.took_ms, began.waited_ms)
    _event(fx, worker, began.row, "Normal", "Pulled", text, "IMAGE-PULLED")
    return _create(fx, worker, began.row, began.container)


def _use_present(fx: Effects, worker: Worker, began: Began) -> Worker:
    row, container = began.row, began.container
    _event(fx, worker, row, "Normal", "Pulled", fx.profile.present_text.format(image=container.image), "PULL-PRESENT")
    return _create(fx, worker, row, container)


def _create(fx: Effects, worker: Worker, row: PodRow, container: Container) -> Worker:
    """Check the configuration and create the instance; it starts a moment later."""
    start = worker.start
    assert start is not None
    launch, problem = build(fx, row, container, start.attempt)
    rule = "ENV-MISSING" if problem else "CONTAINER-CONFIG"
    if launch is not None and not problem:
        problem = (windows.non_root_problem if launch.os == WINDOWS else non_root_problem)(row, container)
    if launch is None or problem:
        worker, step, _ = fx.become(CONTAINER, worker.pod, worker, "config_failed", StartFacts(), data=(("message", problem),))
        assert step is not None
        return EFFECTS[step.do](fx, worker, Began(row=row, container=container, problem=problem, rule=rule))
    lost = _lost_sandbox(fx, row)
    if lost and launch.runtime != docker.DOCKER:  # Docker joins the sandbox's network only when the container starts
        worker, step, _ = fx.become(CONTAINER, worker.pod, worker, "create_failed", StartFacts(), data=(("message", lost),))
        assert step is not None
        return EFFECTS[step.do](fx, worker, Began(row=row, container=container, problem=lost))
    _event(fx, worker, row, "Normal", "Created", fx.profile.created_text.format(container=start.container), "CONTAINER-STARTED")
    fx.schedule(fx.now + fx.profile.container_start_ms, Lane.RUNTIME, WorkerStep(worker.pod, worker.n))
    return replace(worker, step="start", start=replace(start, launch=launch))


def _lost_sandbox(fx: Effects, row: PodRow) -> str:
    """The runtime's error about a sandbox that has stopped in the meantime; empty if it is running."""
    sandbox = fx.tables.sandboxes.get(row.key)
    if sandbox is None or sandbox.state == "ready":
        return ""
    return f"failed to get sandbox container task: no running task found: task {_sandbox_id(fx, row)} not found: not found"


def _sandbox_id(fx: Effects, row: PodRow) -> str:
    return container_id(fx.world.header.seed, row.uid, SANDBOX_NAME, fx.tables.sandboxes[row.key].attempt)


def _refuse_create(fx: Effects, worker: Worker, began: Began) -> Worker:
    _event(fx, worker, began.row, "Warning", "Failed", f"Error: {began.problem}", "CONTAINER-CREATE-FAILED")
    return fail(fx, worker, "CreateContainerError", began.problem, _seq(worker))


def _refuse_config(fx: Effects, worker: Worker, began: Began) -> Worker:
    _event(fx, worker, began.row, "Warning", "Failed", f"Error: {began.problem}", began.rule)
    return fail(fx, worker, "CreateContainerConfigError", began.problem, _seq(worker))


def started(fx: Effects, worker: Worker) -> Worker:
    """The runtime has started the process: it runs from here on, whatever the API shows."""
    row = fx.tables.pods[worker.pod]
    start = worker.start
    assert start is not None
    container = start.spec
    launch = start.launch
    assert launch is not None
    turn = behaviour.start(launch, host_of(fx, worker.pod, start.container))
    if launch.runtime == docker.DOCKER and _lost_sandbox(fx, row):
        text = docker.NO_NETWORK.format(sandbox=_sandbox_id(fx, row))
        turn = behaviour.Turn(turn.process, exit_code=128, start_error=text)
    trigger = "start_failed" if turn.start_error else "started"
    data: Data = (("instance", start.attempt), ("group", start.group))
    if turn.start_error:
        data = (*data, ("exit_code", turn.exit_code or 0), ("message", turn.start_error))
    worker, step, fx.cause = fx.become(CONTAINER, worker.pod, worker, trigger, StartFacts(), data=data)
    assert step is not None
    return EFFECTS[step.do](fx, worker, Began(row=row, container=container, problem=turn.start_error, turn=turn))


def _enter(fx: Effects, worker: Worker, began: Began) -> Worker:
    """The process runs; a postStart hook keeps the worker busy until it is over."""
    row, container, start, turn = began.row, began.container, worker.start, began.turn
    assert start is not None
    assert turn is not None
    instance = _new_instance(fx, worker.pod, start)
    _event(fx, worker, row, "Normal", "Started", fx.profile.started_text.format(container=start.container), "CONTAINER-STARTED")
    with fx.aside():  # what the process does in its first turn does not cause what the worker does next
        instance = carry_out(fx, worker.pod, instance, turn)
    reasons = tuple([item for item in worker.reasons if item.container != start.container])
    worker = replace(worker, reasons=reasons, step="")
    if container.lifecycle is not None and container.lifecycle.post_start is not None:
        return hooks.begin_post_start(fx, worker, row, container, instance)
    return replace(worker, start=None)


def _new_instance(fx: Effects, pod: Key, start: Start) -> Instance:
    """Add the instance to the runtime; of the older ones only the newest is kept (one dead instance per container)."""
    kept = []
    before = False
    for row in fx.tables.instances.get(pod, ()):
        if row.container != start.container:
            kept.append(row)
        elif not before:
            kept.append(row)
            before = True
    sandbox = fx.tables.sandboxes.get(pod)
    assert start.launch is not None
    instance = Instance(
        container=start.container,
        group=start.group,
        attempt=start.attempt,
        state=start.state,
        spec=start.spec,
        image=start.launch.image,
        sandbox=sandbox.attempt if sandbox is not None else 0,
        created_ms=fx.now - fx.profile.container_start_ms,  # it was created when the step began, which has only now ended
        started_ms=fx.now,
        seq=start.seq,
    )
    fx.save_instances(pod, (instance, *kept))
    if start.launch.runtime == docker.DOCKER:
        docker_container_began(fx, fx.tables.pods[pod], start.container)
    mark_dirty(fx, fx.tables.pods[pod].node, pod)
    return instance


def _fail_start(fx: Effects, worker: Worker, began: Began) -> Worker:
    """The program could not be started: the instance counts as ended (recordings of containerd: StartError, 128).

    The dockershim gives such a container the times of its creation and a reason of its own.
    """
    start, text, shown = worker.start, began.problem, began.problem
    assert start is not None
    assert start.launch is not None
    assert began.turn is not None
    instance = _new_instance(fx, worker.pod, start)
    ended = replace(instance, started_ms=None, finished_ms=fx.now, exit_code=began.turn.exit_code, reason="StartError", message=text)
    if start.launch.runtime == docker.DOCKER:
        ended = replace(ended, started_ms=instance.created_ms, finished_ms=instance.created_ms, reason=docker.NOT_STARTED)
        full = container_id(fx.world.header.seed, began.row.uid, start.container, start.attempt)
        text, shown = docker.refused(full, began.problem), docker.refused(start.container, began.problem)
    fx.save_instance(worker.pod, ended)
    _event(fx, worker, began.row, "Warning", "Failed", f"Error: {shown}", "START-ERROR")
    return fail(fx, worker, "RunContainerError", text, start.seq)


EFFECTS: dict[str, Callable[[Effects, Worker, Began], Worker]] = {
    "hold_back": _hold_back,
    "refuse_name": _refuse_name,
    "fail_inspect": _fail_inspect,
    "refuse_missing": _refuse_missing,
    "hold_pull_back": _hold_pull_back,
    "begin_pull": _begin_pull,
    "create": _use_present,
    "create_from_pulled": _use_pulled,
    "back_off_pull": _back_off_pull,
    "refuse_config": _refuse_config,
    "refuse_create": _refuse_create,
    "enter": _enter,
    "fail_start": _fail_start,
}
"""The effects that rows of the container machine name."""
