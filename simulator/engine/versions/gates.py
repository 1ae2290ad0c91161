"""Which feature gates are on: the defaults of a minor and a run's overrides."""

from collections.abc import Iterator, Mapping

from msgspec import Struct

from simulator.engine.kernel.errors import EngineError
from simulator.engine.versions.fields import Profile
from simulator.engine.versions.minors import minor_number, minor_of
from simulator.engine.versions.rows import GATES, GateRow, Stage, in_range
from simulator.engine.versions.span import OPEN

_ON_BY_DEFAULT = ("on", "ga", "locked")


def _first_on(row: GateRow) -> int:
    return min((minor_number(minor) for minor, stage in row.stages.items() if stage in _ON_BY_DEFAULT), default=OPEN)


ON_SINCE: dict[str, int] = {name: _first_on(row) for name, row in GATES.items()}
"""The minor in which each gate became permanently on by default; ``OPEN`` for one that never did."""


class BadGate(EngineError):
    """A gate setting that this Kubernetes version rejects. ``gate`` is its name, ``problem`` says why."""

    def __init__(self, gate: str, problem: str) -> None:
        super().__init__(f"feature gate {gate} {problem}")
        self.gate = gate
        self.problem = problem


class GateState(Struct, frozen=True, kw_only=True):
    """A gate as a page shows it for one minor. ``default`` is what applies if the run says nothing.

    ``idle`` says why it may not be set to the non-default value; empty if it has an effect.
    """

    name: str
    stage: Stage
    default: bool
    on: bool
    locked: bool
    needs: tuple[str, ...]
    note: str
    source: str
    unverified: bool
    idle: str = ""


def stage_at(row: GateRow, number: int) -> Stage | None:
    """The stage of a gate in the minor ``number``; None before it appears and after it is removed."""
    reached = [(minor_number(minor), stage) for minor, stage in row.stages.items() if minor_number(minor) <= number]
    stage = max(reached)[1] if reached else None
    return None if stage == "removed" else stage


def idle_at(row: GateRow, number: int) -> str:
    """Why a run of the minor ``number`` would be the same with the gate set to the non-default value; empty if it has an effect."""
    return row.idle if in_range(number, since=row.idle_since, until=row.idle_until) else ""


def gates_on(minor: str, settings: Mapping[str, bool]) -> tuple[str, ...]:
    """Names of the gates that are on in ``minor`` with ``settings``, sorted. Raises BadGate.

    Rejected: a gate this version does not have, a locked gate set to the other value, a gate whose non-default value would change
    nothing in a run, a gate without the gates it needs.
    """
    number = minor_number(minor)
    for name, on in sorted(settings.items()):
        _check_setting(name, on, number, settings)
    on_now = tuple(name for name, _ in _known(number) if _is_on(name, number, settings))
    for name in on_now:
        for need in GATES[name].needs:
            if need not in on_now:
                raise BadGate(name, f"needs {need}, which is off")
    return on_now


PHASE_GATE = "PodscopePhaseRules13"
"""The gate, not one of Kubernetes', that makes phase and conditions follow the rules of Kubernetes 1.3."""


def settings_of(text: str) -> dict[str, bool]:
    """Gate settings in the format of the flag ``--feature-gates``: ``Name=true,Other=false``. Raises BadGate for anything else."""
    settings: dict[str, bool] = {}
    for part in filter(None, (piece.strip() for piece in text.replace("\n", ",").split(","))):
        name, equals, value = (word.strip() for word in part.partition("="))
        if not name or not equals or value.lower() not in ("true", "false"):
            raise BadGate(name or part, "must be set as Name=true or Name=false")
        settings[name] = value.lower() == "true"
    return settings


def gates_of(version: Profile | str) -> tuple[GateState, ...]:
    """Every gate of a version (with its defaults) or of a profile (with its settings), by name. O(gates)."""
    if isinstance(version, Profile):
        minor, on = version.minor, version.gates_on
    else:
        minor = minor_of(version)
        on = gates_on(minor, {})
    number = minor_number(minor)
    return tuple(_state(name, stage, name in on, idle_at(GATES[name], number)) for name, stage in _known(number))


def _state(name: str, stage: Stage, on: bool, idle: str) -> GateState:
    row = GATES[name]
    return GateState(
        name=name,
        stage=stage,
        default=stage in _ON_BY_DEFAULT,
        on=on,
        locked=stage == "locked",
        needs=row.needs,
        note=row.note,
        source=row.source,
        unverified=row.unverified,
        idle=idle,
    )


def _known(number: int) -> Iterator[tuple[str, Stage]]:
    for name in sorted(GATES):
        stage = stage_at(GATES[name], number)
        if stage is not None:
            yield name, stage


def _is_on(name: str, number: int, settings: Mapping[str, bool]) -> bool:
    return settings.get(name, stage_at(GATES[name], number) in _ON_BY_DEFAULT)


def _check_setting(name: str, on: bool, number: int, settings: Mapping[str, bool]) -> None:
    row = GATES.get(name)
    if row is None:
        raise BadGate(name, "is not a gate that changes what a run shows")
    stage = stage_at(row, number)
    if stage is None:
        raise BadGate(name, f"does not exist in Kubernetes 1.{number}, but in {_lifetime(row)}")
    if stage == "locked" and not on:
        raise BadGate(name, f"is locked to true in Kubernetes 1.{number}")
    follows = not on and any(settings.get(need) is False for need in row.needs)  # without the gates it needs it cannot stay on
    if on is not (stage in _ON_BY_DEFAULT) and not follows and (why := idle_at(row, number)):
        raise BadGate(name, f"would change nothing in a run: {why}")


def _lifetime(row: GateRow) -> str:
    minors = sorted(row.stages, key=minor_number)
    last = minors[-1]
    return f"{minors[0]} until before {last}" if row.stages[last] == "removed" else f"{minors[0]} and later"
