"""What a container may compute within one instant.

Everything a turn does is paid for beforehand, by lengths and counts alone and never by time, so that the same container comes to
the same end on every machine. A unit is about a tenth of a microsecond of the slowest thing that costs one.

A turn may fill ``INSTANT`` and is then broken off: what is left comes a millisecond later. Only a
single call that would cost more than ``SINGLE_MAX`` is refused, because there is no place in the
middle of it to stop at. A container that fills several instants in a row counts as busy for good
(``Kernel.SPINS_MAX``); a run would otherwise never get past an endless loop.
"""

STEP = 64
"""Carrying out one part of a command."""
CHARS = 4
"""So many characters are put together from pieces for one unit."""
COPIED = 1024
"""So many characters are copied as they are for one unit."""
LINE = 8
"""Looking at one line of a text."""
INSTANT = 6000 * STEP
"""What fits into one millisecond of a container: about 2000 simple commands. The rest goes on in a later millisecond."""
SINGLE_MAX = 4 * INSTANT
"""What no single call may cost: it is not begun, and its process counts as busy until it is stopped."""
TEXT_CHARS_MAX = 1 << 20
"""Characters of one text that a shell builds. It then ends as a shell does that gets no more memory."""
HELD_CHARS_MAX = 1 << 21
"""Characters that the processes of one container hold together, in variables and pipes."""
WORD_CHARS_MAX = 131_071
"""Characters of an argument or environment variable of a program (MAX_ARG_STRLEN of the kernel, less the closing zero byte)."""


class Exhausted(Exception):
    """Something would cost more than ``SINGLE_MAX``. It has not been begun."""


class Meter:
    """What one turn of a container has spent so far."""

    __slots__ = ("spent",)

    def __init__(self) -> None:
        self.spent = 0

    def charge(self, units: int) -> None:
        """Pay for what comes next. Raises Exhausted where that is too much for one turn."""
        self.spent += units
        # Raised before the work begins, so nothing has to be undone.
        if self.spent > SINGLE_MAX:
            raise Exhausted

    @property
    def is_over(self) -> bool:
        """Whether the instant's worth is spent."""
        return self.spent > INSTANT
