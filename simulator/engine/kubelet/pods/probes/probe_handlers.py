"""The four probe handlers (exec, httpGet, tcpSocket, grpc) and the messages of their outcomes."""

from msgspec import Struct

from simulator.engine import containers as behaviour
from simulator.engine.containers import Files, Process, docker
from simulator.engine.kernel.ids import container_id
from simulator.engine.kernel.units import SECOND, Key, Ms, seconds
from simulator.engine.kubelet.base.health import NO_RUNTIME, runtime_answers
from simulator.engine.kubelet.pods.containers import execs, handler_requests
from simulator.engine.kubelet.pods.containers.execs import Finished
from simulator.engine.kubelet.pods.containers.expansion import expand
from simulator.engine.kubelet.pods.containers.ports import resolve_port
from simulator.engine.kubelet.pods.probes.bare_server import note_bare_server
from simulator.engine.model.container import Container
from simulator.engine.model.duration import go_duration
from simulator.engine.model.probe import FAILURE, ExecAction, Probe
from simulator.engine.world.effects import Effects
from simulator.engine.world.events import ProbeAnswer
from simulator.engine.world.queue import Lane
from simulator.engine.world.rows import RUNS, Instance, PodRow, ProbeRow, Sandbox

FIELDS = {"startup": "startup_probe", "liveness": "liveness_probe", "readiness": "readiness_probe"}
"""Fields of a container by the kind of the probe."""
OUTPUT_MAX = 10_240
"""How many bytes of an exec probe's output the kubelet keeps."""


class HandlerAnswer(Struct, frozen=True, gc=False):
    """An attempt's outcome: success, warning, failure, timeout or error, with the text for the Event."""

    outcome: str
    output: str = ""
    took_ms: Ms = 0


def run(fx: Effects, row: PodRow, instance: Instance, kind: str, probe_row: ProbeRow) -> HandlerAnswer | None:
    """Run the probe; None while it is in progress (its end then arrives as an event)."""
    container = instance.spec
    probe = _probe(container, kind)
    key = (row.key, container.name, kind)
    timeout = probe.timeout_s * SECOND
    if probe_row.outcome:
        return _decided(fx, key, probe, probe_row.outcome, row, container)
    if instance.state not in RUNS:
        return _dead(fx, key, row, instance, probe)
    if probe.exec is not None:
        limit = timeout if fx.profile.exec_probe_timeout else None
        if not runtime_answers(fx, row.node):
            return HandlerAnswer("error", NO_RUNTIME)
        command = _command(container, probe.exec)
        _n, finished = execs.begin(fx, row.key, instance, command, purpose="probe", probe=kind, timeout_ms=limit)
        if finished is None:
            fx.set_probe_busy(key)
            return None
        return exec_answer(fx, finished, row.key, container.name, kind)
    answer, delay = _network(fx, row, instance, container, probe, probe_row)
    if delay > timeout:
        answer, delay = _timed_out(fx, row, container, probe), timeout
    return _after(fx, key, answer, delay) if delay else answer


def _command(container: Container, action: ExecAction) -> tuple[str, ...]:
    """What an exec probe runs: ``$(NAME)`` is replaced by the literal values of the container's own ``env``, no others.

    Source: pkg/kubelet/prober/prober.go, ExpandContainerCommandOnlyStatic; a variable with valueFrom is empty to it. Hooks get
    their command as it stands (pkg/kubelet/lifecycle/handlers.go).
    """
    if "$" not in "".join(action.command):
        return action.command
    values = {item.name: item.value for item in container.env}
    return tuple(expand(word, values) for word in action.command)


def _runtime_id(fx: Effects, row: PodRow, instance: Instance) -> str:
    return container_id(fx.world.header.seed, row.uid, instance.container, instance.attempt)


