"""Observations on a real 1.20 node: small manifests written for the tests, and the moments at which kubectl's output changed.

``observed.yaml`` has one story per item: ``pods`` (a short form of their specs), ``script``, and ``seen``: for each pod the words that
``kubectl get pods`` showed, with the second at which each began, and the Events by reason, with the second of the first and their count. A
story whose pods are gone is played on for a while, during which nothing may happen.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import yaml

from simulator.engine.kernel.json_text import Json
from simulator.headless.inputs import Inputs, header_of
from simulator.headless.trace import TraceRecorder

FILE = Path(__file__).parent / "observed.yaml"
LOOP = "trap 'exit 0' TERM; while :; do sleep 1 & wait $!; done"
CONTAINER_FIELDS = (
    "image", "command", "imagePullPolicy", "livenessProbe", "readinessProbe", "startupProbe", "lifecycle", "env", "ports", "resources",
    "terminationMessagePolicy",
)  # fmt: skip
CLUSTER = """
kubernetes: "1.20"
nodes: [{name: here, allocatable: {cpu: "2", memory: 16Gi, pods: "110"}}]
images:
  present: ["busybox:1.28", "nginx:1.14.2"]
  pullable: {"quick:1.0": 1s, "slow:1.0": 6s}
"""
TOL_S, SLOPE = 2.0, 0.08
BLINK_S = 1.5
"""What was shown for a shorter time may be missed: the kubelet relists its containers once a second."""
GONE_S = 14.0
"""A pod that was being deleted is finally removed at a ten-second tick of 1.20's status manager, whose phase is unknown."""


class Episode(NamedTuple):
    """What kubectl showed for a pod, from when to when, in seconds since the run began."""

    began_s: float
    ended_s: float
    words: str


def stories() -> list[Json]:
    """Every story of the file."""
    found: list[Json] = yaml.safe_load(FILE.read_text(encoding="utf-8"))
    return found


def manifest(name: str, short: Json) -> Json:
    """The Pod of a short form: ``sh`` is a shell script, ``init`` and ``each`` are several containers by name."""
    spec = dict(short)
    own = {key: spec.pop(key) for key in ("sh", *CONTAINER_FIELDS) if key in spec}
    init, each = spec.pop("init", {}), spec.pop("each", {"main": own})
    metadata = {"name": name, **({"finalizers": spec.pop("finalizers")} if "finalizers" in spec else {})}
    spec["containers"] = [container(key, item) for key, item in each.items()]
    if init:
        spec["initContainers"] = [container(key, item) for key, item in init.items()]
    return {"apiVersion": "v1", "kind": "Pod", "metadata": metadata, "spec": spec}


def container(name: str, short: Json) -> Json:
    """A container of the image busybox unless it names another."""
    fields = {"image": "busybox:1.28", **short}
    script = fields.pop("sh", None)
    if script is not None:
        fields["command"] = ["sh", "-c", LOOP if script == "loop" else script]
    return {"name": name, **fields}


def play(story: Json, folder: Path) -> Json:
    """The trace of the story's run, produced as by ``manage.py simulate``."""
    documents = [manifest(name, short) for name, short in story["pods"].items()]
    (folder / "pods.yaml").write_text(yaml.safe_dump_all(documents), encoding="utf-8")
    (folder / "cluster.yaml").write_text(CLUSTER, encoding="utf-8")
    (folder / "script.yaml").write_text(json.dumps(story.get("script", [])), encoding="utf-8")
    inputs = Inputs(
        files=(str(folder / "pods.yaml"),), script=str(folder / "script.yaml"), cluster=str(folder / "cluster.yaml"), kubernetes="1.20"
    )
    recorder = TraceRecorder(header_of(inputs, lambda name, problem: None))
    recorder.run(round(1000 * (story["for"] + 20)))
    return recorder.trace(scenario="default")["pods"]


def shown(pod: Json, until_s: float) -> list[Episode]:
    """The words in kubectl's columns over time, with consecutive equal ones merged."""
    found: list[tuple[float, str]] = []
    for entry in pod["timeline"]:
        gone = entry["type"] == "DELETED"
        words = "gone" if gone else f"{entry['kubectl_status']} {entry['kubectl_ready']} x{entry['kubectl_restarts']}"
        if not found or found[-1][1] != words:
            found.append((entry["t"], words))
    ends = [began for began, _ in found[1:]] + [until_s]
    return [Episode(began, end, words) for (began, words), end in zip(found, ends, strict=True)]


