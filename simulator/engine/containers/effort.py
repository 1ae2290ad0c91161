"""How much a container may compute within one instant.

Everything a turn does is charged in advance, by lengths and counts alone and never by time, so that the same container ends up
in the same state on every machine. A unit is about a tenth of a microsecond of the slowest thing that costs one.

A turn may use up ``INSTANT`` and is then interrupted: the rest runs a millisecond later. Only a
single call that would cost more than ``SINGLE_MAX`` is refused, because there is no point in the
middle of it at which to stop. A container that uses up several instants in a row counts as busy for good
(``Kernel.SPINS_MAX``); otherwise a run would never get past an endless loop.
"""

STEP = 64
"""Executing one part of a command."""
CHARS = 4
"""How many characters are concatenated from pieces per unit."""
COPIED = 1024
"""How many characters are copied unchanged per unit."""
LINE = 8
"""Looking at one line of a text."""
INSTANT = 6000 * STEP
"""What fits into one millisecond of a container: about 2000 simple commands. The rest runs in a later millisecond."""
SINGLE_MAX = 4 * INSTANT
"""The limit for a single call: a larger one is not begun, and its process counts as busy until it is stopped."""
TEXT_CHARS_MAX = 1 << 20
"""Characters of one text that a shell builds. Beyond that it ends like a shell that is out of memory."""
HELD_CHARS_MAX = 1 << 21
"""Characters that the processes of one container hold together, in variables and pipes."""
WORD_CHARS_MAX = 131_071
"""Characters of an argument or environment variable of a program (MAX_ARG_STRLEN of the kernel, less the closing zero byte)."""


class Exhausted(Exception):
    """Something would cost more than ``SINGLE_MAX``. It has not been started."""


class Meter:
    """What one turn of a container has spent so far."""

    __slots__ = ("spent",)

    def __init__(self) -> None:
        self.spent = 0

    def charge(self, units: int) -> None:
        """Charge for what comes next. Raises Exhausted if that is too much for one turn."""
        self.spent += units
        # Raised before the work begins, so nothing has to be undone.
        if self.spent > SINGLE_MAX:
            raise Exhausted

    @property
    def is_over(self) -> bool:
        """Whether the instant is used up."""
        return self.spent > INSTANT
