"""What is wrong with a manifest, and where."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

ERROR = "error"
WARNING = "warning"
INFO = "info"
PROBLEMS_MAX = 100
"""The number of problems that are reported at most; more would only hide the first."""


class Problem(Struct, frozen=True, kw_only=True):
    """One finding. ``line`` and ``column`` count from 1 in the whole text; ``document`` counts documents from 0.

    ``start`` and ``end`` are its characters in the text from 0, -1 where only the line is known.
    ``path`` is a field path such as ``spec.containers[0].image`` ("" for the whole document), ``code`` a stable short name,
    ``hint`` what to write instead, where that is known; ``why``, ``doc`` and ``filled`` as in Finding.
    """

    severity: str
    message: str
    code: str
    line: int
    column: int = 1
    document: int = 0
    path: str = ""
    hint: str = ""
    start: int = -1
    end: int = -1
    why: str = ""
    doc: str = ""
    filled: tuple[tuple[str, Any], ...] = ()


class Rejected(Exception):
    """A text that cannot be read any further; carries the problem that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def sorted_problems(problems: Iterable[Problem], *, limit: int = PROBLEMS_MAX) -> tuple[Problem, ...]:
    """Problems in the order of the text, without repetitions, errors first where two share a place, at most ``limit``.

    Of too many the worst are kept: warnings never hide an error.
    """
    rank = {ERROR: 0, WARNING: 1, INFO: 2}
    # dict.fromkeys drops repetitions and keeps the order.
    ordered = sorted(dict.fromkeys(problems), key=lambda item: (item.line, item.column, rank[item.severity]))
    if len(ordered) > limit:
        kept = sorted(ordered, key=lambda item: rank[item.severity])[:limit]
        ordered = sorted(kept, key=lambda item: (item.line, item.column, rank[item.severity]))
    return tuple(ordered)
