"""The states of a run's owner, as a table: what moves one to another, and why.

``RunActor`` holds exactly one of these states and, separately, at most one reason to leave.
Everything else follows from them: whether the world has reached the end of the log (``is_open``),
whether this owner keeps the clock going (``drives``), and what pages show next to the clock
(``note``). actor.py explains what happens in each state.
"""

from msgspec import Struct


class OwnerState(Struct, frozen=True, kw_only=True):
    """A state of an owner. ``note`` is the code sent with the clock; pages have a text for each.

    ``is_open``: the world agrees with the log or continues from its end, so it may be written. ``drives``: the owner keeps the clock going
    and sends signs of life; only then does the clock move for other people. ``is_last``: no state follows.
    """

    name: str
    about: str
    is_open: bool = False
    drives: bool = False
    note: str = ""
    is_last: bool = False


class OwnerMove(Struct, frozen=True):
    """A transition from ``source`` to ``target`` on ``trigger``. ``do`` names a method of RunActor, neither async nor with arguments."""

    source: str
    trigger: str
    target: str
    because: str
    do: str = ""


class Leaving(Struct, frozen=True, kw_only=True):
    """Why an owner releases its run at the end of a turn. ``note`` is then sent with the clock; ``to_back``: the run queues again."""

    name: str
    about: str
    note: str = "runner"
    to_back: bool = False


OPENING = OwnerState(name="opening", about="Rebuilds the world at the end of the log, and keeps the lease. Acts wait.")
STANDING = OwnerState(
    name="standing",
    about="Computes up to where the clock stands and carries out the acts that waited there; the clock does not move meanwhile.",
    is_open=True,
    note="opening",
)
DRIVING = OwnerState(name="driving", about="Keeps the world up with the clock, whether it is paused or not.", is_open=True, drives=True)
RESTING = OwnerState(
    name="resting",
    about="The clock stands although nobody paused it: nothing visible will happen by itself any more.",
    is_open=True,
    drives=True,
    note="resting",
)
ENDED = OwnerState(name="ended", about="The run is closed permanently: it reached a limit, or the engine failed.")
LEFT = OwnerState(name="left", about="The lease is given back. Another owner may have the run already.", is_last=True)

STATES = {state.name: state for state in (OPENING, STANDING, DRIVING, RESTING, ENDED, LEFT)}

MOVES = (
    OwnerMove("opening", "opened", "standing", "the world is the one that was stored", "_look_at_once"),
    OwnerMove("standing", "started", "driving", "the world is where the clock stood, and the row says that the clock is going"),
    OwnerMove("driving", "nothing_follows", "resting", "a look ahead found nothing visible"),
    OwnerMove("resting", "act_waits", "driving", "an act sets a resting clock going"),
    *(OwnerMove(name, "clock_moved", "driving", "somebody moved the clock") for name in ("driving", "resting")),
    *(OwnerMove(name, "clock_rests", "resting", "the stored clock rests") for name in ("driving", "resting")),
    *(
        OwnerMove(name, "silent", "standing", "this process was silent for longer than others trust a clock", "_excuse_silence")
        for name in ("driving", "resting")
    ),
    *(OwnerMove(name, "closed", "ended", "the run can go no further") for name in ("opening", "standing", "driving", "resting", "ended")),
    *(OwnerMove(name, "released", "left", "the row names no owner any more") for name in STATES if name != "left"),
)

_MOVES = {(move.source, move.trigger): move for move in MOVES}

UNWATCHED = Leaving(name="unwatched", about="Nobody has looked at the run for a while.", note="unwatched")
GIVES_WAY = Leaving(name="gives_way", about="Other runs need the place.", note="queue", to_back=True)
MOVES_ON = Leaving(name="moves_on", about="Another runner is to have the run, where it continues at once.", note="opening")
STOPPED = Leaving(name="stopped", about="The process ends.")
COMPLETE = Leaving(name="complete", about="The run is behind a link and its log is complete: nothing will ever happen to it.")

LEAVINGS = (UNWATCHED, GIVES_WAY, MOVES_ON, STOPPED, COMPLETE)
"""In order of precedence: of two reasons, pages are told the one that would keep the run from continuing elsewhere."""


def moved(state: OwnerState, trigger: str) -> OwnerMove:
    """The transition on ``trigger`` from ``state``. Raises KeyError if the table has none, which is a bug in the caller."""
    return _MOVES[state.name, trigger]


def overriding(one: Leaving | None, other: Leaving) -> Leaving:
    """The reason to leave that takes precedence."""
    return other if one is None else min(one, other, key=LEAVINGS.index)
