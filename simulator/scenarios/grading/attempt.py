"""All checks of an attempt, applied to the records of one run."""

from collections.abc import Iterable, Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.scenarios.grading.check import Check
from simulator.scenarios.grading.grader import CheckGrader, CheckResult, CheckVerdict
from simulator.scenarios.grading.patterns import Lineage


class AttemptResult(Struct, frozen=True, kw_only=True):
    """The result of every check, in the level's order."""

    checks: tuple[CheckResult, ...]

    @property
    def passed(self) -> bool:
        """Whether every check was kept."""
        return all(check.verdict is CheckVerdict.KEPT for check in self.checks)

    @property
    def missed(self) -> tuple[CheckResult, ...]:
        """The checks that were decided and not kept."""
        return tuple(check for check in self.checks if check.verdict not in (CheckVerdict.OPEN, CheckVerdict.KEPT))

    @property
    def first_missed(self) -> CheckResult | None:
        """The check that failed first; if two failed at the same instant, the one listed first."""
        return min(self.missed, key=lambda check: check.at_ms or 0, default=None)

    def points(self, checks: Iterable[Check]) -> int:
        """The points of the checks that were kept."""
        worth = {check.id: check.points for check in checks}
        return sum(worth[check.id] for check in self.checks if check.verdict is CheckVerdict.KEPT)


class AttemptGrader:
    """Grades a run while it plays. Add every record from the first one on; O(checks) per record. ``given``: see Lineage."""

    def __init__(self, checks: Iterable[Check], given: Iterable[tuple[Ms, str]] = ()) -> None:
        self.lineage = Lineage(given)
        self.graders = [CheckGrader(check) for check in checks]

    def fork(self) -> "AttemptGrader":
        """An independent copy that has seen the same records. O(records), without evaluating any."""
        twin = AttemptGrader(())
        twin.lineage, twin.graders = self.lineage.fork(), [grader.fork() for grader in self.graders]
        return twin

    @property
    def is_settled(self) -> bool:
        """Whether no later record can change any result, including the nearest misses."""
        return all(grader.is_settled for grader in self.graders)

    def add(self, records: Iterable[Record]) -> None:
        """Add the next records."""
        for record in records:
            self.lineage.add(record)
            for grader in self.graders:
                grader.add(record, self.lineage)

    def reach(self, now_ms: Ms) -> None:
        """Every record up to ``now_ms`` has been added."""
        for grader in self.graders:
            grader.reach(now_ms)

    def finish(self, end_ms: Ms) -> AttemptResult:
        """The attempt ends at ``end_ms``."""
        for grader in self.graders:
            grader.finish(end_ms)
        return self.result()

    def result(self) -> AttemptResult:
        """The current state of every check."""
        return AttemptResult(checks=tuple(grader.result() for grader in self.graders))

    @property
    def is_decided(self) -> bool:
        """Whether no check is open any more."""
        return all(grader.verdict is not CheckVerdict.OPEN for grader in self.graders)


def grade(checks: Iterable[Check], records: Sequence[Record], *, end_ms: Ms, given: Iterable[tuple[Ms, str]] = ()) -> AttemptResult:
    """The results of the checks for a complete log of a run that ends at ``end_ms``. ``given``: see Lineage."""
    attempt = AttemptGrader(checks, given)
    attempt.add(record for record in records if record.at_ms <= end_ms)
    return attempt.finish(end_ms)
