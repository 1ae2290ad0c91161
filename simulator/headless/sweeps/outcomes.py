"""What a sweep can measure: each outcome is one declaration, with its name and how it is computed from a run's records.

To add an outcome, add a ``SweepOutcome`` to ``OUTCOMES``: pages, command line and docs use that list. A count of 0, or a duration of None,
means that it did not happen.

``machines`` limits the memory of a cell: records of other machines are discarded as the run is played.
"""

from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from fnmatch import fnmatchcase

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop
from msgspec import Struct

from simulator.engine import Record, World
from simulator.engine.kernel.units import Ms, Subject
from simulator.engine.model.status import TERMINAL_PHASES
from simulator.engine.network.load.count import totals
from simulator.engine.network.load.fate import FAILED

COUNT, SPAN = "count", "ms"
"""Units: a count, or a length of time in milliseconds."""
_WHOLE = ("complete", "done")
"""States of a workload that has all its pods, or has completed."""


class BadOutcome(Exception):
    """A text does not name an outcome; the error's text lists the known ones."""


FailedRequests = Mapping[tuple[str, str, str], int]
"""How many requests to Services with a declared load failed by the end of a run, by namespace, pod and outcome."""


class PlayedOut(Struct, frozen=True, kw_only=True):
    """A run that was played to the end: the records of the machines that the outcome reads, and the failed requests.

    ``argument`` is what was written after the outcome's name; only pods that match ``pod`` count.
    """

    records: Sequence[Record]
    failed: FailedRequests = {}
    until_ms: Ms
    argument: str = ""
    pod: str = ""

    def of(self, machine: str) -> Iterator[Record]:
        """The records of a machine that are about matching pods."""
        return (record for record in self.records if record.machine == machine and is_named(record.subject, self.pod))


class Happened(Struct, frozen=True):
    """The result of a run: the number, and the moment and subject that show it best."""

    value: int | None
    at_ms: Ms | None = None
    subject: Subject = ""


class SweepOutcome(Struct, frozen=True, kw_only=True):
    """Something that can be measured in a run. ``machines`` are those whose records ``measure`` reads; nothing else of a run is kept.

    ``argument`` says what may follow the name and a colon, "" if nothing may; ``must``: it is required.
    """

    name: str
    title: str
    help: str
    unit: str
    machines: tuple[str, ...]
    measure: Callable[[PlayedOut], Happened]
    argument: str = ""
    must: bool = False


class AskedOutcome(Struct, frozen=True):
    """An outcome with its argument."""

    outcome: SweepOutcome
    argument: str = ""

    @property
    def title(self) -> str:
        """Its name in the reader's language."""
        return f"{_(self.outcome.title)}: {self.argument}" if self.argument else _(self.outcome.title)


def outcome_of(text: str) -> AskedOutcome:
    """The outcome that ``name`` or ``name:argument`` refers to. Raises BadOutcome."""
    name, colon, argument = text.partition(":")
    outcome = next((known for known in OUTCOMES if known.name == name.strip()), None)
    argument = argument.strip()
    if outcome is None:
        names = ", ".join(known.name for known in OUTCOMES)
        raise BadOutcome(_("“%(name)s” is not an outcome; available: %(known)s.") % {"name": name.strip(), "known": names})
    if outcome.must and not argument:
        raise BadOutcome(_("Specify which one: %(name)s:%(argument)s.") % {"name": name, "argument": outcome.argument})
    if colon and argument and not outcome.argument:
        raise BadOutcome(_("%(name)s takes no argument after the colon.") % {"name": name})
    return AskedOutcome(outcome, argument)


def failed_requests(world: World) -> FailedRequests:
    """The failed requests of a world at its present moment; requests that are still under way have not failed."""
    found: dict[tuple[str, str, str], int] = defaultdict(int)
    for (namespace, _name), row in world.tables.loads.items():
        for (pod, outcome), number in totals(row, world.now_ms).items():
            if outcome in FAILED and number:
                found[namespace, pod, outcome] += number
    return found


def is_named(subject: Subject, pattern: str) -> bool:
    """Whether a record's subject matches ``pattern``: a pod or a workload by name, or by namespace/name; * matches anything.

    "" matches everything.
    """
    if not pattern:
        return True
    words = subject.split("/")
    if len(words) < 3:
        return False
    name = words[2].partition("#")[0]
    return fnmatchcase(f"{words[1]}/{name}" if "/" in pattern else name, pattern)


