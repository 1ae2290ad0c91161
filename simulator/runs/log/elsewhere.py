"""Let other processes do the computing: the web process, which all visitors share, plays nothing itself and leaves that to page workers.

Code that plays a run calls ``plays`` first. If this process leaves that to others, a request that gets that far is passed on to them as a
whole (``web/base/guards.py``), and code outside of requests asks them for the one thing it needs.
"""

from collections.abc import Callable
from typing import Any

Ask = Callable[..., Any]
"""Calls a function in another process; its arguments must be picklable."""
_ask: Ask | None = None


class Elsewhere(Exception):
    """Raised before a computation that this process leaves to others. Nothing has been computed yet."""


def leave_to(ask: Ask | None) -> None:
    """Leave computing to other processes through ``ask`` from now on; None: compute here."""
    global _ask  # one setting per process
    _ask = ask


def plays() -> None:
    """Declare that a run is about to be played. Raises Elsewhere in a process that leaves that to others."""
    if _ask is not None:
        raise Elsewhere


def asked(function: Callable[..., Any], *args: Any) -> Any:
    """Return the function's result, computed by another process if this one leaves that to others. Exceptions pass through."""
    return function(*args) if _ask is None else _ask(function, *args)
