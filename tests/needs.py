"""What tests need besides Python: without it, the tests are skipped with a note on a developer's machine; continuous integration fails."""

import os
from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager

import pytest

from simulator.bench.browser.report import NO_CHROMIUM, chromium_path
from simulator.bench.faults.servers import NotInstalled

TESTS = "PODSCOPE_TESTS"
"""Set to ``all`` if anything missing must fail the tests instead of skipping them: in continuous integration."""
LEFT_OUT = "left out: "
"""The start of the skip reason of a test for which something is missing."""


def leaves_nothing_out() -> bool:
    """Whether every test must run."""
    return os.environ.get(TESTS) == "all"


@contextmanager
def where_installed() -> Iterator[None]:
    """Skip the test if a server is not installed, or fail if every test must run."""
    try:
        yield
    except NotInstalled as error:
        if leaves_nothing_out():
            pytest.fail(str(error))
        pytest.skip(f"{LEFT_OUT}{error}")


def without_browser() -> pytest.MarkDecorator | None:
    """The mark that skips a browser test; None if there is a browser, or must be one."""
    if chromium_path() or leaves_nothing_out():
        return None
    return pytest.mark.skip(reason=f"{LEFT_OUT}{NO_CHROMIUM}")


def left_out_lines(reasons: Iterable[str]) -> Iterator[str]:
    """A line for each missing thing, from the reasons of all skipped tests: how many were skipped, and how to install it."""
    counts = Counter(reason.partition(LEFT_OUT)[2] for reason in reasons if LEFT_OUT in reason)
    for missing, count in sorted(counts.items()):
        yield f"Left out {count} {'test' if count == 1 else 'tests'}: {missing}"