def _pod_of(subject: Subject) -> str:
    return "/".join(subject.split("/")[1:3])


def _restarts(played: PlayedOut) -> Happened:
    """The sum over all pods of the highest number that kubectl ever printed as RESTARTS."""
    most: dict[Subject, int] = {}
    first: Record | None = None
    for record in played.of("status_word"):
        count = int(record.get("restarts") or 0)
        if count > most.get(record.subject, 0):
            most[record.subject] = count
            first = first or record
    return _counted(sum(most.values()), first)


def _counted(count: int, first: Record | None) -> Happened:
    return Happened(count, first.at_ms, first.subject) if first is not None else Happened(count)


def _slowest(begun: dict[str, Ms], done: dict[str, Record]) -> Happened:
    """The longest duration; None if one has not ended, or none has begun."""
    # One that never ended has no duration, and without it the slowest is not known.
    if not begun or not begun.keys() <= done.keys():
        return Happened(None)
    last = max(begun, key=lambda key: done[key].at_ms - begun[key])
    return Happened(done[last].at_ms - begun[last], done[last].at_ms, done[last].subject)


def _created(played: PlayedOut) -> dict[str, Ms]:
    return {_pod_of(record.subject): record.at_ms for record in played.of("object") if record.target == "present"}


def _time_to_ready(played: PlayedOut) -> Happened:
    done: dict[str, Record] = {}
    for record in played.of("condition"):
        if record.target == "True" and record.subject.endswith("/Ready"):
            done.setdefault(_pod_of(record.subject), record)
    return _slowest(_created(played), done)


def _time_to_gone(played: PlayedOut) -> Happened:
    objects = list(played.of("object"))
    begun = {_pod_of(record.subject): record.at_ms for record in objects if record.target == "terminating"}
    done = {_pod_of(record.subject): record for record in objects if record.target == "gone"}
    # Removed without a grace period: Terminating was never seen, and the duration is 0.
    return _slowest({**{key: record.at_ms for key, record in done.items()}, **begun}, done)


def _time_to_end(played: PlayedOut) -> Happened:
    done: dict[str, Record] = {}
    for record in played.of("phase"):
        if record.target in ((played.argument,) if played.argument else TERMINAL_PHASES):
            done.setdefault(_pod_of(record.subject), record)
    return _slowest(_created(played), done)


def _time_ready(played: PlayedOut) -> Happened:
    since: dict[str, Ms] = {}
    total: Ms = 0
    first: Record | None = None
    for record in played.of("condition"):
        if record.subject.endswith("/Ready"):
            key = _pod_of(record.subject)
            began = since.pop(key, None)
            total += record.at_ms - began if began is not None else 0
            if record.target == "True":
                since[key] = record.at_ms
                first = first or record
    gone = {_pod_of(record.subject): record.at_ms for record in played.of("object") if record.target == "gone"}
    # Still Ready at the end, or when the object was removed.
    total += sum(gone.get(key, played.until_ms) - began for key, began in since.items())
    return Happened(None) if first is None else Happened(total, first.at_ms, first.subject)


def _failed_probes(played: PlayedOut) -> Happened:
    wanted = f"/{played.argument.casefold()}" if played.argument else ""
    failed = [
        record
        for record in played.of("probe_attempt")
        if record.target in ("failure", "timeout", "error") and record.subject.endswith(wanted)
    ]
    return _counted(len(failed), failed[0] if failed else None)


def _k8s_events(played: PlayedOut) -> Happened:
    """Events with a reason, counting repetitions as kubectl does: by the count in each Event's last write."""
    counts: dict[tuple[object, ...], int] = defaultdict(int)
    past, first = 0, None
    for record in played.of("k8s_event"):
        if record.target.casefold() != played.argument.casefold():
            continue
        first = first or record
        key = (record.subject, *(record.get(name) for name in ("type", "message", "component", "field_path")))
        count = int(record.get("count") or 1)
        if count <= counts[key]:  # a restarted component starts again from 1, in a new Event
            past += counts[key]
        counts[key] = count
    return _counted(past + sum(counts.values()), first)


def _time_to_whole(played: PlayedOut) -> Happened:
    begun: dict[str, Ms] = {}
    done: dict[str, Record] = {}
    for record in played.of("workload"):
        begun.setdefault(record.subject, record.at_ms)
        if record.target in _WHOLE:
            done.setdefault(record.subject, record)
    return _slowest(begun, done)


