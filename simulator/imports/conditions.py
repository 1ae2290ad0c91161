"""The conditions of a pod over its past: the last change of each is dated, what was before follows from the containers."""

from typing import Any

from msgspec import Struct

from simulator.engine.past import RECORDED
from simulator.engine.units import SECOND, Ms
from simulator.imports.facts import ACCEPTED, BOUND, CONDITIONS, Facts
from simulator.imports.lives import FOLLOWS, Life, Place
from simulator.imports.moments import moment

_READY = ("Ready", "ContainersReady")
_SANDBOX = ("PodReadyToStartContainers", "PodHasNetwork")
_OWN = ("PodScheduled", "Initialized", *_READY, *_SANDBOX)
_UNREADY = "ContainersNotReady"


class Turn(Struct, frozen=True):
    """A condition's status from a moment on."""

    at_ms: Ms
    status: str


def write_conditions(facts: Facts, status: dict[str, Any], *, accepted_ms: Ms | None, ready: list[Turn], now_ms: Ms) -> None:
    """Facts for every condition. ``ready``: since when all containers were ready or not, as far as their instances tell."""
    for position, item in enumerate(status["conditions"]):
        kind, value = item["type"], str(item.get("status") or "Unknown")
        changed = moment(item.get("lastTransitionTime"))
        dated = now_ms if changed is None else changed
        source = f"status.conditions[{position}]"
        for turn in _before(kind, value, dated, accepted_ms, ready):
            _write(
                facts,
                {"type": kind, "status": turn.status, **_why(kind, turn.status, item)},
                turn.at_ms,
                position,
                FOLLOWS,
                source,
                first=turn.at_ms == accepted_ms,
            )
        rule = RECORDED if changed is not None else FOLLOWS
        first = accepted_ms is not None and dated // SECOND == accepted_ms // SECOND and (value == "False" or kind == "Initialized")
        _write(facts, item, dated, position, rule, source, first=first, transition_ms=facts.run_ms(changed))


def _before(kind: str, value: str, dated: Ms, accepted_ms: Ms | None, ready: list[Turn]) -> list[Turn]:
    """What a condition must have said before its last change."""
    if kind not in _OWN or kind == "PodScheduled" or accepted_ms is None:
        return []
    turns: list[Turn] = []
    if kind in _READY:
        turns = [Turn(accepted_ms, "False"), *(turn for turn in ready if accepted_ms < turn.at_ms < dated - SECOND)]
    elif value == "True" and dated > accepted_ms:
        turns = [Turn(accepted_ms, "False")]
    while turns and (turns[-1].status == value or turns[-1].at_ms >= dated):
        if turns[-1].status == value and len(turns) == 1:
            # It was the other way round at some time, or it would have no later change.
            break
        turns.pop()
    if len(turns) == 1 and (turns[0].status == value or turns[0].at_ms >= dated):
        return []
    kept: list[Turn] = []
    for turn in turns:
        if not kept or kept[-1].status != turn.status:
            kept.append(turn)
    return kept


def _why(kind: str, status: str, item: dict[str, Any]) -> dict[str, str]:
    if status == "True" or kind not in _READY:
        return {}
    message = str(item.get("message") or "") if item.get("status") == "False" else ""
    return {"reason": _UNREADY, "message": message}


def _write(
    facts: Facts, item: dict[str, Any], at_ms: Ms, position: int, rule: str, source: str, *, first: bool, transition_ms: Ms | None = None
) -> None:
    kind = item["type"]
    stage = BOUND + 2 if kind == "PodScheduled" else ACCEPTED + 1 if first else CONDITIONS
    facts.add(
        "condition", at_ms, order=(stage, position, 0), name=kind, rule=rule, source=source, status=str(item.get("status") or "Unknown"),
        reason=str(item.get("reason") or ""), message=str(item.get("message") or ""), transition_ms=transition_ms,
    )  # fmt: skip


def readiness(places: list[tuple[Place, tuple[Life, ...]]], *, ready_ms: Ms | None) -> list[Turn]:
    """When all app containers were ready, by their instances; one with a readiness probe counts from ``ready_ms``, if it is ready."""
    changes: list[tuple[Ms, int, int]] = []
    for number, (place, lives) in enumerate(places):
        probed = "readinessProbe" in place.spec or "startupProbe" in place.spec
        for life in lives:
            begin = life.start_ms
            if probed:
                if life is not lives[-1] or ready_ms is None or life.end_ms is not None:
                    continue
                begin = max(begin, ready_ms)
            changes.append((begin, number, 1))
            if life.end_ms is not None:
                changes.append((life.end_ms, number, 0))
    state = [0] * len(places)
    turns: list[Turn] = []
    was = False
    for at_ms, number, value in sorted(changes, key=lambda item: (item[0], item[2])):
        state[number] = value
        now = bool(state) and all(state)
        if now != was:
            turns.append(Turn(at_ms, "True" if now else "False"))
            was = now
    return turns
