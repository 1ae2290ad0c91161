"""How fast the engine is: events per second compared with SimPy, pods to Ready, replay and seek. All figures are for one core."""

import gc
import json
import resource
import subprocess
import sys
from collections.abc import Generator, Mapping
from random import Random
from time import process_time

from msgspec import Struct

from simulator.engine import Checkpoints, ClusterSpec, Course, NodeSpec, RunHeader, advance, new_world, replay
from simulator.engine.kernel.units import HOUR, MINUTE, SECOND

EVENTS = 200_000
PODS_A_NODE = 100
READY_BY_MS = 30 * MINUTE
SEEKS = 50


class Rate(Struct, frozen=True, kw_only=True):
    """Events per second of the engine and of bare SimPy timeouts, measured one after the other."""

    events_s: int
    simpy_s: int


class Startup(Struct, frozen=True, kw_only=True):
    """``pods`` created at once until all are Ready: CPU seconds, simulated time, and the process's peak memory."""

    pods: int
    ready: int
    took_s: float
    simulated_ms: int
    memory_mb: int


class Replay(Struct, frozen=True, kw_only=True):
    """An hour of ``pods`` pods computed in one go, and seeks to moments of it with warm checkpoints."""

    pods: int
    what: str
    records: int
    took_s: float
    seek_mean_ms: float
    seek_worst_ms: float


def liveness_pod(name: str) -> str:
    """The official exec liveness example: a pod that never comes to rest."""
    probe = {"exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5}
    script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"
    container = {"name": "liveness", "image": "registry.k8s.io/busybox", "args": ["/bin/sh", "-c", script], "livenessProbe": probe}
    return _pod(name, container)


def probed_pod(name: str) -> str:
    """A web server with a readiness probe every ten seconds."""
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10}
    return _pod(name, {"name": "web", "image": "nginx:1.27", "readinessProbe": probe})


def crashing_pod(name: str) -> str:
    """A pod that ends after ten seconds, over and over."""
    return _pod(name, {"name": "app", "image": "registry.k8s.io/busybox", "args": ["/bin/sh", "-c", "sleep 10; exit 1"]})


def everyday_pods(pods: int) -> list[str]:
    """A realistic namespace: of twenty pods sixteen run quietly, two are probed, one crashes and one fails its liveness probe."""
    kinds = {17: probed_pod, 18: probed_pod, 19: crashing_pod, 0: liveness_pod}
    return [kinds.get(number % 20, quiet_pod)(f"p{number}") for number in range(pods)]


def quiet_pod(name: str) -> str:
    """A pod whose container starts and keeps running."""
    return _pod(name, {"name": "app", "image": "registry.k8s.io/pause:3.9"})


def make_header(pods: list[str]) -> RunHeader:
    """A header with as many large nodes as the pods need."""
    room = {"cpu": "100000", "memory": "100Ti", "ephemeral-storage": "100Ti", "pods": str(PODS_A_NODE)}
    nodes = tuple(NodeSpec(name=f"node{n}", allocatable=room) for n in range(1, -(-len(pods) // PODS_A_NODE) + 1))
    return RunHeader(kubernetes="1.30", manifests=tuple(pods), cluster=ClusterSpec(nodes=nodes))


def event_rate(*, pods: int = 100) -> Rate:
    """Events per second while ``pods`` pods are probed, killed and restarted."""
    world = new_world(make_header([liveness_pod(f"p{n}") for n in range(pods)]))
    advance(world, until_ms=MINUTE)
    began = process_time()
    done = 0
    while done < EVENTS:
        batch = advance(world, until_ms=1000 * HOUR, limit=10_000)
        done += batch.events
        if batch.exhausted:
            break
    return Rate(events_s=round(done / (process_time() - began)), simpy_s=simpy_rate(processes=pods))


def simpy_rate(*, processes: int) -> int:
    """Events per second of SimPy processes that do nothing but wait."""
    import simpy

    environment = simpy.Environment()

    def wait(period: int) -> Generator[simpy.Event, None, None]:
        while True:
            yield environment.timeout(period)

    for number in range(processes):
        environment.process(wait(5 + number % 7))
    began = process_time()
    for _ in range(EVENTS):
        environment.step()
    return round(EVENTS / (process_time() - began))


def startup(pods: int) -> Startup:
    """Create ``pods`` pods at 0 and go on until all are Ready. Builds everything in this process: see ``startup_apart``."""
    header = make_header([quiet_pod(f"p{n}") for n in range(pods)])
    began = process_time()
    course = Course(header)
    world, ready = course.world, 0
    while ready < pods and world.now_ms < READY_BY_MS:
        leg = course.drive(world.now_ms + SECOND)
        ready += sum(
            1 for record in leg.records if record.machine == "condition" and record.subject.endswith("/Ready") and record.target == "True"
        )
    took_s = process_time() - began
    memory_mb = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024
    return Startup(pods=pods, ready=ready, took_s=round(took_s, 2), simulated_ms=world.now_ms, memory_mb=memory_mb)


def startup_apart(pods: int) -> Startup:
    """The same in a process of its own, so that the memory is that of these pods alone."""
    done = subprocess.run(
        [sys.executable, "-m", "simulator.bench.engine", str(pods), *map(str, gc.get_threshold())],
        capture_output=True,
        text=True,
        check=True,
    )
    return Startup(**json.loads(done.stdout))


def replay_hour(*, pods: int = 200, everyday: bool = True) -> Replay:
    """Replay an hour of everyday pods, or of pods that all fail their liveness probe; then seek to moments of it in random order."""
    header = make_header(everyday_pods(pods) if everyday else [liveness_pod(f"p{n}") for n in range(pods)])
    began = process_time()
    world = replay(header, (), until_ms=HOUR)
    took_s = process_time() - began
    checkpoints, random, times = Checkpoints(header), Random(1), []
    checkpoints.seek((), ms=HOUR)
    for _ in range(SEEKS):
        began = process_time()
        checkpoints.seek((), ms=random.randrange(HOUR))
        times.append((process_time() - began) * 1000)
    mean_ms, worst_ms = round(sum(times) / SEEKS, 1), round(max(times), 1)
    what = "everyday pods" if everyday else "pods failing liveness"
    return Replay(pods=pods, what=what, records=world.seq, took_s=round(took_s, 2), seek_mean_ms=mean_ms, seek_worst_ms=worst_ms)


def _pod(name: str, container: Mapping[str, object]) -> str:
    document = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": name}, "spec": {"containers": [container]}}
    return json.dumps(document)


if __name__ == "__main__":
    gc.set_threshold(*map(int, sys.argv[2:]))
    figures = startup(int(sys.argv[1]))
    print(json.dumps({name: getattr(figures, name) for name in figures.__struct_fields__}))  # noqa: T201 - read by startup_apart
