"""Choose the next hint: one about something that is still wrong.

A hint may wait for a record (``when``), so that it refers to something the learner has seen. If it is requested too early, there is no hint
yet, which is not the same as none left.
"""

from collections.abc import Iterator, Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import Ms
from simulator.levels.level import Level, LevelHint
from simulator.levels.start import given_acts, start_of
from simulator.scenarios.grading.attempt import AttemptGrader
from simulator.scenarios.grading.grader import CheckVerdict
from simulator.scenarios.grading.patterns import Lineage, RecordPattern

Acts = Sequence[tuple[Ms, str]]


class NextHint(Struct, frozen=True):
    """The number of the hint in its level, or None. ``is_early``: none fits yet, but one may later in the run."""

    n: int | None
    is_early: bool = False


def next_hint(level: Level, records: Sequence[Record], *, now_ms: Ms, told: Sequence[int]) -> NextHint:
    """The next hint for a run with these records. O(records).

    ``told`` are the numbers of hints already given. Raises BadLevel.
    """
    given = given_acts(start_of(level, seed=level.seeds[0]))
    left = list(_left(level, records, now_ms, told, given))
    fitting = (n for n in left if _has_come(level.hints[n], records, given))
    n = next(fitting, None)
    return NextHint(n, is_early=n is None and any(_may_come(level.hints[each], records, given) for each in left))


def _left(level: Level, records: Sequence[Record], now_ms: Ms, told: Sequence[int], given: Acts) -> Iterator[int]:
    """Hints that have not been given and whose check is not kept."""
    attempt = AttemptGrader(level.checks, given)
    attempt.add(records)
    attempt.reach(now_ms)
    kept = {result.id for result in attempt.result().checks if result.verdict is CheckVerdict.KEPT}
    return (n for n, hint in enumerate(level.hints) if n not in told and hint.check not in kept)


def _has_come(hint: LevelHint, records: Sequence[Record], given: Acts) -> bool:
    return (hint.when is None or _occurs(hint.when, records, given)) and _may_come(hint, records, given)


def _may_come(hint: LevelHint, records: Sequence[Record], given: Acts) -> bool:
    # A record that makes a hint unnecessary stays in the log.
    return hint.unless is None or not _occurs(hint.unless, records, given)


def _occurs(pattern: RecordPattern, records: Sequence[Record], given: Acts) -> bool:
    lineage = Lineage(given)
    for record in records:
        lineage.add(record)
        if pattern.matches(record, lineage):
            return True
    return False
