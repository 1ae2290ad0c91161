"""``results.json``, version 3, as written by Exercism's test runners: one test per check, or one per play."""

from collections.abc import Sequence
from typing import Literal

from msgspec import Struct

TestStatus = Literal["pass", "fail", "error"]


class TestRow(Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One test. ``message`` says why it failed, ``output`` is any further text."""

    name: str
    status: TestStatus
    message: str | None = None
    output: str | None = None
    test_code: str | None = None


class Results(Struct, frozen=True, kw_only=True):
    """The whole file."""

    version: int
    status: TestStatus
    message: str | None
    tests: tuple[TestRow, ...]


def results_of(tests: Sequence[TestRow], *, message: str | None = None) -> Results:
    """The file for these tests; ``message`` is for when there are none because something went wrong before."""
    wrong: TestStatus = "error" if message is not None else "fail"
    status: TestStatus = "pass" if tests and message is None and all(test.status == "pass" for test in tests) else wrong
    return Results(version=3, status=status, message=message, tests=tuple(tests))
