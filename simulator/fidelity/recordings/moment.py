"""When a recording began and when its output was taken: the output has dates and ages, the recording says when each thing was observed.

A recording can be cut off early; its ``kubectl describe`` output is then later than its ``duration``.
"""

import re
from collections.abc import Iterator
from typing import Any

from simulator.engine.kernel.units import Ms
from simulator.fidelity.recordings.describe_text import PARTING, date_s, seconds_of

SLACK_S = 0.5
"""Stored moments are rounded, and the command itself takes some time."""
_ROW = re.compile(r"  (Normal|Warning) +(\S+) +(\S+s)(?: \(x(\d+) over \S+\))? +(\S+)  +(.*)")


def moment_ms(recording: dict[str, Any]) -> Ms:
    """The ``duration`` of the recording, unless the ages in its output indicate another moment."""
    given = float(recording["duration"])
    windows = list(_windows(recording))
    if windows:
        low, high = max(low for low, _ in windows), min(high for _, high in windows)
        if not low - SLACK_S <= given <= high + SLACK_S:
            return round(500 * (low + high))
    return round(1000 * given)


def began_s(recording: dict[str, Any]) -> float | None:
    """When the recording began, in seconds since the Unix epoch; None if no pod in its output has a start time.

    A start time appears in the output as a date, and in the observations of the pod as seconds since its creation.
    """
    for block in recording["describe"].split(PARTING):
        name = block.partition("\n")[0].partition(":")[2].strip()
        shown = next((date_s(line) for line in block.split("\n") if line.startswith("Start Time:")), None)
        pod = next((pod for key, pod in reversed(recording.get("pods", {}).items()) if key.partition("#")[0] == name), None)
        seen = next((entry["startTime"] for entry in reversed(pod["timeline"]) if "startTime" in entry), None) if pod else None
        if pod and shown is not None and seen is not None:
            return float(shown - seen - (pod.get("created_t") or 0))
    return None


def _windows(recording: dict[str, Any]) -> Iterator[tuple[float, float]]:
    """The interval in which each row had the age it shows, for rows with whole seconds that can be found among the recorded Events."""
    for block in recording["describe"].split(PARTING):
        pod = recording.get("pods", {}).get(block.partition("\n")[0].partition(":")[2].strip())
        for kind, reason, age, count, _, message in _ROW.findall(block) if pod else ():
            wanted = (kind, reason, int(count or 1), message.strip())
            found = [event for event in pod["events"] if _identity(event) == wanted]
            if len(found) == 1:
                written = found[0].get("lastTimestamp", found[0]["first_t"]) + (pod.get("created_t") or 0)
                yield written + seconds_of(age), written + seconds_of(age) + 1


def _identity(event: dict[str, Any]) -> tuple[str, str, int, str]:
    return event["type"], event["reason"], event["count"], (event["message"] or "").strip()
