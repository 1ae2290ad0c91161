"""The grace ledger: what used up a container's grace period, read from the records of its stop."""

from collections.abc import Sequence

from msgspec import Struct

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.units import SECOND, Ms, Seq, Subject

_WHO = {"pre_stop": "hook", "turn": "turn", "term": "term", "killed": "kill"}
EXTRA_RULES = ("STOP-HOOK-OVERRUN", "STOP-TURN-OVERRUN")
"""Rules that grant the minimum of two seconds when the grace period is already used up."""
AGAIN_RULES = ("STOP-TERM-AGAIN", "STOP-OVERRUN-AGAIN")
"""Rules by which the time after the stop signal counts from the end of the hook."""


class LedgerEntry(Struct, frozen=True, gc=False):
    """One entry. ``who``: hook, turn (a sidecar waits), term, extra (the minimum after the grace period), again (a grace period that
    counts from the end of the hook, until 1.27) or kill.

    ``end_ms`` None: still going on. ``seq`` is the record that began it.
    """

    who: str
    begin_ms: Ms
    end_ms: Ms | None
    signal: str
    seq: Seq


class Ledger(Struct, frozen=True):
    """The newest stop of a container up to a moment. ``ended_ms`` None: the container has not ended yet."""

    began_ms: Ms
    grace_ms: Ms
    ended_ms: Ms | None
    exit_code: int | None
    entries: tuple[LedgerEntry, ...]


def ledger(records: Sequence[Record], subject: Subject) -> Ledger | None:
    """What used up the grace period of the container's newest stop among ``records``; None if it was never stopped. O(records)."""
    steps = _newest_stop([record for record in records if record.subject == subject and record.machine == "stop"])
    if not steps:
        return None
    last = steps[-1]
    ended = last if last.target == "stopped" else None
    entries = tuple(
        _entry(step, steps[position + 1].at_ms if position + 1 < len(steps) else None)
        for position, step in enumerate(steps)
        if step.target in _WHO
    )
    code = ended.get("exit_code") if ended is not None else None
    return Ledger(
        began_ms=steps[0].at_ms,
        grace_ms=_grace_ms(steps[0], records),
        ended_ms=ended.at_ms if ended is not None else None,
        exit_code=code if isinstance(code, int) else None,
        entries=entries,
    )


def _newest_stop(steps: list[Record]) -> list[Record]:
    """The records from the last step that left ``alive`` on."""
    starts = [position for position, step in enumerate(steps) if step.source == "alive"]
    return steps[starts[-1] :] if starts else []


def _entry(step: Record, end_ms: Ms | None) -> LedgerEntry:
    who = "extra" if step.rule in EXTRA_RULES else "again" if step.rule in AGAIN_RULES else _WHO[step.target]
    return LedgerEntry(who, step.at_ms, end_ms, str(step.get("signal") or ""), step.seq)


def _grace_ms(first: Record, records: Sequence[Record]) -> Ms:
    """The grace period the stop began with: what its cause, the request, says; otherwise the seconds of its first step."""
    # Records are in order and begin at seq 1.
    if 0 < first.cause <= len(records):
        asked = records[first.cause - 1].get("grace_ms")
        if isinstance(asked, int):
            return asked
    for name in ("grace_s", "left_s"):
        seconds = first.get(name)
        if isinstance(seconds, int):
            return seconds * SECOND
    return 0
