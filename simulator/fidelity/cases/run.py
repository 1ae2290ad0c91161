"""Evaluate cases and summarize the results. If an evaluator raises, its case has failed, and the error is what it "got"."""

from collections.abc import Iterator
from typing import Any

from msgspec import Struct

from simulator.fidelity.cases.families import FAMILIES
from simulator.fidelity.cases.table import Case


class Outcome(Struct, frozen=True):
    """The result of one case."""

    id: str
    passed: bool
    got: Any


class FamilyReport(Struct, frozen=True):
    """The outcomes of a family; None if the engine has no evaluator for it."""

    name: str
    outcomes: tuple[Outcome, ...] | None

    @property
    def failing(self) -> tuple[str, ...]:
        """The ids of the cases that failed."""
        return tuple(outcome.id for outcome in self.outcomes or () if not outcome.passed)

    @property
    def has_failed(self) -> bool:
        """Whether a case failed or there is no evaluator."""
        return self.outcomes is None or bool(self.failing)

    def lines(self) -> Iterator[str]:
        """The lines to print."""
        if self.outcomes is None:
            yield f"{self.name}: not implemented"
            return
        yield f"{self.name} {len(self.outcomes) - len(self.failing)}/{len(self.outcomes)}"
        for case_id in self.failing:
            yield f"  {case_id}"


def run_case(family: str, case: Case) -> Outcome:
    """Evaluate one case of a family that has an evaluator."""
    evaluator = FAMILIES[family]
    try:
        got = evaluator.got(case)
    except Exception as error:  # a case must never stop the report
        return Outcome(case.id, False, f"{type(error).__name__}: {error}")
    return Outcome(case.id, evaluator.agrees(case.expected, got), got)


def run_family(name: str, cases: tuple[Case, ...]) -> FamilyReport:
    """Evaluate every case of a family."""
    if name not in FAMILIES:
        return FamilyReport(name, None)
    return FamilyReport(name, tuple(run_case(name, case) for case in cases))


def as_json(reports: list[FamilyReport]) -> dict[str, dict[str, Any]]:
    """``{family: {id: {"passed", "got"}}}``."""
    return {
        report.name: {outcome.id: {"passed": outcome.passed, "got": outcome.got} for outcome in report.outcomes or ()} for report in reports
    }
