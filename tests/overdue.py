"""One thread per test process, which ends the process when a test takes too long.

pytest-timeout would start a thread for each test and wait until it has ended. On busy cores both wait for the GIL and to be scheduled:
20,000 times, and for longer than most of the tests take.
"""

import threading
from collections.abc import Callable
from time import monotonic, sleep

import pytest
from pytest_timeout import Settings, timeout_timer

LOOKS_EVERY_S = 1.0

End = Callable[[pytest.Item, Settings], object]
"""Prints the stacks of all threads, and ends the process."""


class Overdue:
    """The current test, and its deadline."""

    def __init__(self, clock: Callable[[], float] = monotonic, end: End = timeout_timer) -> None:
        self._clock, self._end = clock, end
        self._expected: tuple[float, pytest.Item, Settings] | None = None
        self._thread: threading.Thread | None = None

    def expect(self, item: pytest.Item, settings: Settings) -> None:
        """From now on the test has ``settings.timeout`` seconds."""
        self._expected = (self._clock() + settings.timeout, item, settings)

    def forget(self) -> None:
        """The test has ended."""
        self._expected = None

    def look(self) -> None:
        """End the process if the test has taken too long."""
        expected = self._expected
        if expected is not None and self._clock() >= expected[0]:
            self._end(*expected[1:])

    @property
    def is_looking(self) -> bool:
        """Whether the thread runs in this process."""
        return self._thread is not None and self._thread.is_alive()

    def start(self) -> None:
        """Check every second, in a thread, until this process ends. A forked process has no such thread: it starts its own."""
        if not self.is_looking:
            self._thread = threading.Thread(target=self._keep_looking, name="overdue", daemon=True)
            self._thread.start()

    def _keep_looking(self) -> None:
        while True:
            sleep(LOOKS_EVERY_S)
            self.look()


OVERDUE = Overdue()
"""The instance of this process."""