def _dead(fx: Effects, key: tuple[Key, str, str], row: PodRow, instance: Instance, probe: Probe) -> HandlerAnswer | None:
    """The container has ended but the kubelet does not know it yet: exec cannot find it, a connection is refused.

    A gRPC client retries until its timeout.
    """
    container = instance.spec
    if probe.exec is not None:
        if fx.world.runtime_of(row.node) == docker.DOCKER:
            return HandlerAnswer("error", docker.not_running(_runtime_id(fx, row, instance)))
        return HandlerAnswer("error", "rpc error: code = NotFound desc = failed to exec in container: task not found")
    if probe.grpc is not None:
        answer = _no_grpc(fx, row, container, probe)
        return _after(fx, key, answer, answer.took_ms) if answer.took_ms else answer
    action = probe.http_get or probe.tcp_socket
    assert action is not None
    refused = f"dial tcp {_address(fx, row, action.host, action.port, container)}: connect: connection refused"
    return HandlerAnswer("failure", f'Get "{_url(fx, row, container, probe)}": {refused}' if probe.http_get is not None else refused)


def _probe(container: Container, kind: str) -> Probe:
    found: Probe | None = getattr(container, FIELDS[kind])
    assert found is not None
    return found


def _after(fx: Effects, key: tuple[Key, str, str], answer: HandlerAnswer, delay: Ms) -> HandlerAnswer | None:
    """Deliver the answer later."""
    pod, container, kind = key
    fx.set_probe_busy(key)
    fx.schedule(fx.now + delay, Lane.PROBE, ProbeAnswer(pod, container, kind, answer.outcome, answer.output, fx.now))
    return None


def _decided(fx: Effects, key: tuple[Key, str, str], probe: Probe, outcome: str, row: PodRow, container: Container) -> HandlerAnswer | None:
    """The outcome that a user has imposed on the probe."""
    if outcome == "success":
        return HandlerAnswer("success")
    if outcome == "timeout":
        return _after(fx, key, _timed_out(fx, row, container, probe), seconds(probe.timeout_s))
    if outcome == "error":
        if fx.world.runtime_of(row.node) == docker.DOCKER:
            return HandlerAnswer("error", docker.TIMED_OUT)
        return HandlerAnswer("error", "rpc error: code = Unknown desc = failed to exec in container")
    if probe.http_get is not None:
        return HandlerAnswer("failure", "HTTP probe failed with statuscode: 500")
    if probe.tcp_socket is not None:
        return HandlerAnswer(
            "failure", f"dial tcp {_address(fx, row, probe.tcp_socket.host, probe.tcp_socket.port, container)}: connect: connection refused"
        )
    if probe.grpc is not None:
        return HandlerAnswer("failure", 'service unhealthy (responded with "NOT_SERVING")')
    return HandlerAnswer("failure", "")


def exec_answer(fx: Effects, finished: Finished, pod: Key, container: str, kind: str) -> HandlerAnswer:
    """The outcome of an exec probe."""
    if finished.outcome == "timeout":
        row = fx.tables.pods[pod]
        spec = next(item for item in (*row.pod.spec.containers, *row.pod.spec.init_containers) if item.name == container)
        return _timed_out(fx, row, spec, _probe(spec, kind))
    if finished.outcome == "error":
        return HandlerAnswer("error", finished.error, finished.took_ms)
    if finished.exit_code == 0:
        return HandlerAnswer("success", finished.output[:OUTPUT_MAX], finished.took_ms)
    return HandlerAnswer("failure", finished.output[:OUTPUT_MAX], finished.took_ms)


def _address(fx: Effects, row: PodRow, host: str, port: int | str, container: Container) -> str:
    return f"{handler_requests.host_or_own(fx, row, host)}:{resolve_port(container, port)}"


def _url(fx: Effects, row: PodRow, container: Container, probe: Probe) -> str:
    action = probe.http_get
    assert action is not None
    path = action.path if action.path.startswith("/") else f"/{action.path}"
    return f"{action.scheme.lower()}://{_address(fx, row, action.host, action.port, container)}{path}"


