"""Golden outputs: what the headless tools make of a few runs, from the table of pods to comparisons.

``golden/outputs.txt`` is written by ``make golden``.
"""

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from simulator.engine import Record, RunHeader, World
from simulator.engine.acts.containers.exit import ExitContainer
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.course.replay import replay
from simulator.headless.comparison import Comparison, Side, anchors, compare
from simulator.headless.decisions import decision_lines, replayed_decision
from simulator.headless.lens import look
from simulator.headless.matching import MatchedRow
from simulator.headless.requests import request_lines
from simulator.headless.sweeps.fields import numeric_fields
from simulator.headless.sweeps.outcomes import OUTCOMES, PlayedOut, failed_requests
from simulator.headless.tables import event_list, watch_table
from simulator.headless.trace import snapshot
from simulator.headless.unready import unready_lines
from tests.engine.worlds import container, header, pod, run, stamped

UNTIL_S = 60
SMALL = {"capacity": {"cpu": "1", "memory": "1Gi", "pods": "10"}, "allocatable": {"cpu": "1", "memory": "1Gi", "pods": "10"}}
HALF = {"resources": {"requests": {"cpu": "600m"}}}
FAILING = {"readinessProbe": {"exec": {"command": ["false"]}, "periodSeconds": 5}}
CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
SHOP = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "shop", "namespace": "default"},
    "spec": {
        "replicas": 2, "selector": {"matchLabels": {"app": "shop"}},
        "template": {
            "metadata": {"labels": {"app": "shop"}},
            "spec": {"containers": [{"name": "app", "image": "nginx:1.16.1", "ports": [{"containerPort": 80}]}]},
        },
    },
}  # fmt: skip
FRONT = {
    "apiVersion": "v1", "kind": "Service",
    "metadata": {"name": "shop", "namespace": "default", "annotations": {"podscope.dev/load": "rate=2, duration=1s timeout=500ms"}},
    "spec": {"selector": {"app": "shop"}, "ports": [{"port": 80}]},
}  # fmt: skip
RUNS: dict[str, tuple[RunHeader, tuple[Any, ...]]] = {
    "a crash loop": (header(pod(container("echo broken; exit 3"))), ()),
    "a deletion": (header(pod(container())), ((20, DeletePod(target="default/p")),)),
    "an end by hand": (header(pod(container())), ((15, ExitContainer(target="default/p", container="app", exit_code=7)),)),
    "a refused act": (header(pod(container())), ((5, DeletePod(target="default/nope")),)),
    "a probe that fails": (header(pod(container("sleep 600", **FAILING))), ()),
    "a pod without a node": (header(pod(container(), nodeSelector={"disk": "ssd"})), ()),
    "an init container that fails": (header(pod(container(name="main"), initContainers=[container("exit 1", name="init")])), ()),
    "a pod that evicts another": (
        header(
            CLASS, pod(container(**HALF), name="low"), pod(container(**HALF), name="high", priorityClassName="high"),
            nodes=[{"name": "node1", **SMALL}],
        ),
        (),
    ),
    "requests to a service": (header(SHOP, FRONT), ((30, DeletePod(target="default/shop-*")),)),
}  # fmt: skip


def outcomes(world: World, records: list[Record]) -> Iterator[str]:
    found = PlayedOut(records=records, failed=failed_requests(world), until_ms=UNTIL_S * 1000)
    for outcome in OUTCOMES:
        happened = outcome.measure(found)
        yield f"outcome {outcome.name}: {happened.value} at {happened.at_ms} ({outcome.unit})"


def told(name: str) -> Iterator[str]:
    """Everything about one run."""
    head, commands = RUNS[name]
    world, records = run(head, UNTIL_S, *commands)
    yield from watch_table(records, until_ms=UNTIL_S * 1000, header=head)
    yield from event_list(records)
    yield from unready_lines(world, records)
    yield from request_lines(world, records)
    yield from outcomes(world, records)
    yield from (f"pod {key} {json.dumps(snapshot(world, row))}" for key, row in world.tables.pods.items())
    for key in [] if commands else [f"{row.namespace}/{row.name}" for row in world.tables.pods.values()]:
        for at_ms in (500, UNTIL_S * 1000):
            decided = replayed_decision(head, records, key, at_ms)
            yield from decision_lines(*decided) if decided is not None else (f"{key} was not scheduled yet",)
    yield from (f"field {msgspec.json.encode(field).decode()}" for field in numeric_fields(head))


def row_text(row: MatchedRow) -> str:
    cells = ", ".join("–" if cell is None else f"{cell.at_ms} {cell.detail}" for cell in row.cells)
    return f"{row.machine} {row.subject} {row.differs or 'same'}: {cells}"


def compared(found: Comparison) -> Iterator[str]:
    yield f"horizon {found.horizon_ms}"
    if found.first is not None:
        halves = [
            [part and (part.seq, part.machine, part.target) for part in (half.record, half.instead, half.later)]
            for half in found.first.halves
        ]
        yield f"first at {found.first.at_ms}: {row_text(found.first.row)} {halves}"
    yield from (row_text(row) for row in found.rows if row.differs)
    yield from (f"fact {fact.subject} {fact.title}: {fact.values} at {fact.moments} {fact.differs}" for fact in found.facts)
    for lane in found.lanes:
        yield f"lane {lane.machine} {lane.subject}: {[(each.from_ms, each.to_ms, *each.states) for each in lane.intervals]}"


def side(name: str, zero_ms: int = 0) -> Side:
    head, commands = RUNS[name]
    records: list[Record] = []
    world = replay(head, stamped(*commands), until_ms=UNTIL_S * 1000, into=records)
    return Side(records=records, until_ms=UNTIL_S * 1000, zero_ms=zero_ms, world=world)


PAIRS = (
    ("a deletion", "an end by hand", 0),
    ("a crash loop", "a probe that fails", 0),
    ("a deletion", "a refused act", 3_000),
    ("a pod without a node", "an init container that fails", 0),
    ("an end by hand", "an end by hand", 14_000),
    ("a crash loop", "requests to a service", 0),
    ("requests to a service", "a pod that evicts another", 0),
)


def pairs() -> Iterator[str]:
    for left, right, zero_ms in PAIRS:
        yield f"== {left} and {right} from {zero_ms} ms"
        sides = side(left, zero_ms), side(right)
        yield from compared(compare(*sides))
        yield from (f"anchor {msgspec.json.encode(anchor).decode()}" for anchor in anchors(sides[0].records, sides[1].records))


def lenses() -> Iterator[str]:
    for name in ("a deletion", "requests to a service"):
        head, commands = RUNS[name]
        found = look(head, stamped(*commands), ("1.20", "1.37"), until_ms=UNTIL_S * 1000)
        yield f"== versions of {name}, cut {found.is_cut}"
        yield from map(row_text, found.differences)
        yield from (f"switch {item.field} {item.values}" for item in found.switches)
        yield from (act.words for acts in found.refused for act in acts)


def test_runs_are_told_and_compared_as_before(golden: Callable[[Path, str], None]) -> None:
    runs = (line for name in RUNS for line in (f"== {name}", *told(name)))
    text = "\n".join(line.rstrip() for line in (*runs, *pairs(), *lenses()))
    golden(Path(__file__).parent / "golden" / "outputs.txt", f"{text}\n")
