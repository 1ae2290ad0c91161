"""The history of one pod: everything its status and Events show, as one list of facts, and what its kubelet must remember."""

from typing import Any

from msgspec import Struct

from simulator.engine.kernel.units import SECOND, Ms, seconds
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.past.document import RECORDED, PastPod
from simulator.imports.conditions import write_conditions
from simulator.imports.containers import Chapter
from simulator.imports.document import document_text
from simulator.imports.facts import ACCEPTED, BOUND, CONDITIONS, CONTAINERS, CREATED, ENDING, SANDBOX, FactList
from simulator.imports.lives import FOLLOWS, LIVES_MAX, STATE, Life, LivedContainer, lives_of
from simulator.imports.memory import backoffs_of, probes_of, reasons_of, retry_of
from simulator.imports.moments import moment
from simulator.imports.occurrences import container_of, write_event
from simulator.imports.read import Event, SeenPod
from simulator.imports.readiness import ReadyChange, Spans, changed_of, readiness_of, turns_of

_GROUPS = (("initContainers", "initContainerStatuses", "init"), ("containers", "containerStatuses", "app"))
_EXTRA = ("ephemeralContainers", "ephemeralContainerStatuses", "ephemeral")
OVERDUE_MS: Ms = 60 * SECOND


class PodHistory(Struct, frozen=True, kw_only=True):
    """A pod with the instances of its containers. Moments are milliseconds since the Unix epoch."""

    pod: SeenPod
    created_ms: Ms
    now_ms: Ms
    places: tuple[tuple[LivedContainer, tuple[Life, ...]], ...]
    spans: tuple[Spans, ...] = ()  # when the instances of each container were ready
    lost: bool = False  # the text's own Node says that its kubelet does not report

    @property
    def node(self) -> str:
        """The node it is bound to."""
        return str(self.pod.spec.get("nodeName") or "")

    @property
    def accepted_ms(self) -> Ms | None:
        """When its kubelet accepted it (startTime); None if none has."""
        return moment(self.pod.status.get("startTime"))

    @property
    def deleted_ms(self) -> Ms | None:
        """When it was deleted: deletionTimestamp minus the grace period."""
        deadline = moment(self.pod.metadata.get("deletionTimestamp"))
        return None if deadline is None else deadline - seconds(self.grace_s)

    @property
    def grace_s(self) -> int:
        """deletionGracePeriodSeconds."""
        value = self.pod.metadata.get("deletionGracePeriodSeconds")
        return value if isinstance(value, int) and not isinstance(value, bool) else 0


def latest_of(pod: SeenPod) -> Ms:
    """The latest moment in a pod or its Events; a deletion's deadline lies in the future and does not count."""
    found = [moment(pod.metadata.get("creationTimestamp")), moment(pod.status.get("startTime"))]
    found += [moment(item.get("lastTransitionTime")) for item in pod.status["conditions"]]
    for name in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for status in pod.status[name]:
            for part in ("state", "lastState"):
                for state in (status.get(part) or {}).values():
                    found += [moment(state.get("startedAt")), moment(state.get("finishedAt"))]
    found += [event.last_ms for event in pod.events]
    deadline, grace = moment(pod.metadata.get("deletionTimestamp")), pod.metadata.get("deletionGracePeriodSeconds")
    found.append(None if deadline is None else deadline - seconds(grace if isinstance(grace, int) else 0))
    return max(item for item in found if item is not None)


