"""Which hint comes next: one that speaks of what is still wrong."""

from collections.abc import Sequence

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.levels.level import Level, LevelHint
from simulator.levels.start import given_acts, start_of
from simulator.scenarios.grading.attempt import AttemptGrader
from simulator.scenarios.grading.grader import CheckVerdict
from simulator.scenarios.grading.patterns import Lineage, RecordPattern

Acts = Sequence[tuple[Ms, str]]


def next_hint(level: Level, records: Sequence[Record], *, now_ms: Ms, told: Sequence[int]) -> int | None:
    """The number of the hint that comes next for a run with these records; None where there is none left. O(records).

    ``told`` are the numbers of those that were given. Raises BadLevel.
    """
    given = given_acts(start_of(level, seed=level.seeds[0]))
    attempt = AttemptGrader(level.checks, given)
    attempt.add(records)
    attempt.reach(now_ms)
    kept = {result.id for result in attempt.result().checks if result.verdict is CheckVerdict.KEPT}
    left = (n for n in range(len(level.hints)) if n not in told)
    return next((n for n in left if _applies(level.hints[n], records, kept, given)), None)


def _applies(hint: LevelHint, records: Sequence[Record], kept: set[str], given: Acts) -> bool:
    if hint.check in kept:
        return False
    has_come = hint.when is None or _occurs(hint.when, records, given)
    return has_come and not (hint.unless is not None and _occurs(hint.unless, records, given))


def _occurs(pattern: RecordPattern, records: Sequence[Record], given: Acts) -> bool:
    lineage = Lineage(given)
    for record in records:
        lineage.add(record)
        if pattern.matches(record, lineage):
            return True
    return False
