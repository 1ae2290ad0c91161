"""How far the recorded answers in a file agree with ours, by measure: one registry for all kinds of files."""

from collections.abc import Callable, Iterator
from pathlib import Path

from msgspec import Struct

from simulator.fidelity.answers import create as api_create
from simulator.fidelity.answers import defaults as api_defaults
from simulator.fidelity.answers import update as api_update
from simulator.fidelity.answers.outcome import ApiOutcome

_MEASURES = ("code", "reason", "causes", "message")


class AgreedCount(Struct, frozen=True):
    """How many of ``total`` agree in one measure."""

    measure: str
    agreed: int
    total: int


class ApiReport(Struct, frozen=True):
    """The result for a file. ``disagreements`` are lines for a reader; ``left_out`` are cases whose request is not in the
    file; ``scores`` summarize the individual ``counts``."""

    name: str
    counts: tuple[AgreedCount, ...]
    disagreements: tuple[str, ...]
    left_out: tuple[str, ...] = ()
    scores: tuple[AgreedCount, ...] = ()

    def lines(self) -> Iterator[str]:
        """The lines to print."""
        yield self.name
        for count in self.counts:
            share = f" ({100 * count.agreed / count.total:.1f} %)" if count.total else ""
            yield f"  {count.measure} {count.agreed}/{count.total}{share}"
        yield from (f"  {line}" for line in self.disagreements)
        if self.left_out:
            yield f"  left out {len(self.left_out)}, whose request the file does not hold: {', '.join(self.left_out)}"


def _of_creates(path: Path) -> ApiReport:
    return _of_answers(path.name, api_create.measure(path))


def _of_updates(path: Path) -> ApiReport:
    measured = api_update.measure(path)
    return _of_answers(path.name, measured.outcomes, tuple(measured.left_out))


def _of_answers(name: str, outcomes: list[ApiOutcome], left_out: tuple[str, ...] = ()) -> ApiReport:
    refused = [outcome for outcome in outcomes if outcome.is_rejection]
    accepted = [outcome for outcome in outcomes if not outcome.is_rejection]
    counts = [AgreedCount(f"refused: {measure}", sum(getattr(item, measure) for item in refused), len(refused)) for measure in _MEASURES]
    counts.append(AgreedCount("accepted", sum(item.code for item in accepted), len(accepted)))
    scores = (
        AgreedCount("code, reason and causes", sum(item.agrees for item in outcomes), len(outcomes)),
        AgreedCount("exact text", sum(item.agrees and item.message for item in outcomes), len(outcomes)),
    )
    return ApiReport(name, tuple(counts), tuple(line for outcome in outcomes for line in _disagreement(outcome)), left_out, scores)


def _disagreement(outcome: ApiOutcome) -> Iterator[str]:
    other = [name for name in _MEASURES if not getattr(outcome, name)]
    if other:
        yield f"{outcome.case}: other {', '.join(other)}: {outcome.got}"


def _of_defaults(path: Path) -> ApiReport:
    outcomes = api_defaults.measure(path)
    agreed = AgreedCount("same in every field", sum(outcome.agrees for outcome in outcomes), len(outcomes))
    differing = tuple(f"{outcome.case}: {', '.join(outcome.differing)}" for outcome in outcomes if not outcome.agrees)
    return ApiReport(path.name, (agreed,), differing, scores=(AgreedCount("every field", agreed.agreed, agreed.total),))


API_FAMILIES: dict[str, Callable[[Path], ApiReport]] = {
    "create": _of_creates,
    "update": _of_updates,
    "defaults": _of_defaults,
}
"""How to measure a file, by its name without the extension."""