def history_of(pod: SeenPod, *, now_ms: Ms, most: int = LIVES_MAX) -> PodHistory:
    """Work out the instances of a pod's containers, at most ``most`` of each."""
    created = moment(pod.metadata["creationTimestamp"]) or 0
    begin = moment(pod.status.get("startTime")) or created
    initialized: dict[str, Any] = next((item for item in pod.status["conditions"] if item["type"] == "Initialized"), {})
    ready_to_run = moment(initialized.get("lastTransitionTime")) or begin
    found: list[tuple[LivedContainer, tuple[Life, ...]]] = []
    before = begin
    end_ms, changed = _end_ms(pod, now_ms), changed_of(pod.status)
    for place in _places(pod):
        # Init containers run one after the other, app containers after the last of them.
        anchor = before if place.group == "init" else max(ready_to_run, begin) if pod.spec.get("initContainers") else begin
        ready_ms = changed.at_ms if changed is not None and changed.is_ready and place.group == "app" else None
        lives = lives_of(place, anchor_ms=anchor, now_ms=end_ms, most=most, ready_ms=ready_ms)
        found.append((place, lives))
        if place.group == "init" and lives and lives[-1].end_ms is not None:
            before = max(before, lives[-1].end_ms)
    spans = readiness_of(found, changed)
    return PodHistory(pod=pod, created_ms=created, now_ms=now_ms, places=tuple(found), spans=tuple(spans))


def _end_ms(pod: SeenPod, now_ms: Ms) -> Ms:
    """The latest moment at which a container can have ended: for an ended pod, that of the condition that shows its end."""
    if pod.status.get("phase") not in TERMINAL_PHASES:
        return now_ms
    dated = {item["type"]: moment(item.get("lastTransitionTime")) for item in pod.status["conditions"]}
    return dated.get("DisruptionTarget") or dated.get("Ready") or now_ms


def _places(pod: SeenPod) -> list[LivedContainer]:
    found: list[LivedContainer] = []
    events: dict[str, list[Event]] = {}
    for event in pod.events:
        events.setdefault(container_of(event), []).append(event)
    for field, statuses, group in (*_GROUPS, _EXTRA):
        known = {item["name"]: n for n, item in enumerate(pod.status[statuses])}
        for spec in pod.spec.get(field) or ():
            name = str(spec.get("name") or "")
            if name not in known:
                continue
            n = known[name]
            path = f"status.{statuses}[{n}]"
            found.append(LivedContainer(
                name=name, group=group, position=len(found), listed=n, spec=spec, status=pod.status[statuses][n], path=path,
                events=tuple(events.get(name, ())),
            ))  # fmt: skip
    return found


def past_of(history: PodHistory, *, epoch_ms: Ms, resume_ms: Ms, kubernetes: str, blocks: dict[str, Any]) -> PastPod:
    """The pod's past for a run that begins at ``epoch_ms``; ``resume_ms`` is a moment of the run."""
    facts = FactList(epoch_ms=epoch_ms, created_ms=history.created_ms)
    _object(facts, history)
    changed = changed_of(history.pod.status)
    if history.accepted_ms is not None:
        _containers(facts, history, history.accepted_ms, changed)
        _phases(facts, history)
    pairs = zip(history.places, history.spans, strict=True)
    counted = [spans for (place, _lives), spans in pairs if place.group == "app" or place.is_sidecar]
    turns = turns_of(counted)
    write_conditions(facts, history.pod.status, accepted_ms=history.accepted_ms, ready=turns, now_ms=history.now_ms)
    _events(facts, history)
    metadata = history.pod.metadata
    return PastPod(
        document=document_text(history.pod, blocks),
        namespace=metadata["namespace"],
        name=metadata["name"],
        uid=metadata["uid"],
        created_ms=history.created_ms - epoch_ms,
        facts=facts.ordered(until_ms=resume_ms),
        backoffs=backoffs_of(history.pod, history.places, epoch_ms=epoch_ms, kubernetes=kubernetes),
        probes=probes_of(history.places, epoch_ms=epoch_ms, now_ms=history.now_ms),
        reasons=reasons_of(history.pod, history.places, kubernetes=kubernetes),
        stop_ms=facts.run_ms(_stop_ms(history)),
        sync_ms=facts.run_ms(retry_of(history.pod)),
        silent=is_silent(history),
    )


