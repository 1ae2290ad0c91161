"""What is wrong with a manifest, and where."""

from collections.abc import Iterable
from typing import Any

from msgspec import Struct

ERROR = "error"
WARNING = "warning"
INFO = "info"
PROBLEMS_MAX = 100
"""The most problems that are reported; more would only hide the first ones."""


class Problem(Struct, frozen=True, kw_only=True):
    """One finding. ``line`` and ``column`` count from 1 in the whole text; ``document`` counts documents from 0.

    ``start`` and ``end`` are its characters in the text from 0, or -1 if only the line is known. ``path`` is a field
    path such as ``spec.containers[0].image`` ("" for the whole document), ``code`` a stable short name, ``hint`` what
    to write instead, if that is known; ``why``, ``doc`` and ``filled`` are as in Finding.
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
    """The rest of a text cannot be read; carries the problem that says why."""

    def __init__(self, problem: Problem) -> None:
        super().__init__(problem.message)
        self.problem = problem


def sorted_problems(problems: Iterable[Problem], *, limit: int = PROBLEMS_MAX) -> tuple[Problem, ...]:
    """Problems in the order of the text, without duplicates, errors first at the same position, at most ``limit``.

    If there are too many, the most severe are kept: warnings never hide an error.
    """
    rank = {ERROR: 0, WARNING: 1, INFO: 2}
    # dict.fromkeys drops duplicates and keeps the order.
    ordered = sorted(dict.fromkeys(problems), key=lambda item: (item.line, item.column, rank[item.severity]))
    if len(ordered) > limit:
        kept = sorted(ordered, key=lambda item: rank[item.severity])[:limit]
        ordered = sorted(kept, key=lambda item: (item.line, item.column, rank[item.severity]))
    return tuple(ordered)