def _time_short(played: PlayedOut) -> Happened:
    """How long workloads had too few pods. Time before a workload is first complete belongs to its start and does not count."""
    since: dict[str, Ms] = {}
    were_whole: set[str] = set()
    total, first = 0, None
    for record in played.of("workload"):
        began = since.pop(record.subject, None)
        total += record.at_ms - began if began is not None else 0
        if record.target in _WHOLE:
            were_whole.add(record.subject)
        elif record.target and record.subject in were_whole:
            since[record.subject] = record.at_ms
            first = first or record
    total += sum(played.until_ms - began for began in since.values())
    return Happened(None) if first is None else Happened(total, first.at_ms, first.subject)


def _failed_requests(played: PlayedOut) -> Happened:
    """Failed requests to every Service with a declared load, counted at the end of the run."""
    wanted = (played.argument,) if played.argument else FAILED
    count = sum(
        number
        for (namespace, pod, outcome), number in played.failed.items()
        if outcome in wanted and is_named(f"pod/{namespace}/{pod}", played.pod)
    )
    told = (record for record in played.records if record.machine == "requests" and record.target in wanted)
    return _counted(count, next(told, None) if count else None)


OUTCOMES: tuple[SweepOutcome, ...] = (
    SweepOutcome(
        name="time-to-ready",
        title=gettext_noop("Time to Ready"),
        help=gettext_noop(
            "From the creation of a pod until its condition Ready is True for the first time; with several pods, the slowest."
        ),
        unit=SPAN,
        machines=("object", "condition"),
        measure=_time_to_ready,
    ),
    SweepOutcome(
        name="restarts",
        title=gettext_noop("Restarts"),
        help=gettext_noop("What kubectl prints as RESTARTS, summed over all pods."),
        unit=COUNT,
        machines=("status_word",),
        measure=_restarts,
    ),
    SweepOutcome(
        name="failed-probes",
        title=gettext_noop("Failed probes"),
        help=gettext_noop("Probe attempts that failed, timed out or hit an error."),
        unit=COUNT,
        machines=("probe_attempt",),
        measure=_failed_probes,
        argument="readiness|liveness|startup",
    ),
    SweepOutcome(
        name="failed-requests",
        title=gettext_noop("Failed requests"),
        help=gettext_noop("Requests to Services with a declared load that were refused, reset, timed out or answered with an error."),
        unit=COUNT,
        machines=("requests",),
        measure=_failed_requests,
        argument="refused|reset|timeout|error",
    ),
    SweepOutcome(
        name="time-ready",
        title=gettext_noop("Time Ready"),
        help=gettext_noop("How long the condition Ready is True within the run, summed over all pods."),
        unit=SPAN,
        machines=("object", "condition"),
        measure=_time_ready,
    ),
    SweepOutcome(
        name="time-to-gone",
        title=gettext_noop("Time to removal"),
        help=gettext_noop("From the deletion of a pod until its object is gone; with several pods, the slowest."),
        unit=SPAN,
        machines=("object",),
        measure=_time_to_gone,
    ),
    SweepOutcome(
        name="time-to-end",
        title=gettext_noop("Time to completion"),
        help=gettext_noop("From the creation of a pod until its phase is Succeeded or Failed; with several pods, the slowest."),
        unit=SPAN,
        machines=("object", "phase"),
        measure=_time_to_end,
        argument="Succeeded|Failed",
    ),
    SweepOutcome(
        name="time-to-whole",
        title=gettext_noop("Time to full strength"),
        help=gettext_noop("Until a Deployment, StatefulSet, Job … reports that it has all its pods or is done; with several, the slowest."),
        unit=SPAN,
        machines=("workload",),
        measure=_time_to_whole,
    ),
    SweepOutcome(
        name="time-short",
        title=gettext_noop("Time below full strength"),
        help=gettext_noop(
            "How long a Deployment, StatefulSet … that once had all its pods has had too few ready, summed over all of them."
        ),
        unit=SPAN,
        machines=("workload",),
        measure=_time_short,
    ),
    SweepOutcome(
        name="events",
        title=gettext_noop("Events"),
        help=gettext_noop("Kubernetes Events with a given reason, such as BackOff or FailedScheduling, including repetitions."),
        unit=COUNT,
        machines=("k8s_event",),
        measure=_k8s_events,
        argument="REASON",
        must=True,
    ),
)
"""All outcomes, in the order of the page."""