def is_silent(history: PodHistory) -> bool:
    """Whether the node does not respond: its last report says so, or its kubelet let the end of a grace period pass."""
    if history.lost or history.pod.status.get("reason") == "NodeLost":
        return True
    heard = [event for event in history.pod.events if event.reason == "NodeNotReady" or event.component == "kubelet"]
    latest = max(heard, key=lambda event: event.last_ms, default=None)
    # The last report about the node counts: a kubelet that wrote an Event after it is back.
    if (latest is not None and latest.reason == "NodeNotReady") or _is_marked(history.pod):
        return True
    runs = any(lives and lives[-1].end_ms is None for _place, lives in history.places)
    deadline = moment(history.pod.metadata.get("deletionTimestamp"))
    if deadline is None or (not runs and history.pod.metadata.get("finalizers")):
        return False
    # A kubelet that responds would have removed the pod by now.
    return history.now_ms - deadline > (OVERDUE_MS if runs else SECOND)


def _is_marked(pod: SeenPod) -> bool:
    """Whether the node controller set Ready to False: it gives no reason and leaves ContainersReady unchanged."""
    held = {item["type"]: item for item in pod.status["conditions"]}
    ready, containers = held.get("Ready") or {}, held.get("ContainersReady") or {}
    return ready.get("status") == "False" and not ready.get("reason") and containers.get("status") == "True"


def _object(facts: FactList, history: PodHistory) -> None:
    """Creation, binding, acceptance, deletion."""
    metadata, status = history.pod.metadata, history.pod.status
    facts.add("created", history.created_ms, order=(CREATED, 0, 0), source="metadata.creationTimestamp")
    if history.node:
        at_ms, rule, source, exact = _bound(history)
        facts.add("bound", at_ms, order=(BOUND, 0, 0), name=history.node, rule=rule, source=source, exact=exact)
    if history.accepted_ms is not None:
        facts.add(
            "accepted", history.accepted_ms, order=(ACCEPTED, 0, 0), source="status.startTime", host_ip=str(status.get("hostIP") or ""),
            start_ms=facts.run_ms(history.accepted_ms),
        )  # fmt: skip
    if history.deleted_ms is not None:
        deadline = moment(metadata.get("deletionTimestamp"))
        facts.add(
            "deleted", history.deleted_ms, order=(ENDING, 0, 0), source="metadata.deletionTimestamp", grace_s=history.grace_s,
            deadline_ms=facts.run_ms(deadline),
        )  # fmt: skip


def _bound(history: PodHistory) -> tuple[Ms, str, str, bool]:
    """When the pod got its node: by the Scheduled Event, or the condition, or else at its start."""
    for event in history.pod.events:
        if event.reason == "Scheduled":
            return event.first_ms, RECORDED, event.path, event.exact
    for n, item in enumerate(history.pod.status["conditions"]):
        at_ms = moment(item.get("lastTransitionTime"))
        if item["type"] == "PodScheduled" and item.get("status") == "True" and at_ms is not None:
            return at_ms, RECORDED, f"status.conditions[{n}]", False
    return history.accepted_ms or history.created_ms, FOLLOWS, "spec.nodeName", False


def _containers(facts: FactList, history: PodHistory, accepted_ms: Ms, changed: ReadyChange | None) -> None:
    metadata = history.pod.metadata
    named = f"{metadata['name']}_{metadata['namespace']}({metadata['uid']})"
    waiting = "PodInitializing" if history.pod.spec.get("initContainers") else "ContainerCreating"
    shown_ms = _ended(history)[0] if history.pod.status.get("phase") in TERMINAL_PHASES else history.now_ms
    steady_ms = changed.at_ms if changed is not None and changed.is_ready else None
    for (place, all_lives), spans in zip(history.places, history.spans, strict=True):
        lives = _drawn(all_lives, facts.epoch_ms)
        begin = accepted_ms if place.group != "ephemeral" or not lives else lives[0].start_ms
        chapter = Chapter(facts, place, lives, now_ms=history.now_ms, pod=named, steady_ms=steady_ms)
        chapter.write(begin_ms=begin, waiting=waiting, ready=spans, shown_ms=shown_ms)
    _sandbox(facts, history, accepted_ms)


def _drawn(lives: tuple[Life, ...], epoch_ms: Ms) -> tuple[Life, ...]:
    """The instances that reach into the run, the one before them, with which the run begins, and at least the newest two."""
    inside = next((n for n, life in enumerate(lives) if life.end_ms is None or life.end_ms >= epoch_ms), len(lives))
    return lives[max(min(inside - 1, len(lives) - 2), 0) :]


