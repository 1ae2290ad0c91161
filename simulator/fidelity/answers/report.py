"""How the recorded answers of a file agree with ours, measure by measure: one registry for the kinds of files."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from simulator.fidelity.answers import create as api_create
from simulator.fidelity.answers import defaults as api_defaults
from simulator.fidelity.answers import update as api_update
from simulator.fidelity.answers.outcome import ApiOutcome

_MEASURES = ("code", "reason", "causes", "message")


class Count(Struct, frozen=True):
    """How many of ``total`` agree in one measure."""

    measure: str
    agreed: int
    total: int


class ApiReport(Struct, frozen=True):
    """What came of a file. ``disagreements`` are lines for a reader."""

    name: str
    counts: tuple[Count, ...]
    disagreements: tuple[str, ...]

    def lines(self) -> Iterator[str]:
        """The lines to print."""
        yield self.name
        for count in self.counts:
            share = f" ({100 * count.agreed / count.total:.1f} %)" if count.total else ""
            yield f"  {count.measure} {count.agreed}/{count.total}{share}"
        yield from (f"  {line}" for line in self.disagreements)


def _of_answers(measure: Callable[[Path], list[ApiOutcome]]) -> Callable[[Path], ApiReport]:
    def report(path: Path) -> ApiReport:
        outcomes = measure(path)
        refused = [outcome for outcome in outcomes if outcome.is_rejection]
        accepted = [outcome for outcome in outcomes if not outcome.is_rejection]
        counts = [Count(f"refused: {name}", sum(getattr(item, name) for item in refused), len(refused)) for name in _MEASURES]
        counts.append(Count("accepted", sum(item.code for item in accepted), len(accepted)))
        return ApiReport(path.name, tuple(counts), tuple(line for outcome in outcomes for line in _disagreement(outcome)))

    return report


def _disagreement(outcome: ApiOutcome) -> Iterator[str]:
    other = [name for name in _MEASURES if not getattr(outcome, name)]
    if other:
        yield f"{outcome.case}: other {', '.join(other)}: {outcome.got}"


def _of_defaults(path: Path) -> ApiReport:
    outcomes = api_defaults.measure(path)
    agreed = Count("same in every field", sum(outcome.agrees for outcome in outcomes), len(outcomes))
    differing = tuple(f"{outcome.case}: {', '.join(outcome.differing)}" for outcome in outcomes if not outcome.agrees)
    return ApiReport(path.name, (agreed,), differing)


API_FAMILIES: dict[str, Callable[[Path], ApiReport]] = {
    "create": _of_answers(api_create.measure),
    "update": _of_answers(api_update.measure),
    "defaults": _of_defaults,
}
"""What to do with a file, by its name without the ending."""
