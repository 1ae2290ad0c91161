"""The canonical runs, played by the tree in ``PYTHONPATH``: a program of its own, which can be given the engine of any commit.

``python canonical.py calls SCALE RUN...`` prints a JSON object: for each run its records and the calls of each of the tree's functions.
``python canonical.py cpu SCALE RUN...`` prints records and CPU seconds instead. ``SCALE`` is ``full`` or ``small``. If the tree cannot play
a run, because it lacks a feature that the run needs, the value is the reason.

The same run makes the same calls on every machine: the hash seed is fixed by the caller, caches are warmed by a run of the same kind, and
only functions below ``simulator/`` count, so that a library's release changes nothing. Comprehensions are not counted either: Python 3.12
and later do not call them.
"""

import gc
import importlib
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Sequence
from cProfile import Profile
from pathlib import Path
from random import Random
from time import process_time
from typing import Any

from simulator.engine import Checkpoints, ClusterSpec, NodeSpec, RunHeader, World, advance, apply, new_world

SECOND, MINUTE, HOUR = 1000, 60_000, 3_600_000
PODS_A_NODE = 100
LOOKS = 100
Play = Callable[[], int]
"""Plays what is measured and returns the number of records."""


class CannotPlay(Exception):
    """The tree lacks a feature that the run needs."""


def pod(name: str, container: dict[str, Any]) -> str:
    """The JSON text of a pod with a container."""
    meta = {"name": name, "labels": {"app": "web"}}
    return json.dumps({"apiVersion": "v1", "kind": "Pod", "metadata": meta, "spec": {"containers": [container]}})


def quiet(name: str) -> str:
    """A pod whose container starts and keeps running."""
    return pod(name, {"name": "app", "image": "registry.k8s.io/pause:3.9"})


def probed(name: str) -> str:
    """A web server with a readiness probe every ten seconds."""
    probe = {"httpGet": {"path": "/", "port": 80}, "periodSeconds": 10}
    return pod(name, {"name": "web", "image": "nginx:1.27", "readinessProbe": probe})


def crashing(name: str) -> str:
    """A pod that ends after ten seconds, over and over."""
    return pod(name, {"name": "app", "image": "registry.k8s.io/busybox", "args": ["/bin/sh", "-c", "sleep 10; exit 1"]})


def failing(name: str) -> str:
    """The official exec liveness example."""
    probe = {"exec": {"command": ["cat", "/tmp/healthy"]}, "initialDelaySeconds": 5, "periodSeconds": 5}
    script = "touch /tmp/healthy; sleep 30; rm -f /tmp/healthy; sleep 600"
    args = ["/bin/sh", "-c", script]
    return pod(name, {"name": "liveness", "image": "registry.k8s.io/busybox", "args": args, "livenessProbe": probe})


def everyday(count: int) -> list[str]:
    """Of twenty pods sixteen run quietly, two are probed, one crashes and one fails its liveness probe."""
    kinds = {17: probed, 18: probed, 19: crashing, 0: failing}
    return [kinds.get(number % 20, quiet)(f"p{number}") for number in range(count)]


def header_of(manifests: Sequence[str], *, nodes: int, **fields: Any) -> RunHeader:
    """A header with large nodes."""
    room = {"cpu": "100000", "memory": "100Ti", "ephemeral-storage": "100Ti", "pods": str(PODS_A_NODE)}
    specs = tuple(NodeSpec(name=f"node{n}", allocatable=room) for n in range(1, nodes + 1))
    return RunHeader(kubernetes="1.30", manifests=tuple(manifests), cluster=ClusterSpec(nodes=specs), **fields)


def command_of(named: str, /, *modules: str, **fields: Any) -> Any:
    """A command of the class found in the first of the modules that exists in the tree. Raises CannotPlay."""
    for module in modules:
        try:
            return getattr(importlib.import_module(module), named)(**fields)
        except ImportError:
            continue
    raise CannotPlay(f"no command {named}")


def until(world: World, until_ms: int) -> int:
    """Play the world up to a moment."""
    advance(world, until_ms=until_ms)
    return world.seq