def events(pod: Json, until_s: float) -> dict[str, tuple[float, int]]:
    """By reason: the second of the first Event, and the total number."""
    found: dict[str, tuple[float, int]] = {}
    for event in pod["events"]:
        if event["first_t"] > until_s:
            continue
        counts = [count for at, count in event.get("seen") or () if at <= until_s] or [event["count"]]
        first, count = found.get(event["reason"], (event["first_t"], 0))
        found[event["reason"]] = (min(first, event["first_t"]), count + counts[-1])
    return dict(sorted(found.items(), key=lambda item: item[1][0]))


def read_shown(text: str, until_s: float) -> list[Episode]:
    """``0 Pending 0/1 x0 | 0.4 Running 1/1 x0`` as episodes."""
    parts = [part.strip().partition(" ") for part in text.split("|")]
    ends = [float(began) for began, _, _ in parts[1:]] + [until_s]
    return [Episode(float(began), end, words) for (began, _, words), end in zip(parts, ends, strict=True)]


def read_events(text: str) -> dict[str, tuple[float, int]]:
    """``0 Scheduled, 0.4 Pulled x3`` by reason."""
    found = (re.fullmatch(r"([\d.-]+) (\w+)(?: x(\d+))?", part.strip()) for part in text.split(","))
    return {match[2]: (float(match[1]), int(match[3] or 1)) for match in found if match}


def differences(story: Json, trace: Json) -> Iterator[str]:
    """Where the run shows something other than what was observed, or at another time."""
    until_s = story["for"]
    exactness = (story.get("tol", TOL_S), story.get("slope", SLOPE))
    for name, seen in story["seen"].items():
        yield from _words(read_shown(seen["words"], until_s), shown(trace[name], until_s), exactness, until_s)
        yield from _events(read_events(seen["events"]), events(trace[name], until_s), exactness)


def _words(seen: list[Episode], made: list[Episode], exactness: tuple[float, float], until_s: float) -> Iterator[str]:
    tol, slope = exactness
    i = j = 0
    before_seen = before_made = 0.0
    while i < len(seen) or j < len(made):
        one, other = seen[i] if i < len(seen) else None, made[j] if j < len(made) else None
        if one is not None and other is not None and one.words == other.words:
            gap = one.began_s - before_seen
            waits = one.words == "gone" and i > 0 and not _is_blink(seen[i - 1])
            allowed = max(tol, GONE_S if waits else 0) + slope * gap
            if abs(other.began_s - before_made - gap) > allowed:
                yield f"{one.words}: seen at {one.began_s} s, made at {other.began_s} s"
            before_seen, before_made = one.began_s, other.began_s
            i, j = i + 1, j + 1
        elif one is not None and (_is_blink(one) or _is_late(one, exactness, until_s)):
            i += 1
        elif other is not None and (_is_blink(other) or _is_late(other, exactness, until_s)):
            j += 1
        else:
            yield f"seen {one}, made {other}"
            return


def _is_blink(episode: Episode) -> bool:
    return episode.ended_s - episode.began_s < BLINK_S


def _is_late(episode: Episode, exactness: tuple[float, float], until_s: float) -> bool:
    """Whether it began so near the end that the other side may just not have reached it."""
    tol, slope = exactness
    return episode.began_s + max(tol, GONE_S if episode.words == "gone" else 0) + slope * episode.began_s >= until_s


def _events(seen: dict[str, tuple[float, int]], made: dict[str, tuple[float, int]], exactness: tuple[float, float]) -> Iterator[str]:
    tol, slope = exactness
    for reason in dict.fromkeys((*seen, *made)):
        if reason not in seen or reason not in made:
            yield f"Event {reason}: seen {seen.get(reason)}, made {made.get(reason)}"
            continue
        (first, count), (other, number) = seen[reason], made[reason]
        if abs(first - other) > tol + slope * max(first, 0):
            yield f"Event {reason}: first seen at {first} s, made at {other} s"
        elif abs(count - number) > max(1, max(0.15, slope) * count):
            yield f"Event {reason}: seen {count} times, made {number} times"