def _timed_out(fx: Effects, row: PodRow, container: Container, probe: Probe) -> HandlerAnswer:
    took = seconds(probe.timeout_s)
    if probe.exec is not None:
        command = " ".join(_command(container, probe.exec))
        return HandlerAnswer("timeout", fx.profile.probe_timeout_output.format(command=command, timeout=f"{probe.timeout_s}s"), took)
    if probe.http_get is not None:
        url = _url(fx, row, container, probe)
        return HandlerAnswer("timeout", f'Get "{url}": context deadline exceeded (Client.Timeout exceeded while awaiting headers)', took)
    if probe.tcp_socket is not None:
        address = _address(fx, row, probe.tcp_socket.host, probe.tcp_socket.port, container)
        return HandlerAnswer("timeout", f"dial tcp {address}: i/o timeout", took)
    return HandlerAnswer("timeout", f"timeout: health rpc did not complete within {go_duration(took)}", took)


def _network(
    fx: Effects, row: PodRow, instance: Instance, container: Container, probe: Probe, probe_row: ProbeRow
) -> tuple[HandlerAnswer, Ms]:
    """The outcome of a network probe and how long it takes."""
    if probe.http_get is not None:
        return _http(fx, row, instance, container, probe, probe_row)
    if probe.tcp_socket is not None:
        return _tcp(fx, row, instance, container, probe)
    return _grpc(fx, row, instance, container, probe)


def _http(
    fx: Effects, row: PodRow, instance: Instance, container: Container, probe: Probe, probe_row: ProbeRow
) -> tuple[HandlerAnswer, Ms]:
    action = probe.http_get
    assert action is not None
    kept = _kept_answers(fx).get((row.key, container.name, probe_row.worker.kind))
    if kept is not None and _still_holds(fx, row, instance, kept):
        return SUCCEEDED, 0
    port = resolve_port(container, action.port)
    if port is None:
        return HandlerAnswer("error", f"couldn't find port: {action.port}"), 0
    text = _url(fx, row, container, probe)
    host = handler_requests.host_or_own(fx, row, action.host)
    fetched = handler_requests.fetch(fx, row, instance, handler_requests.RequestAddress(text, action.scheme, host, port, action.path))
    is_first = probe_row.worker.last != FAILURE  # one note is enough for several failures in a row
    if is_first:
        handler_requests.note_problem(fx, row, container.name, fetched)
    if fetched.outcome == "timeout":
        return _timed_out(fx, row, container, probe), seconds(probe.timeout_s)
    if fetched.outcome != "answered":
        return HandlerAnswer("failure", fetched.error), fetched.delay_ms
    if 200 <= fetched.status < 300:
        if not fetched.delay_ms and not action.host and fetched.url.text == text and fetched.server is not None:
            _keep(fx, (row.key, container.name, probe_row.worker.kind), instance, fetched)
        return HandlerAnswer("success"), fetched.delay_ms
    if 300 <= fetched.status < 400:
        return HandlerAnswer("warning", fx.profile.probe_redirect_text.format(body=fetched.body)), fetched.delay_ms
    if fetched.status == 404 and fetched.server is not None and is_first:
        note_bare_server(fx, row, container.name, fetched.url.path, fetched.server)
    return HandlerAnswer("failure", f"HTTP probe failed with statuscode: {fetched.status}"), fetched.delay_ms


SUCCEEDED = HandlerAnswer("success")
KEPT_MAX = 4096
"""Probes whose success is remembered at once."""
_MEMO = "probe answers"


class KeptSuccess(Struct, frozen=True, gc=False):
    """What a successful HTTP probe of the container's own server depended on: the same result while these are the same objects."""

    process: Process
    spec: Container
    sandbox: Sandbox | None
    volumes: tuple[Files | None, ...]


