"""Container cards: the API's view next to the reality on the node.

The two may differ for a second or more: the API shows what the kubelet last reported, the node what is
true. That gap is what readers come to see, so both are shown and neither is corrected by the other.
"""

from typing import assert_never

from simulator.engine import containers as behaviour
from simulator.engine.containers.process.turn import SHORTCOMINGS
from simulator.engine.kernel.units import Ms
from simulator.engine.model.container import Container, EnvVarSource
from simulator.engine.model.status import ContainerState, ContainerStatus, Running, Terminated, Waiting
from simulator.engine.policies.restart_policy import is_sidecar
from simulator.engine.projection.model import BackoffView, ContainerView, EnvView, LastState, LogRow, NodeSide, ProcessView
from simulator.engine.projection.node_side import newest_instance, node_side
from simulator.engine.projection.probes import probe_views
from simulator.engine.projection.tones import WAITING_REASONS
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

LOG_LINES = 20
"""Lines of a container's log that a card shows."""


def container_views(world: World, row: PodRow, backoffs: tuple[BackoffView, ...], now_ms: Ms) -> tuple[ContainerView, ...]:
    """All containers of the pod: init, app, ephemeral, each group in spec order."""
    spec, status = row.pod.spec, row.status
    groups = (
        ("init", spec.init_containers, status.init_containers),
        ("app", spec.containers, status.containers),
        ("ephemeral", spec.ephemeral_containers, status.ephemeral_containers),
    )
    return tuple(
        _card(
            world,
            row,
            container,
            group=group,
            status=_named(statuses, container.name),
            node=node_side(world, row, container, backoffs),
            now_ms=now_ms,
        )
        for group, containers, statuses in groups
        for container in containers
    )


def _named(statuses: tuple[ContainerStatus, ...], name: str) -> ContainerStatus:
    """The published status, or the empty one before the kubelet's first."""
    return next((item for item in statuses if item.name == name), ContainerStatus(name=name))


def _card(
    world: World, row: PodRow, container: Container, *, group: str, status: ContainerStatus, node: NodeSide, now_ms: Ms
) -> ContainerView:
    state = status.state
    ended = state if isinstance(state, Terminated) else None
    reason, message = (state.reason, state.message) if isinstance(state, Waiting | Terminated) else ("", "")
    return ContainerView(
        subject=f"container/{row.key}/{container.name}",
        name=container.name,
        group=group,
        image=container.image,
        command=" ".join((*container.command, *container.args)),
        tone=tone(row, status, node),
        state=state_word(state),
        reason=reason,
        message=message,
        exit_code=ended.exit_code if ended is not None else None,
        signal=ended.signal if ended is not None else 0,
        instance=status.restart_count,
        ready=status.ready,
        started=bool(status.started),
        since_ms=_since(row, status),
        last=last_state(status.last_state),
        node_state=node.state,
        node_reason=node.reason,
        node_until_ms=node.until_ms,
        node_window_ms=node.window_ms,
        node_instance=node.instance,
        node_started_ms=node.started_ms,
        node_finished_ms=node.finished_ms,
        node_exit_code=node.exit_code,
        stop=node.stop,
        is_hung=node.is_hung,
        is_ghost=row.gone_ms is not None and node.state in ("running", "stopping"),
        is_sidecar=group == "init" and is_sidecar(container),
        env=_env(world, row, container),
        requests=tuple((name, str(amount)) for name, amount in container.resources.requests.items()),
        limits=tuple((name, str(amount)) for name, amount in container.resources.limits.items()),
        probes=probe_views(world, row, container, now_ms),
        log=_log(world, row, container.name),
        processes=_processes(world, row, container.name),
        notes=_notes(world, row, container.name),
    )


def state_word(state: ContainerState | None) -> str:
    """``waiting``, ``running`` or ``terminated``; a status without any of them reads as waiting."""
    if isinstance(state, Running):
        return "running"
    if isinstance(state, Terminated):
        return "terminated"
    if state is None or isinstance(state, Waiting):
        return "waiting"
    assert_never(state)


def tone(row: PodRow, status: ContainerStatus, node: NodeSide) -> str:
    """The design token of the container's state."""
    state = status.state
    # The one case in which the node's side takes precedence: the API has no word for stopping.
    if node.state == "stopping":
        return "terminating"
    if row.gone_ms is not None:
        return "unknown" if node.state == "running" else "absent"
    if isinstance(state, Running):
        return "ready" if status.ready else "notready"
    if isinstance(state, Terminated):
        return "succeeded" if state.exit_code == 0 else "failed"
    if state is None or isinstance(state, Waiting):
        return WAITING_REASONS.get(state.reason if state is not None else "", "failed")
    assert_never(state)


def _since(row: PodRow, status: ContainerStatus) -> Ms | None:
    """Since when the container has been in its state, according to the API."""
    state, last = status.state, status.last_state
    if isinstance(state, Running):
        return state.started_ms
    if isinstance(state, Terminated):
        return state.finished_ms
    if state is None or isinstance(state, Waiting):
        return last.finished_ms if isinstance(last, Terminated) else row.status.start_ms
    assert_never(state)


def last_state(state: ContainerState | None) -> LastState | None:
    """lastState, which the API keeps only for the previous end."""
    if not isinstance(state, Terminated):
        return None
    return LastState(state.reason, state.message, state.exit_code, state.signal, state.started_ms, state.finished_ms)


def _log(world: World, row: PodRow, container: str) -> tuple[LogRow, ...]:
    lines = world.tables.logs.get((row.key, container), ())
    return tuple(LogRow(at_ms, text, stream, attempt) for attempt, at_ms, stream, text in lines[-LOG_LINES:])


def _env(world: World, row: PodRow, container: Container) -> tuple[EnvView, ...]:
    """The environment of the newest instance, every value resolved."""
    instance = newest_instance(world, row.key, container.name)
    if instance is None or instance.process is None:
        return ()
    sources = {variable.name: _source(variable.value_from) for variable in container.env}
    return tuple(EnvView(name, value, sources.get(name, "")) for name, value in instance.process.launch.env)


def _source(source: EnvVarSource | None) -> str:
    """Where a variable gets its value from, in the API's words."""
    if source is None:
        return ""
    if source.field_ref is not None:
        return source.field_ref.field_path
    if source.resource_field_ref is not None:
        return source.resource_field_ref.resource
    for kind, ref in (("ConfigMap", source.config_map_key_ref), ("Secret", source.secret_key_ref)):
        if ref is not None:
            return f"{kind} {ref.name}: {ref.key}"
    return ""


def _processes(world: World, row: PodRow, container: str) -> tuple[ProcessView, ...]:
    """The process tree of the running instance."""
    instance = newest_instance(world, row.key, container)
    if instance is None or not instance.runs or instance.process is None:
        return ()
    return tuple(ProcessView(item.pid, item.ppid, item.command, item.state) for item in behaviour.process_tree(instance.process))


def _notes(world: World, row: PodRow, container: str) -> tuple[str, ...]:
    """What was not fully understood about the newest instance, each note once; empty if no process is left."""
    instance = newest_instance(world, row.key, container)
    if instance is None or instance.process is None:
        return ()
    # Notes are stored as "name: text" (Kernel.freeze).
    named = (text.partition(": ") for text in instance.process.noted)
    return tuple(dict.fromkeys(text for name, _, text in named if name in SHORTCOMINGS))