def _ready(pods: int, minutes: int) -> Play:
    header = header_of([quiet(f"p{n}") for n in range(pods)], nodes=-(-pods // PODS_A_NODE))
    return lambda: until(new_world(header), minutes * MINUTE)


def _hour_of(manifests: Sequence[str], minutes: int) -> Play:
    header = header_of(manifests, nodes=-(-len(manifests) // PODS_A_NODE))
    return lambda: until(new_world(header), minutes * MINUTE)


def _probed(pods: int, minutes: int) -> Play:
    return _hour_of([probed(f"p{n}") for n in range(pods)], minutes)


def _crashing(pods: int, minutes: int) -> Play:
    return _hour_of([crashing(f"p{n}") for n in range(pods)], minutes)


def _everyday(pods: int, minutes: int) -> Play:
    return _hour_of(everyday(pods), minutes)


def _deployment(name: str, replicas: int, container: dict[str, Any]) -> str:
    labels = {"app": name}
    template = {"metadata": {"labels": labels}, "spec": {"terminationGracePeriodSeconds": 1, "containers": [container]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": labels}, "template": template}
    return json.dumps({"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec})


def _rollout(pods: int, minutes: int) -> Play:
    container = {"name": "app", "image": "registry.k8s.io/pause:3.9"}
    header = header_of([_deployment("web", pods, container)], nodes=-(-2 * pods // PODS_A_NODE))
    modules = ("simulator.engine.acts.workloads.image",)
    image = command_of(
        "SetWorkloadImage",
        *modules,
        kind="Deployment",
        namespace="default",
        name="web",
        container="app",
        image="registry.k8s.io/pause:3.10",
    )

    def play() -> int:
        world = new_world(header)
        until(world, minutes * MINUTE)
        apply(world, image)
        return until(world, 3 * minutes * MINUTE)

    return play


def _drain(nodes: int, minutes: int) -> Play:
    header = header_of([quiet(f"p{n}") for n in range(4 * nodes)], nodes=nodes)
    modules = ("simulator.engine.acts.nodes.drain", "simulator.engine.node_commands")
    drains = [command_of("DrainNode", *modules, node=f"node{n}", force=True) for n in range(1, nodes + 1)]

    def play() -> int:
        world = new_world(header)
        until(world, minutes * MINUTE)
        for drain in drains:
            apply(world, drain)
        return until(world, 2 * minutes * MINUTE)

    return play


def _service(pods: int, minutes: int) -> Play:
    meta = {"name": "web", "annotations": {"podscope.dev/load": "rate=100 after=30s duration=50ms path=/"}}
    spec = {"selector": {"app": "web"}, "ports": [{"port": 80}]}
    service = json.dumps({"apiVersion": "v1", "kind": "Service", "metadata": meta, "spec": spec})
    try:
        importlib.import_module("simulator.engine.network.load.spec")
    except ImportError:
        raise CannotPlay("no requests to a Service") from None
    header = header_of([service, *(probed(f"p{n}") for n in range(pods))], nodes=1)
    return lambda: until(new_world(header), 30 * SECOND + minutes * MINUTE)


def _scrub(pods: int, minutes: int) -> Play:
    header, end_ms, random = header_of(everyday(pods), nodes=-(-pods // PODS_A_NODE)), minutes * MINUTE, Random(1)
    moments = [random.randrange(end_ms) for _ in range(LOOKS)]
    seek = _seek(header)
    seek(end_ms)
    return lambda: sum(seek(moment).seq for moment in moments)


def _seek(header: RunHeader) -> Callable[[int], World]:
    engine: Any = importlib.import_module("simulator.engine")
    if hasattr(engine, "seek"):
        old = engine.Checkpoints(header, ())
        return lambda moment: engine.seek(old, to_ms=moment)
    checkpoints = Checkpoints(header)
    return lambda moment: checkpoints.seek((), ms=moment)


def _page(pods: int, minutes: int) -> Play:
    # Next to this file, whichever tree it measures.
    sys.path.append(str(Path(__file__).parent))
    try:
        opened = importlib.import_module("page")
    except ImportError:
        raise CannotPlay("no page that this can open") from None
    play: Play = opened.first_look(header_of(everyday(pods), nodes=-(-pods // PODS_A_NODE)), minutes * MINUTE)
    return play


def _sweep(seeds: int, minutes: int) -> Play:
    """The first sweep that the site suggests: a preStop sleep of 0 to 10 seconds against failed requests. It counts cells."""
    settings: Any = importlib.import_module("django.conf").settings
    if not settings.configured:
        settings.configure(USE_I18N=False)
    try:
        stories = importlib.import_module("simulator.scenarios.story").read_stories()
        content_of = importlib.import_module("simulator.scenarios.build").story_content
        sweeps: Any = importlib.import_module("simulator.headless.sweeps.sweep")
        stamped: Any = importlib.import_module("simulator.engine").Stamped
        story = next(story for story in stories if story.slug == "zero-downtime")
        steps = story.sweep_steps()
    except (ImportError, AttributeError):
        raise CannotPlay("no such sweep") from None
    sweep = sweeps.Sweep(
        header=content_of(story).header,
        commands=tuple(stamped(step.at_ms, n, step.command) for n, step in enumerate(steps, 1)),
        field="ReplicaSet/web: spec.template.spec.containers[0].lifecycle.preStop.sleep.seconds",
        values=tuple(range(11)),
        seeds=tuple(range(1, seeds + 1)),
        outcome="failed-requests",
        until_ms=minutes * MINUTE,
    )

    def play() -> int:
        plan = sweeps.SweepPlan(sweep)
        places = list(plan.places())
        order = [number for row in plan.rows() for number in row] if hasattr(plan, "rows") else range(len(places))
        return sum(plan.play(*places[number]).is_result for number in order)

    return play


RUNS: dict[str, tuple[Callable[[int, int], Play], dict[str, tuple[int, int]]]] = {
    "ready": (_ready, {"full": (1000, 2), "small": (200, 2), "warm": (20, 1)}),
    "rollout": (_rollout, {"full": (500, 10), "small": (60, 3), "warm": (8, 2)}),
    "probed": (_probed, {"full": (10, 60), "small": (10, 60), "warm": (3, 5)}),
    "crash-loop": (_crashing, {"full": (1, 60), "small": (1, 60), "warm": (1, 10)}),
    "everyday": (_everyday, {"full": (200, 60), "small": (40, 30), "warm": (20, 5)}),
    "drain": (_drain, {"full": (50, 2), "small": (20, 2), "warm": (4, 1)}),
    "service": (_service, {"full": (3, 1), "small": (3, 1), "warm": (3, 1)}),
    "page": (_page, {"full": (50, 10), "small": (20, 5), "warm": (20, 2)}),
    "scrub": (_scrub, {"full": (200, 60), "small": (20, 20), "warm": (20, 5)}),
    "sweep": (_sweep, {"full": (10, 2), "small": (2, 2), "warm": (1, 2)}),
}
"""Each run by name: its setup, and by scale the number of pods (nodes for ``drain``, seeds for ``sweep``) and of minutes."""


def calls_of(play: Play, tree: Path) -> dict[str, Any]:
    """Play under a profiler: records, and calls of each function of the tree."""
    profile = Profile(subcalls=False, builtins=False)
    gc.disable()
    records = profile.runcall(play)
    gc.enable()
    functions: Counter[str] = Counter()
    below = f"{tree}{os.sep}simulator{os.sep}"
    for entry in profile.getstats():
        code: Any = entry.code
        if not isinstance(code, str) and code.co_filename.startswith(below) and not code.co_name.endswith("comp>"):
            functions[f"{code.co_filename.removeprefix(below)}:{code.co_qualname}"] += entry.callcount
    for mine in [name for name in functions if name.startswith("bench/")]:
        del functions[mine]
    return {"records": records, "functions": dict(sorted(functions.items()))}


def seconds_of(play: Play) -> dict[str, Any]:
    """Play without a profiler: records, and CPU seconds."""
    gc.collect()
    began = process_time()
    records = play()
    return {"records": records, "seconds": process_time() - began}


def measured(name: str, how: str, scale: str, tree: Path) -> dict[str, Any] | str:
    """The figures of one run on this tree, or why it cannot be played."""
    prepare, sizes = RUNS[name]
    try:
        prepare(*sizes["warm"])()
        play = prepare(*sizes[scale])
        return calls_of(play, tree) if how == "calls" else seconds_of(play)
    except CannotPlay as error:
        return str(error)


def main(how: str, scale: str, names: Sequence[str]) -> None:
    """Print the cost of the runs."""
    found = Path(sys.modules["simulator.engine"].__file__ or "").parent.parent.parent
    print(json.dumps({name: measured(name, how, scale, found) for name in names or RUNS}))  # noqa: T201 - read by who started this


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], sys.argv[3:])
