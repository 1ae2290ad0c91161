"""The phase as a fold over the containers: how each is counted, and every rule in order with whether it holds.

The rules of the world's version are shown next to those of Kubernetes 1.3, as documented at the time.

The rules of 1.3 are kept for comparison: the phase was once documented as a plain fold, and many tutorials
still explain it that way. Both folds count the published statuses, not what the node knows.
"""

from collections.abc import Sequence

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Key, Ms, Seq
from simulator.engine.kubelet.pods.status.phase_rules import PhaseRules, Statuses, count, trigger_of
from simulator.engine.machines.phase import PHASE, PhaseFacts
from simulator.engine.model.container import Container
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.status import ContainerStatus
from simulator.engine.projection.derivation import questions
from simulator.engine.projection.model import DerivationStep
from simulator.engine.world.rows import PodRow
from simulator.engine.world.world import World

OLD = PhaseRules(algorithm="1.3")
_COUNTS = (
    "init_pending",
    "init_failed",
    "init_failed_for_good",
    "sidecar_pending",
    "unknown",
    "running",
    "waiting",
    "stopped",
    "succeeded",
    "restartable",
)


class Counted(Struct, frozen=True, gc=False):
    """A container and what it counts as under some rules: names of counts. ``group``: init or app."""

    name: str
    group: str
    counts: tuple[str, ...]


class FoldRule(Struct, frozen=True, gc=False):
    """A rule at its position. ``is_taken``: the first that holds; later ones are not tried."""

    rule: str
    phase: str
    holds: bool
    is_taken: bool


class Fold(Struct, frozen=True):
    """One way from containers to a phase. ``sums``: what was counted, without zeroes."""

    algorithm: str
    containers: tuple[Counted, ...]
    sums: tuple[tuple[str, int], ...]
    rules: tuple[FoldRule, ...]
    phase: str


class PhaseView(Struct, frozen=True):
    """The phase in the API, the record and rule behind it, and the folds: of the version, of Kubernetes 1.3."""

    phase: str
    rule: str
    seq: Seq
    at_ms: Ms | None
    folds: tuple[Fold, Fold]


def phase_view(world: World, key: Key, records: Sequence[Record]) -> PhaseView | None:
    """How the phase of a pod results at the world's moment; None for a pod that never existed. O(records)."""
    row = world.tables.pods.get(key)
    if row is None:
        return None
    latest = next((record for record in reversed(records) if record.machine == PHASE.name and record.subject == row.subject), None)
    folds = _fold(world, row, world.options.phase), _fold(world, row, OLD)
    if latest is None:
        return PhaseView(row.status.phase, "", 0, None, folds)
    return PhaseView(row.status.phase, latest.rule, latest.seq, latest.at_ms, folds)


def status_questions(world: World, key: Key) -> tuple[DerivationStep, ...]:
    """Every step of kubectl for STATUS, in order; empty if the pod has no object (any more)."""
    row = world.tables.pods.get(key)
    if row is None or row.gone_ms is not None:
        return ()
    return questions(row.pod.spec, row.status, is_deleted=row.deletion_ms is not None, options=world.options.printing)


def _fold(world: World, row: PodRow, rules: PhaseRules) -> Fold:
    """What the kubelet would compute from the published statuses."""
    spec, status = row.pod.spec, row.status
    init, app = _all(spec.init_containers, status.init_containers), _all(spec.containers, status.containers)
    facts = count(spec, init, app, rules=rules, pod_is_terminal=_is_over(world, row), has_initialized=_has_initialized(world, row))
    found = _rules(facts, trigger_of(rules))
    counted = (
        *(_counted(spec, item, one, rules, "init") for item, one in zip(spec.init_containers, init, strict=True)),
        *(_counted(spec, item, one, rules, "app") for item, one in zip(spec.containers, app, strict=True)),
    )
    phase = next(item.phase for item in found if item.is_taken)
    return Fold(rules.algorithm, counted, _sums(facts), found, phase)


def _all(containers: tuple[Container, ...], statuses: Statuses) -> Statuses:
    """A status for each container of the spec, None if nothing is known."""
    known = {item.name: item for item in statuses if item is not None}
    return tuple(known.get(container.name) for container in containers)


def _is_over(world: World, row: PodRow) -> bool:
    """Whether the kubelet has stopped every container for good."""
    worker = world.tables.workers.get(row.key)
    return worker is not None and worker.state in ("terminated", "finished")


def _has_initialized(world: World, row: PodRow) -> bool:
    """Whether a regular container of the current sandbox has run, as far as the kubelet has looked."""
    seen = world.tables.seen.get(row.key)
    if seen is None:
        return False
    sandbox = seen.sandbox.attempt if seen.sandbox is not None else 0
    return any(item.group == "app" and item.sandbox == sandbox for item in seen.instances)


def _counted(spec: PodSpec, container: Container, status: ContainerStatus | None, rules: PhaseRules, group: str) -> Counted:
    """What one container alone adds."""
    init, app = ((container,), ()) if group == "init" else ((), (container,))
    # Counted in a pod of its own, so that its contribution is separate from the others.
    alone = replace(spec, init_containers=init, containers=app)
    facts = count(alone, (status,) * len(init), (status,) * len(app), rules=rules)
    return Counted(container.name, group, tuple(name for name, _ in _sums(facts)))


def _sums(facts: PhaseFacts) -> tuple[tuple[str, int], ...]:
    return tuple((name, getattr(facts, name)) for name in _COUNTS if getattr(facts, name))


def _rules(facts: PhaseFacts, trigger: str) -> tuple[FoldRule, ...]:
    """The machine's rows for a trigger; the last one always holds."""
    rows = [(row, row.when is None or row.when(facts)) for row in PHASE.rows if row.trigger == trigger]
    first = next(index for index, (_, holds) in enumerate(rows) if holds)
    return tuple(FoldRule(row.rule, row.target, holds, index == first) for index, (row, holds) in enumerate(rows))
