"""What a process leaves to others: the web process of a site, which all visitors share, plays nothing and asks page workers to.

Whatever plays a run says so first. Where that is left to others, a request that came so far goes to them as a whole
(``web/base/guards.py``), and whoever is no request asks for the one thing that is missing.
"""

from collections.abc import Callable
from typing import Any

Ask = Callable[..., Any]
"""Has others call a function with its arguments, all of which can be pickled."""
_ask: Ask | None = None


class Elsewhere(Exception):
    """This has to be computed, which this process leaves to others. Nothing of it has been computed."""


def leave_to(ask: Ask | None) -> None:
    """From now on this process has others compute; None: it does so itself."""
    global _ask  # a process has one way
    _ask = ask


def plays() -> None:
    """From here on a run is played. Raises Elsewhere in a process that leaves that to others."""
    if _ask is not None:
        raise Elsewhere


def asked(function: Callable[..., Any], *args: Any) -> Any:
    """What the function gives: computed by others where this process leaves it to them, else here. Whatever it raises comes through."""
    return function(*args) if _ask is None else _ask(function, *args)
