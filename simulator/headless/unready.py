"""Why pods are not ready when a run ends: one line per pod."""

from collections.abc import Iterable, Iterator

from django.utils.translation import gettext as _

from simulator.engine import Record, World
from simulator.engine.model.status import TERMINAL_PHASES, ContainerStatus, Terminated, Waiting
from simulator.engine.world.rows import PodRow

_WAITS = ("PodInitializing", "ContainerCreating")
"""Reasons that only say that the container is waiting for something else."""


def unready_lines(world: World, records: Iterable[Record]) -> Iterator[str]:
    """A line for each existing pod that is neither ready nor done: what holds it up, in Kubernetes' words. O(pods + records)."""
    waiting = [row for row in world.tables.pods.values() if _is_waiting(row)]
    last = _last_events(records) if waiting else {}
    for row in waiting:
        values = {"pod": row.key, "why": _reason(world, row, last).replace("\n", " ").strip()}
        yield _("pod %(pod)s is not ready: %(why)s") % values


def _is_waiting(row: PodRow) -> bool:
    if row.gone_ms is not None or row.deletion_ms is not None or row.status.phase in TERMINAL_PHASES:
        return False
    return not any(item.type == "Ready" and item.status == "True" for item in row.status.conditions)


def _last_events(records: Iterable[Record]) -> dict[tuple[str, str], str]:
    """The message of the newest Event of each reason about each pod or container."""
    return {(item.subject, item.target): str(item.get("message")) for item in records if item.machine == "k8s_event"}


def _reason(world: World, row: PodRow, last: dict[tuple[str, str], str]) -> str:
    """The first obstacle: scheduling, volumes, the sandbox, init containers, containers, readiness gates."""
    for item in row.status.conditions:
        if item.type == "PodScheduled" and item.status != "True":
            return item.message or item.reason
    mounts = world.tables.mounts.get(row.key)
    if mounts is not None and mounts.failing:
        return "; ".join(dict.fromkeys(item.problem or item.volume for item in mounts.failing))
    if (text := last.get((row.subject, "FailedCreatePodSandBox"))) is not None:
        return text
    for status in (*row.status.init_containers, *row.status.containers):
        if (text := _of_container(world, row, status, last)) != "":
            return _("container %(container)s: %(text)s") % {"container": status.name, "text": text}
    unmet = [item.message or item.reason for item in row.status.conditions if item.type == "Ready"]
    return next((text for text in unmet if text), row.status.message or row.status.reason or row.status.phase)


def _of_container(world: World, row: PodRow, status: ContainerStatus, last: dict[tuple[str, str], str]) -> str:
    """Why this container is not ready; empty if it is, or if it is only waiting for another."""
    state = status.state
    if status.ready or (isinstance(state, Terminated) and state.exit_code == 0):
        return ""
    if isinstance(state, Waiting) and isinstance(status.last_state, Terminated) and state.reason == "CrashLoopBackOff":
        return _("%(reason)s, %(end)s") % {"reason": state.reason, "end": _ended(world, row, status.name, status.last_state)}
    if isinstance(state, Waiting):
        return "" if state.reason in _WAITS else f"{state.reason}: {state.message}".strip(": ")
    if isinstance(state, Terminated):
        return _ended(world, row, status.name, state)
    return last.get((f"container/{row.key}/{status.name}", "Unhealthy"), "")


def _ended(world: World, row: PodRow, container: str, state: Terminated) -> str:
    """How the container ended, with the last line of its log."""
    lines = world.tables.logs.get((row.key, container), ())
    told = {"reason": state.reason, "code": state.exit_code}
    if not lines:
        return _("%(reason)s, exit code %(code)d") % told
    return _("%(reason)s, exit code %(code)d, log: %(line)s") % {**told, "line": lines[-1][3][:300]}
