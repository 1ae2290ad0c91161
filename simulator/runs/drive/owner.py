"""The states of a run's owner, as a table: what moves one to another, and why.

``RunActor`` holds exactly one of these states and, apart from it, at most one reason to leave. What
used to be flags follows from them: whether the world is at the end of the log (``is_open``),
whether this owner keeps the clock going (``drives``), and what pages read beside the clock
(``note``). actor.py tells how the states are lived through.
"""

from msgspec import Struct


class OwnerState(Struct, frozen=True, kw_only=True):
    """Where an owner stands. ``note`` is the word that the clock carries; pages have a text for each.

    ``is_open``: the world is what the log says, or goes on from there, so it may be written. ``drives``: the owner keeps the clock going
    and signs for it; only such a clock moves for other people. ``is_last``: nothing follows.
    """

    name: str
    about: str
    is_open: bool = False
    drives: bool = False
    note: str = ""
    is_last: bool = False


class OwnerMove(Struct, frozen=True):
    """From ``source``, on ``trigger``, to ``target``, doing ``do``: a method of RunActor, without arguments, that does not wait."""

    source: str
    trigger: str
    target: str
    because: str
    do: str = ""


class Leaving(Struct, frozen=True, kw_only=True):
    """Why an owner lets go at the end of its turn. ``note`` is what pages read of the clock then; ``to_back``: the run queues again."""

    name: str
    about: str
    note: str = "runner"
    to_back: bool = False


OPENING = OwnerState(name="opening", about="Rebuilds the world that the log has reached, and keeps the lease. Acts wait.")
STANDING = OwnerState(
    name="standing",
    about="Takes the world to where the clock has stood, and the acts that waited there; the clock stands meanwhile.",
    is_open=True,
    note="opening",
)
DRIVING = OwnerState(name="driving", about="Keeps the world where the clock is, be it paused or not.", is_open=True, drives=True)
RESTING = OwnerState(
    name="resting",
    about="The clock stands although nobody paused it: nothing that anybody would see happens by itself any more.",
    is_open=True,
    drives=True,
    note="resting",
)
ENDED = OwnerState(name="ended", about="The run is closed for good: a limit is met, or the engine failed.")
LEFT = OwnerState(name="left", about="The lease is given back. Another owner may have the run already.", is_last=True)

STATES = {state.name: state for state in (OPENING, STANDING, DRIVING, RESTING, ENDED, LEFT)}

MOVES = (
    OwnerMove("opening", "opened", "standing", "the world is the one that is stored", "_look_at_once"),
    OwnerMove("standing", "started", "driving", "the world is where the clock stood, and the row says that it goes"),
    OwnerMove("driving", "nothing_follows", "resting", "a look ahead found nothing that anybody would see"),
    OwnerMove("resting", "act_waits", "driving", "an act sets a resting clock going"),
    *(OwnerMove(name, "clock_moved", "driving", "somebody moved the clock") for name in ("driving", "resting")),
    *(OwnerMove(name, "clock_rests", "resting", "the clock as it is stored rests") for name in ("driving", "resting")),
    *(
        OwnerMove(name, "silent", "standing", "this process was frozen for longer than others believe in a clock", "_excuse_silence")
        for name in ("driving", "resting")
    ),
    *(OwnerMove(name, "closed", "ended", "the run can go no further") for name in ("opening", "standing", "driving", "resting", "ended")),
    *(OwnerMove(name, "released", "left", "the row names no owner any more") for name in STATES if name != "left"),
)

_MOVES = {(move.source, move.trigger): move for move in MOVES}

UNWATCHED = Leaving(name="unwatched", about="Nobody has looked at the run for a while.", note="unwatched")
GIVES_WAY = Leaving(name="gives_way", about="Others are to have the place.", note="queue", to_back=True)
MOVES_ON = Leaving(name="moves_on", about="Another runner is to have the run, where it goes on at once.", note="opening")
STOPPED = Leaving(name="stopped", about="The process ends.")
COMPLETE = Leaving(name="complete", about="The run is behind a link, and its log is whole: nothing will ever happen to it.")

LEAVINGS = (UNWATCHED, GIVES_WAY, MOVES_ON, STOPPED, COMPLETE)
"""The weightiest first: of two reasons pages are told the one that would keep the run from going on elsewhere."""


def moved(state: OwnerState, trigger: str) -> OwnerMove:
    """What the trigger does to an owner in that state. Raises KeyError where the table has no such move: the caller is wrong."""
    return _MOVES[state.name, trigger]


def weightier(one: Leaving | None, other: Leaving) -> Leaving:
    """Which of two reasons to leave counts."""
    return other if one is None else min(one, other, key=LEAVINGS.index)
