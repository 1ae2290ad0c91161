"""The known survivors, and the summary that is printed."""

from collections.abc import Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from pathlib import Path

from msgspec import Struct

from simulator.bench.mutate.trial import ROOT, MutantVerdict

KEPT = ROOT / "tests" / "engine" / "mutants_unnoticed.txt"
"""One line per mutant (``*`` stands for any text): its name, a colon, why nobody can notice it."""


class BadKeptLine(ValueError):
    """A line of the kept file that is not a name with a reason."""


class KeptOutcome(Struct, frozen=True, kw_only=True):
    """Survivors that no line of the kept file names, and lines that name no survivor."""

    new: tuple[str, ...]
    stale: tuple[str, ...]


def read_kept(path: Path = KEPT) -> dict[str, str]:
    """Reason by name or pattern; comments begin with ``#``. Raises BadLine."""
    kept: dict[str, str] = {}
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if not line.strip() or line.startswith("#"):
            continue
        name, colon, reason = line.partition(": ")
        if not colon or not reason.strip() or name in kept:
            raise BadKeptLine(f"{path.name}, line {number}: give a mutant once, a colon and the reason")
        kept[name.strip()] = reason.strip()
    return kept


def compared(verdicts: Iterable[MutantVerdict], kept: Iterable[str]) -> KeptOutcome:
    """Compare the verdicts with the names and patterns that are kept."""
    patterns = list(kept)
    unnoticed = [verdict.mutant for verdict in verdicts if not verdict.by]
    new = [name for name in unnoticed if not any(is_named(name, pattern) for pattern in patterns)]
    stale = [pattern for pattern in patterns if not any(is_named(name, pattern) for name in unnoticed)]
    return KeptOutcome(new=tuple(new), stale=tuple(stale))


def report(verdicts: Sequence[MutantVerdict], outcome: KeptOutcome) -> Iterator[str]:
    """Lines to print: survivors that are not kept, lines that are kept without need, and a summary by kind."""
    of_name = {verdict.mutant: verdict for verdict in verdicts}
    for name in outcome.new:
        where = f", {of_name[name].where}" if of_name[name].where else ""
        yield f"unnoticed  {name}  ({of_name[name].asked} tests could{where})"
    yield from (f"stale      {pattern}: no unnoticed mutant has this name" for pattern in outcome.stale)
    for kind in dict.fromkeys(verdict.mutant.split()[0] for verdict in verdicts):
        of_kind = [verdict for verdict in verdicts if verdict.mutant.startswith(f"{kind} ")]
        yield f"{kind:10} {_sum(of_kind, sum(1 for name in outcome.new if name.startswith(f'{kind} ')))}"
    yield f"{'all':10} {_sum(verdicts, len(outcome.new))}: {_share(verdicts)} % noticed"
    reached = [verdict for verdict in verdicts if verdict.asked]
    if len(reached) < len(verdicts):
        yield f"{'reached':10} {len(reached)} of {len(verdicts)} by some test, of these {_share(reached)} % noticed"


def _sum(verdicts: Sequence[MutantVerdict], new: int) -> str:
    noticed = sum(1 for verdict in verdicts if verdict.by)
    return f"{noticed} of {len(verdicts)} noticed, {len(verdicts) - noticed - new} unnoticed with a reason, {new} without"


def _share(verdicts: Sequence[MutantVerdict]) -> int:
    """How many are noticed, in whole percent, never rounded up; those kept with a reason count as unnoticed."""
    return 100 * sum(1 for verdict in verdicts if verdict.by) // max(1, len(verdicts))


def is_named(name: str, pattern: str) -> bool:
    """Whether a pattern, in which ``*`` stands for any text, matches the mutant."""
    return pattern == name or fnmatchcase(name, pattern.replace("[", "[[]"))
