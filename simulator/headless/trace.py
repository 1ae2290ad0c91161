"""A run as a trace: every visible change of every pod, and its Events, in the format of recordings from real nodes.

Times are seconds since the pod was added, with two decimals. ``simulate --format trace`` prints it.

Recordings of real nodes come from a watch, which reports every write. So the world is driven one queue event at a
time and examined after each; with larger steps, two changes of one pod would be seen as one.
"""

import re
from typing import Any, assert_never

from simulator.engine import Course, Record, RunHeader, World
from simulator.engine.kernel.units import Key, Ms
from simulator.engine.model.meta import MIRROR
from simulator.engine.model.status import ContainerState, ContainerStatus, PodStatus, Running, Terminated, Waiting
from simulator.engine.policies.printing import printed_columns
from simulator.engine.world.rows import PodRow

Snapshot = dict[str, Any]
_SOCKET = re.compile(r"unix /\S+")
"""A socket's path in an error message, which recordings leave out."""


def _t(moment: Ms, origin: Ms) -> float:
    return round((moment - origin) / 1000, 2)


class TraceRecorder:
    """Watches a world and notes every visible change of its pods, one queue event at a time."""

    def __init__(self, header: RunHeader) -> None:
        self._course = Course(header)
        self.world: World = self._course.world
        self._versions: dict[Key, int] = {}
        self._pods: dict[Key, Snapshot] = {}
        self._events: dict[tuple[Key, tuple[Any, ...]], Snapshot] = {}
        self.records: list[Record] = list(self.world.first_records)
        self._note(self.records)

    def run(self, until_ms: Ms) -> None:
        """Drive the world to a moment."""
        while True:
            leg = self._course.drive(until_ms, limit=1)
            self._note(leg.records)
            self.records += leg.records
            if leg.is_there:
                return

    def _note(self, records: list[Record]) -> None:
        for record in records:
            if record.machine == "k8s_event":
                self._note_event(record)
        if records:
            # The version tells which rows have been written since; comparing all snapshots would be slow.
            for row in self.world.tables.pods.values():
                if self._versions.get(row.key) != row.version:
                    self._versions[row.key] = row.version
                    self._note_pod(row)

    def _note_pod(self, row: PodRow) -> None:
        pod = self._pods.get(row.key)
        if pod is None:
            pod = self._pods[row.key] = {
                "name": row.name,
                "created_t": _t(row.created_ms, 0),
                "restartPolicy": row.pod.spec.restart_policy,
                "qosClass": row.status.qos_class,
                "labels": row.pod.metadata.labels or None,
                "timeline": [],
            }
        timeline, seen = pod["timeline"], {"t": _t(self.world.now_ms, row.created_ms), "type": "", **snapshot(self.world, row)}
        if not timeline:
            timeline.append({**seen, "type": "ADDED"})
        elif not _same(timeline[-1], seen):
            timeline.append({**seen, "type": "MODIFIED"})  # before a removal too: the server writes the time of deletion first
        if row.gone_ms is not None:
            timeline.append({**seen, "type": "DELETED"})

    def _note_event(self, record: Record) -> None:
        data = dict(record.data)
        key = record.subject.partition("/")[2]
        if record.subject.startswith("container/"):
            key = key.rpartition("/")[0]
        row = self.world.tables.pods.get(key)
        if row is None or (data["component"] == "kubelet" and MIRROR in row.pod.metadata.annotations):
            return  # the Events of a static pod name its own uid, not the mirror's
        moment = _t(record.at_ms, row.created_ms)
        message = _SOCKET.sub("unix <path>", str(data["message"]))
        identity = (key, (data["type"], record.target, message, data["component"], data["field_path"]))
        event = self._events.get(identity)
        if event is not None and data["count"] == 1 and "series" not in data:
            # A restarted component starts again from 1, in a new Event object.
            self._events[(key, (*identity[1], len(self._events)))] = self._events.pop(identity)
            event = None
        if event is None:
            self._events[identity] = {
                "first_t": moment, "last_t": moment, "count": 1, "type": data["type"], "reason": record.target, "message": message,
                "component": data["component"], "fieldPath": data["field_path"] or None, "seen": [[moment, 1]],
            }  # fmt: skip
            return
        event["last_t"], event["count"] = moment, data["count"]
        event["seen"].append([moment, data["count"]])

    def trace(self, *, scenario: str) -> Snapshot:
        """The trace so far, ready for JSON."""
        pods = {}
        for key, pod in self._pods.items():
            name = key.partition("/")[2]
            events = [event for (owner, _), event in self._events.items() if owner == key]
            pods[name] = {**pod, "events": events}
        return {
            "scenario": scenario,
            "kubernetes": self.world.header.kubernetes,
            "runtime": "podscope",
            "duration": _t(self.world.now_ms, 0),
            "pods": pods,
        }


def _same(before: Snapshot, after: Snapshot) -> bool:
    return {**before, "t": 0, "type": ""} == {**after, "t": 0, "type": ""}


def snapshot(world: World, row: PodRow) -> Snapshot:
    """What a watch of the API shows of the pod at this moment."""
    status, origin = row.status, row.created_ms
    columns = printed_columns(
        row.pod.spec, status, now_ms=world.now_ms, is_deleted=row.deletion_ms is not None, options=world.options.printing
    )
    found: Snapshot = {
        "phase": status.phase,
        "reason": status.reason or None,
        "message": status.message or None,
        "nodeName": row.node or None,
        "podIP": bool(status.pod_ip),
        "startTime": _time(status.start_ms, origin),
        "deletionTimestamp": _time(row.deletion_ms, origin),
        "deletionGracePeriodSeconds": row.grace_s,
        "kubectl_ready": columns.ready,
        "kubectl_status": columns.status,
        "kubectl_restarts": columns.restarts,
        "conditions": _conditions(status),
    }
    for name, items in (
        ("init_containers", status.init_containers),
        ("containers", status.containers),
        ("ephemeral_containers", status.ephemeral_containers),
    ):
        if items:
            found[name] = {item.name: _container(item, origin) for item in items}
    return {key: value for key, value in found.items() if value is not None}


def _time(moment: Ms | None, origin: Ms) -> float | None:
    return None if moment is None else _t(moment, origin)


def _conditions(status: PodStatus) -> dict[str, list[str | None]]:
    found: dict[str, list[str | None]] = {}
    for item in status.conditions:
        entry: list[str | None] = [item.status, item.reason or None]
        if item.message:
            entry.append(item.message)
        found[item.type] = entry
    return found


def _container(item: ContainerStatus, origin: Ms) -> Snapshot:
    shown = {**_state(item.state, origin), "ready": item.ready, "started": bool(item.started), "restartCount": item.restart_count}
    if item.last_state is not None:
        shown["lastState"] = _state(item.last_state, origin)
    return shown


def _state(state: ContainerState | None, origin: Ms) -> Snapshot:
    if isinstance(state, Running):
        return {"state": "running", "startedAt": _time(state.started_ms, origin)}
    if isinstance(state, Terminated):
        shown: Snapshot = {"state": "terminated", "reason": state.reason, "message": state.message, "exitCode": state.exit_code}
        shown |= {"startedAt": _time(state.started_ms, origin), "finishedAt": _time(state.finished_ms, origin)}
    elif state is None or isinstance(state, Waiting):
        waiting = state or Waiting()
        shown = {"state": "waiting", "reason": waiting.reason, "message": _SOCKET.sub("unix <path>", waiting.message)}
    else:
        assert_never(state)
    return {key: value for key, value in shown.items() if value not in ("", None)}
