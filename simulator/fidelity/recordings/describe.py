"""How far ``kubectl describe pods`` of a simulated run agrees with the output recorded at the end of a real one.

A recording is one draw of everything random in a cluster (the phase of a probe, the jitter of a retry), observed at one
instant. Its ``tol`` and ``slope`` say how exactly its times can be compared. So a pod agrees

* *at the moment*: at the instant of the recording, with everything random at its mean;
* *within tolerance*: at some instant no further away than that tolerance;
* *in a draw*: within tolerance, but under one of a few seeds.
"""

from msgspec import Struct

from simulator.engine import RunHeader, World, advance, new_world
from simulator.engine.kernel.units import Ms
from simulator.fidelity.recordings.describe_text import EXACTNESS, DescribedPod, Exactness, agrees, differing, read_pods
from simulator.fidelity.recordings.moment import began_s, moment_ms
from simulator.fidelity.recordings.played import Recording
from simulator.kubectl.kubectl import kubectl

SEEDS = range(1, 9)
HOW = ("at the moment", "within tolerance", "in a draw")


class DescribeOutcome(Struct, frozen=True):
    """A recording: how its output agrees (empty: not at all), and the lines that differ at its moment."""

    name: str
    how: str
    lines: tuple[str, ...] = ()


def holding_output(recordings: list[Recording]) -> list[Recording]:
    """The recordings that include an output, even if it says that no pod was left."""
    return [item for item in recordings if item.seen.get("describe")]


def measure_describe(recordings: list[Recording]) -> list[DescribeOutcome]:
    """The outcome of each recording that includes an output. Raises ValueError if one cannot be simulated."""
    return [_outcome(item) for item in holding_output(recordings)]


class _Look(Struct, frozen=True):
    """What to look for, when, and how exactly; times in milliseconds since the run began."""

    namespace: str
    pods: dict[str, DescribedPod]
    at_ms: Ms
    slack_ms: Ms
    exactness: Exactness


def _outcome(item: Recording) -> DescribeOutcome:
    look = _look(item)
    mean = item.header()
    world = _run(mean, look.at_ms)
    lines = tuple(differing(look.pods, _shown(world, look), look.exactness))
    if not lines:
        return DescribeOutcome(item.name, HOW[0])
    if _agrees_around(mean, look):
        return DescribeOutcome(item.name, HOW[1], lines)
    for seed in SEEDS:
        if _agrees_around(item.header(seed=seed), look):
            return DescribeOutcome(item.name, HOW[2], lines)
    return DescribeOutcome(item.name, "", lines)


def _look(item: Recording) -> _Look:
    seen = item.seen
    exactness = Exactness(float(seen.get("tol") or EXACTNESS.tol), float(seen.get("slope") or EXACTNESS.slope))
    slack_ms = round(1000 * (exactness.tol + exactness.slope * item.duration_s))
    return _Look(item.name, read_pods(seen["describe"], began_s=began_s(seen)), moment_ms(seen), slack_ms, exactness)


def _shown(world: World, look: _Look) -> dict[str, DescribedPod]:
    return read_pods(kubectl(world, f"describe pods --namespace {look.namespace}", now_ms=world.now_ms), began_s=world.header.epoch_s)


def _run(header: RunHeader, until_ms: Ms) -> World:
    world = new_world(header)
    advance(world, until_ms=until_ms)
    return world


def _agrees_around(header: RunHeader, look: _Look) -> bool:
    """Whether each pod agrees at some moment within the recording's tolerance. Checked whenever something was written."""
    end_ms = look.at_ms + look.slack_ms
    world = _run(header, max(look.at_ms - look.slack_ms, 0))
    left = dict(look.pods)
    while True:
        made = _shown(world, look)
        if made.keys() <= look.pods.keys():
            left = {name: pod for name, pod in left.items() if name not in made or not agrees(pod, made[name], look.exactness)}
            if not left:
                return True
        batch = advance(world, until_ms=end_ms, limit=1)
        while not batch.records and not batch.exhausted:
            batch = advance(world, until_ms=end_ms, limit=1)
        if batch.exhausted:
            return False
