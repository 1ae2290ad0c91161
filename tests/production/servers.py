"""The servers of the fault bench, for tests: where one is not installed, a developer skips and continuous integration fails."""

import os
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from simulator.bench.faults.servers import NotInstalled

REQUIRED = "PODSCOPE_TEST_SERVERS"
"""Set to ``required`` where a missing server fails the tests instead of skipping them: in continuous integration."""


@contextmanager
def where_installed() -> Iterator[None]:
    """Skip the test where a server is not installed, or fail it where servers are required."""
    try:
        yield
    except NotInstalled as error:
        if os.environ.get(REQUIRED) == "required":
            pytest.fail(str(error))
        pytest.skip(str(error))
