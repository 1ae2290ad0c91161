"""Moments in the imported text, and the order of what happened within one of its whole seconds."""

from typing import Any

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.model.times import EPOCH_S_MAX, GO_ZERO, parse_time
from simulator.imports.texts import _

Order = tuple[int, int, int]
"""The position among facts in the same second: stage, instance, step."""


class BadMoment(ValueError):
    """A value that is not a time."""


def moment(value: Any) -> Ms | None:
    """Milliseconds since the Unix epoch of an RFC 3339 text, from 1970 to the latest moment of a run; None for no value. Raises BadMoment.

    The epoch itself and Go's zero time also count as no value: a runtime that never started a container reports time 0.
    """
    if value is None or value in ("", GO_ZERO):
        return None
    if not isinstance(value, str):
        raise BadMoment(_("must be a time such as 2026-01-01T12:00:00Z, in quotes"))
    try:
        found = parse_time(value)
    except ValueError:
        found = None
    if found is None:
        raise BadMoment(_("%s is not a time such as 2026-01-01T12:00:00Z") % value[:40])
    if not 0 <= found <= EPOCH_S_MAX * SECOND:
        raise BadMoment(_("%s is not a time between 1970 and 2241") % value[:40])
    return found or None


def placed(facts: list[tuple[Ms, bool, Order]], *, start_ms: Ms, until_ms: Ms) -> list[tuple[int, Ms]]:
    """The positions of ``facts`` (moment, whether it is exact, order) in chronological order, each with a moment.

    Kubernetes writes whole seconds, so facts of one second are spread over the part of it before ``until_ms``, in the
    order in which they must have happened.
    """
    ordered = sorted(range(len(facts)), key=lambda n: (facts[n][0] // SECOND, facts[n][2], facts[n][0]))
    sizes: dict[Ms, int] = {}
    for at_ms, exact, _order in facts:
        if not exact:
            sizes[at_ms // SECOND] = sizes.get(at_ms // SECOND, 0) + 1
    out: list[tuple[int, Ms]] = []
    before, seen = start_ms, dict.fromkeys(sizes, 0)
    for n in ordered:
        at_ms, exact, _order = facts[n]
        second = at_ms // SECOND
        if not exact:
            seen[second] += 1
            room = min(max(until_ms - second * SECOND, 0), SECOND)
            # Evenly, and never on the second itself, where exact moments of others may be.
            at_ms = second * SECOND + room * seen[second] // (sizes[second] + 1)
        before = max(before, at_ms)
        out.append((n, before))
    return out
