"""Family ``backoff``: the back-off object step by step, and the waits of a crashing container."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.units import Ms, seconds
from simulator.engine.policies.backoff import crash_backoff, in_backoff, in_backoff_since_update, is_stale, next_entry
from simulator.engine.world.rows import BackoffEntry


def evaluate(case: Json) -> Json:
    """``{steps}`` or ``{waitSeconds}``, depending on the case."""
    if "runSeconds" in case:
        return {"waitSeconds": _crash_waits(case)}
    return {"steps": _steps(case)}


def _moment(value: float) -> Ms:
    return round(value * 1000)


def _crash_waits(case: Json) -> list[int]:
    """The wait after each crash: a start is attempted at the end of the run and again when the window is over."""
    limits = {
        "initial_ms": seconds(case["initialSeconds"]),
        "max_ms": seconds(case["maxSeconds"]),
        "reset_ms": seconds(case["resetAfterSeconds"]),
    }
    entry: BackoffEntry | None = None
    now: Ms = 0
    waits = []
    for run in case["runSeconds"]:
        finished = now + _moment(run)
        now = finished
        verdict = crash_backoff(entry, finished, now, **limits)
        if verdict.until_ms is not None:
            now = verdict.until_ms
            verdict = crash_backoff(entry, finished, now, **limits)
        entry = verdict.entry
        waits.append((now - finished) // 1000)
    return waits


def _steps(case: Json) -> list[bool | int | None]:
    entry: BackoffEntry | None = None
    values: list[bool | int | None] = []
    for step in case["steps"]:
        entry, value = _step(entry, step, case)
        values.append(value)
    return values


def _step(entry: BackoffEntry | None, step: Json, case: Json) -> tuple[BackoffEntry | None, bool | int | None]:
    now = _moment(step.get("at", 0))
    maximum = seconds(case["maxSeconds"])
    event = _moment(step["event"]) if "event" in step else now
    match step["op"]:
        case "next":
            return next_entry(entry, event, now, initial_ms=seconds(case["initialSeconds"]), max_ms=maximum), None
        case "get":
            return entry, 0 if entry is None else entry.backoff_ms // 1000
        case "reset":
            return None, None
        case "gc":
            return (None if entry is None or is_stale(entry, now, max_ms=maximum) else entry), None
        case "has":
            return entry, entry is not None
        case "inBackOffSinceUpdate":
            return entry, in_backoff_since_update(entry, now, max_ms=maximum)
        case "inBackOffSince":
            return entry, in_backoff(entry, event, now, max_ms=maximum)
    raise ValueError(f"unknown step {step['op']!r}")