def _kept_answers(fx: Effects) -> dict[tuple[Key, str, str], KeptSuccess]:
    """Successes of probes that are remembered: probes ask the same question again and again. A fork begins without them."""
    found: dict[tuple[Key, str, str], KeptSuccess] | None = fx.world.memo.get(_MEMO)
    if found is None:
        found = fx.world.memo[_MEMO] = {}
    return found


def _still_holds(fx: Effects, row: PodRow, instance: Instance, kept: KeptSuccess) -> bool:
    if kept.process is not instance.process or kept.spec is not instance.spec or kept.sandbox is not fx.tables.sandboxes.get(row.key):
        return False
    volumes = fx.tables.volumes
    return kept.volumes == tuple([volumes.get(mount.volume) for mount in kept.process.launch.mounts])


def _keep(fx: Effects, key: tuple[Key, str, str], instance: Instance, fetched: handler_requests.Fetched) -> None:
    """Remember a success given by the container's own server that will repeat as long as nothing changes."""
    process, pod = instance.process, key[0]
    if process is None or fetched.server != (pod, instance.container, instance.attempt):
        return
    kept = _kept_answers(fx)
    if len(kept) >= KEPT_MAX:
        kept.clear()
    if behaviour.is_lasting(process, fetched.url.port, fetched.url.path):
        volumes = tuple([fx.tables.volumes.get(mount.volume) for mount in process.launch.mounts])
        kept[key] = KeptSuccess(process, instance.spec, fx.tables.sandboxes.get(pod), volumes)


def _tcp(fx: Effects, row: PodRow, instance: Instance, container: Container, probe: Probe) -> tuple[HandlerAnswer, Ms]:
    action = probe.tcp_socket
    assert action is not None
    assert instance.process is not None
    port = resolve_port(container, action.port)
    if port is None:
        return HandlerAnswer("error", f"couldn't find port: {action.port}"), 0
    outcome = handler_requests.tcp_connect(fx, row, instance, handler_requests.host_or_own(fx, row, action.host), port=port)
    if outcome == "accepted":
        return HandlerAnswer("success"), 0
    if outcome == "timeout":
        return _timed_out(fx, row, container, probe), seconds(probe.timeout_s)
    if outcome == "unknown_host":
        return HandlerAnswer("failure", f"dial tcp: lookup {action.host}: no such host"), 0
    return HandlerAnswer("failure", f"dial tcp {_address(fx, row, action.host, action.port, container)}: connect: connection refused"), 0


def _grpc(fx: Effects, row: PodRow, instance: Instance, container: Container, probe: Probe) -> tuple[HandlerAnswer, Ms]:
    """Source: pkg/probe/grpc/grpc.go. The dial waits until its timeout for a connection that speaks gRPC."""
    action = probe.grpc
    assert action is not None
    answer = handler_requests.grpc_check(fx, row, instance, port=action.port, service=action.service or "")
    if answer.outcome == "serving":
        return HandlerAnswer("success"), answer.delay_ms
    if answer.outcome in _GRPC_FAILURES:
        return HandlerAnswer("failure", _GRPC_FAILURES[answer.outcome]), answer.delay_ms
    failed = _no_grpc(fx, row, container, probe)
    return failed, failed.took_ms


def _no_grpc(fx: Effects, row: PodRow, container: Container, probe: Probe) -> HandlerAnswer:
    """The result of the gRPC client if it got no connection in time, for whatever reason: it retries until then."""
    assert probe.grpc is not None
    address, took = _address(fx, row, "", probe.grpc.port, container), seconds(probe.timeout_s)
    text = f'timeout: failed to connect service "{address}" within {go_duration(took)}: context deadline exceeded'
    return HandlerAnswer("timeout", text, took)


_GRPC_FAILURES = {
    "not_serving": 'service unhealthy (responded with "NOT_SERVING")',
    "unimplemented": (
        "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health"
    ),
    "unknown_service": "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
}
