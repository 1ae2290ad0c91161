"""Family ``probe_worker``: a worker watches a changing pod status, with one tick per ``probe`` step."""

from msgspec import Struct

from simulator.engine.kernel.json_text import Json
from simulator.engine.kubelet.pods.probes.probe_step import ProbedStatus, after, before
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.probe import Probe
from simulator.engine.model.status import ContainerStatus, PodStatus, Running, Terminated
from simulator.engine.model.status_json import to_status
from simulator.engine.model.times import parse_time
from simulator.engine.world.rows import ProbeWorker

_OUTCOMES = {"success": "success", "failure": "failure", "crash": "error", "error": "error"}


class _World(Struct):
    """What the worker can see."""

    container: str
    restart_policy: str
    status: PodStatus | None = None
    started: bool | None = None
    is_deleted: bool = False


def evaluate(case: Json) -> Json:
    """``{probes: [{continue, result, onHold, resultRun}]}``."""
    probe = _probe(case["probe"])
    worker = ProbeWorker(case["probeType"], probe.initial_delay_seconds, result=case.get("initialResult"))
    world = _World(case["containerName"], case["restartPolicy"])
    answers = []
    for step in case["steps"]:
        if step["op"] != "probe":
            _change(world, step)
            continue
        worker, goes_on = _tick(worker, probe, world, step)
        answers.append({"continue": goes_on, "result": worker.result, "onHold": worker.on_hold, "resultRun": worker.run})
    return {"probes": answers}


def _probe(document: Json) -> Probe:
    container = pod_from_document({"spec": {"containers": [{"name": "c", "livenessProbe": document}]}}).spec.containers[0]
    assert container.liveness_probe is not None
    return container.liveness_probe


def _change(world: _World, step: Json) -> None:
    if step["op"] == "setStatus":
        world.status = None if step["status"] is None else to_status(step["status"])
        world.started = None
    elif step["op"] == "setStarted":
        world.started = step["value"]
    else:
        world.is_deleted = True


def _tick(worker: ProbeWorker, probe: Probe, world: _World, step: Json) -> tuple[ProbeWorker, bool]:
    held = before(worker, _view(world, parse_time(step["now"])))
    if held.action != "run":
        return held.worker, held.action != "stop"
    return after(held.worker, probe, _OUTCOMES[step["outcome"]]).worker, True


def _view(world: _World, now_ms: int) -> ProbedStatus:
    if world.status is None:
        return ProbedStatus(now_ms, None)
    status = _container(world.status, world.container)
    if status is None:
        return ProbedStatus(now_ms, world.status.phase)
    state = status.state
    return ProbedStatus(
        now_ms,
        world.status.phase,
        status.container_id,
        "running" if isinstance(state, Running) else "terminated" if isinstance(state, Terminated) else "waiting",
        bool(status.started if world.started is None else world.started),
        (state.started_ms or 0) if isinstance(state, Running) else 0,
        world.restart_policy != "Never",
        world.is_deleted,
    )


def _container(status: PodStatus, name: str) -> ContainerStatus | None:
    for entry in (*status.containers, *status.init_containers):
        if entry.name == name:
            return entry
    return None
