"""The conditions of a pod over its past: the last change of each is dated, and earlier ones follow from the containers.

Only the last change of a condition has a date. Its earlier status follows: False from the kubelet's acceptance on, then
what the containers' readiness makes of it, up to the change. A change that the text shows must really have been one, so
if nothing explains it the opposite status is assumed a second earlier.
"""

from typing import Any

from simulator.engine.kernel.units import SECOND, Ms
from simulator.engine.past.document import RECORDED
from simulator.imports.facts import ACCEPTED, BOUND, CONDITIONS, FactList
from simulator.imports.lives import FOLLOWS
from simulator.imports.moments import moment
from simulator.imports.readiness import StatusTurn

_READY = ("Ready", "ContainersReady")
_SANDBOX = ("PodReadyToStartContainers", "PodHasNetwork")
_OWN = ("PodScheduled", "Initialized", *_READY, *_SANDBOX)
_PUBLISHED_MS: Ms = 3 * SECOND
_UNREADY = "ContainersNotReady"


def write_conditions(facts: FactList, status: dict[str, Any], *, accepted_ms: Ms | None, ready: list[StatusTurn], now_ms: Ms) -> None:
    """Add the facts for every condition. ``ready``: when all containers were ready or not, as far as their instances show."""
    for position, item in enumerate(status["conditions"]):
        kind, value = item["type"], str(item.get("status") or "Unknown")
        changed = moment(item.get("lastTransitionTime"))
        dated = now_ms if changed is None else changed
        source = f"status.conditions[{position}]"
        for n, turn in enumerate(_before(kind, value, dated, accepted_ms, ready)):
            _write(
                facts,
                {"type": kind, "status": turn.status, **_why(kind, turn.status, item)},
                turn.at_ms,
                position,
                FOLLOWS,
                source,
                first=n == 0,
            )
        rule = RECORDED if changed is not None else FOLLOWS
        first = accepted_ms is not None and dated // SECOND == accepted_ms // SECOND and (value == "False" or kind == "Initialized")
        _write(facts, item, dated, position, rule, source, first=first, transition_ms=facts.run_ms(changed))


def _before(kind: str, value: str, dated: Ms, accepted_ms: Ms | None, ready: list[StatusTurn]) -> list[StatusTurn]:
    """The earlier status of a condition, up to its last change."""
    if kind not in _OWN or kind == "PodScheduled" or accepted_ms is None:
        return []
    turns: list[StatusTurn] = []
    if kind in _READY:
        turns = [StatusTurn(accepted_ms, "False"), *(turn for turn in ready if accepted_ms <= turn.at_ms)]
    elif value == "True" and dated > accepted_ms:
        turns = [StatusTurn(accepted_ms, "False")]
    turns = [turn for turn in turns if turn.at_ms < dated]
    while len(turns) > 1 and turns[-1].status == value and dated - turns[-1].at_ms <= _PUBLISHED_MS:
        turns.pop()  # the change itself, which the status published a little later
    if turns and turns[-1].status == value and dated > accepted_ms + SECOND:
        # It must have had the other status at some time, or it could not have changed later.
        turns.append(StatusTurn(max(dated - SECOND, accepted_ms), "False" if value == "True" else "True"))
    elif turns and turns[-1].status == value:
        turns.pop()
    kept: list[StatusTurn] = []
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
    facts: FactList, item: dict[str, Any], at_ms: Ms, position: int, rule: str, source: str, *, first: bool, transition_ms: Ms | None = None
) -> None:
    kind = item["type"]
    stage = BOUND + 2 if kind == "PodScheduled" else ACCEPTED + 1 if first else CONDITIONS
    facts.add(
        "condition", at_ms, order=(stage, position, 0), name=kind, rule=rule, source=source, status=str(item.get("status") or "Unknown"),
        reason=str(item.get("reason") or ""), message=str(item.get("message") or ""), transition_ms=transition_ms,
    )  # fmt: skip
