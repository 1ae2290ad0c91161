"""How far ``kubectl describe pods`` of a simulated run agrees with the output recorded at the end of a real one.

A recording is one draw of what is random in a cluster (the phase of a probe, the jitter of a retry), looked at in one instant.
Its ``tol`` and ``slope`` say how exactly its times can be compared. So a pod agrees

* *at the moment*: in the instant of the recording, with everything random at its mean;
* *within tolerance*: in some instant no further off than that;
* *in a draw*: so, but under one of a few seeds.
"""

import json
from pathlib import Path
from typing import Any

from msgspec import Struct

from simulator.engine import RunHeader, World, advance, new_world
from simulator.engine.units import Ms
from simulator.engine.views.describe import describe_pods
from simulator.fidelity.recordings.describe_text import Pod, agrees, differing, read_pods
from simulator.fidelity.recordings.moment import moment_ms
from simulator.headless.inputs import BadInput, Inputs, header_of

TOL_S, SLOPE = 3.0, 0.08
"""Of a recording that names none."""
SEEDS = range(1, 9)
HOW = ("at the moment", "within tolerance", "in a draw")


class Outcome(Struct, frozen=True):
    """A recording: how its output agrees (empty: not at all), and the lines that differ at its moment."""

    name: str
    how: str
    lines: tuple[str, ...] = ()


def holding_output(folder: Path, names: list[str]) -> dict[str, dict[str, Any]]:
    """The recordings of ``names`` that hold an output, be it that no pod was left."""
    read = ((name, json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))) for name in names)
    return {name: recording for name, recording in read if recording.get("describe")}


def measure_describe(folder: Path, cluster: Path, names: list[str]) -> list[Outcome]:
    """The outcome of each recording that holds an output. Raises ValueError where one cannot be simulated."""
    return [
        _outcome(folder, cluster, name, recording, read_pods(recording["describe"]))
        for name, recording in holding_output(folder, names).items()
    ]


def _outcome(folder: Path, cluster: Path, name: str, recording: dict[str, Any], pods: dict[str, Pod]) -> Outcome:
    at_ms = moment_ms(recording)
    slack_ms = round(1000 * (float(recording.get("tol") or TOL_S) + float(recording.get("slope") or SLOPE) * recording["duration"]))
    mean = _header(folder, cluster, name, recording, seed=None)
    world = _run(mean, at_ms)
    lines = tuple(differing(pods, read_pods(describe_pods(world, name))))
    if not lines:
        return Outcome(name, HOW[0])
    if _agrees_around(mean, name, pods, (at_ms, slack_ms)):
        return Outcome(name, HOW[1], lines)
    for seed in SEEDS:
        if _agrees_around(_header(folder, cluster, name, recording, seed=seed), name, pods, (at_ms, slack_ms)):
            return Outcome(name, HOW[2], lines)
    return Outcome(name, "", lines)


def _header(folder: Path, cluster: Path, name: str, recording: dict[str, Any], *, seed: int | None) -> RunHeader:
    steps = folder / f"{name}.script.yaml"
    inputs = Inputs(
        files=(str(folder / f"{name}.yaml"),),
        script=str(steps) if steps.is_file() else None,
        cluster=str(cluster),
        kubernetes=".".join(recording["kubernetes"].removeprefix("v").split(".")[:2]),
        namespace=name,
        seed=seed,
        lenient=True,
    )
    try:
        return header_of(inputs, lambda name, problem: None)
    except BadInput as error:
        raise ValueError(f"{name} could not be simulated: {error}") from error


def _run(header: RunHeader, until_ms: Ms) -> World:
    world = new_world(header)
    advance(world, until_ms=until_ms)
    return world


def _agrees_around(header: RunHeader, namespace: str, pods: dict[str, Pod], window: tuple[Ms, Ms]) -> bool:
    """Whether each pod agrees at some moment of the window (middle, half its width). Looks whenever something was written."""
    at_ms, slack_ms = window
    world = _run(header, max(at_ms - slack_ms, 0))
    left = dict(pods)
    while True:
        made = read_pods(describe_pods(world, namespace))
        if made.keys() <= pods.keys():
            left = {name: pod for name, pod in left.items() if name not in made or not agrees(pod, made[name])}
            if not left:
                return True
        batch = advance(world, until_ms=at_ms + slack_ms, limit=1)
        while not batch.records and not batch.exhausted:
            batch = advance(world, until_ms=at_ms + slack_ms, limit=1)
        if batch.exhausted:
            return False