def _sandbox(facts: FactList, history: PodHistory, accepted_ms: Ms) -> None:
    """The sandbox existed before the first container; it is stopped once a pod has ended."""
    status = history.pod.status
    known = ("PodReadyToStartContainers", "PodHasNetwork")
    dated = [(n, item) for n, item in enumerate(status["conditions"]) if item["type"] in known and item.get("status") == "True"]
    starts = [lives[0].start_ms for _place, lives in history.places if lives]
    moments = [event.first_ms for event in history.pod.events if event.reason in ("Pulling", "Pulled", "Created")]
    if not dated and not starts and not moments and not status.get("podIP"):
        return
    at_ms = min([*starts, *moments], default=accepted_ms)
    source = f"status.conditions[{dated[0][0]}]" if dated else "status.podIP"
    facts.add("sandbox", at_ms, order=(SANDBOX, 0, 0), name="ready", rule=FOLLOWS, source=source, ip=str(status.get("podIP") or ""))
    if status.get("phase") in TERMINAL_PHASES:
        end = max((life.end_ms or history.now_ms for _place, lives in history.places for life in lives), default=history.now_ms)
        facts.add("sandbox", end, order=(ENDING, 0, 9), name="stopped", rule=FOLLOWS, source="status.phase")


def _phases(facts: FactList, history: PodHistory) -> None:
    """Phases are not dated; each one coincides with its cause: the first app container's start, the last one's end."""
    status = history.pod.status
    phase = str(status.get("phase") or "Pending")
    starts = [(lives[0], place) for place, lives in history.places if place.group == "app" and lives and lives[0].began]
    if starts:
        life, place = min(starts, key=lambda item: item[0].start_ms)
        order = (CONTAINERS + place.position, life.n, 4)
        facts.add("phase", life.start_ms, order=order, name="Running", rule=FOLLOWS, source=f"{place.path}.state")
    if phase in ("Running", "Pending") and not status.get("reason"):
        if not starts or phase == "Pending":
            facts.add("phase", history.now_ms, order=(CONDITIONS, 90, 0), name=phase, rule=STATE, source="status.phase")
        return
    at_ms, source = _ended(history)
    why: dict[str, Any] = {"reason": status.get("reason"), "message": status.get("message")}
    facts.add("phase", at_ms, order=(CONDITIONS, 90, 0), name=phase, rule=FOLLOWS, source=source, **why)


def _ended(history: PodHistory) -> tuple[Ms, str]:
    for n, item in enumerate(history.pod.status["conditions"]):
        at_ms = moment(item.get("lastTransitionTime"))
        if item["type"] == "DisruptionTarget" and at_ms is not None:
            return at_ms, f"status.conditions[{n}]"
    for event in history.pod.events:
        if event.reason in ("Evicted", "Preempting", "DeadlineExceeded", "NodeShutdown"):
            return event.first_ms, event.path
    lasting = (lives for place, lives in history.places if place.group == "app" or place.is_sidecar)
    ends = [life.end_ms for lives in lasting for life in lives[-1:] if life.end_ms is not None]
    if ends:
        return max(ends), "status.containerStatuses"
    for n, item in enumerate(history.pod.status["conditions"]):
        at_ms = moment(item.get("lastTransitionTime"))
        if item["type"] == "Ready" and at_ms is not None:
            return at_ms, f"status.conditions[{n}]"
    return history.now_ms, "status.phase"


def _events(facts: FactList, history: PodHistory) -> None:
    by_name = {place.name: (place, lives) for place, lives in history.places}
    for event in history.pod.events:
        place, lives = by_name.get(container_of(event), (None, ()))
        write_event(facts, event, place, lives)


def _stop_ms(history: PodHistory) -> Ms | None:
    """When the kubelet began to stop the containers of a deleted pod."""
    deleted = history.deleted_ms
    if deleted is None or history.now_ms - deleted < SECOND:
        return None
    stops = [event.last_ms for event in history.pod.events if event.reason == "Killing" and event.last_ms >= deleted - SECOND]
    return min(stops, default=deleted)
