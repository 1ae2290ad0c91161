"""Signal numbers of Linux and what they do to a process that has no handler."""

NUMBERS = {
    "HUP": 1, "INT": 2, "QUIT": 3, "ILL": 4, "TRAP": 5, "ABRT": 6, "BUS": 7, "FPE": 8, "KILL": 9, "USR1": 10, "SEGV": 11, "USR2": 12,
    "PIPE": 13, "ALRM": 14, "TERM": 15, "STKFLT": 16, "CHLD": 17, "CONT": 18, "STOP": 19, "TSTP": 20, "TTIN": 21, "TTOU": 22, "URG": 23,
    "XCPU": 24, "XFSZ": 25, "VTALRM": 26, "PROF": 27, "WINCH": 28, "IO": 29, "PWR": 30, "SYS": 31,
}  # fmt: skip
NAMES = {number: name for name, number in NUMBERS.items()}
INT, QUIT, KILL, TERM = 2, 3, 9, 15
HARMLESS = (17, 18, 19, 20, 21, 22, 23, 28)
"""Signals that are ignored by default. Stopping is not modelled: 19 … 22 do nothing either."""


def signal_number(text: str) -> int | None:
    """Number of ``TERM``, ``SIGTERM`` or ``15``; 0 for ``EXIT``; None if there is no such signal."""
    if text.isdecimal():
        return int(text) if int(text) <= 64 else None
    name = text.upper().removeprefix("SIG")
    return 0 if name == "EXIT" else NUMBERS.get(name)
