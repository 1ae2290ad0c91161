"""Facts that are not states: Events with their counts, and probe attempts."""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import emit, emit_from
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Ms
from simulator.engine.kubelet.pods.containers.instances import find_instance
from simulator.engine.kubelet.pods.probes.probe_machine import PROBE
from simulator.engine.past.document import PastFact
from simulator.engine.past.effects import PastEffects
from simulator.engine.world.rows import PodRow

_ATTEMPT = RecordKind.ATTEMPT.value
_GROUPS = {"containers": "app", "initContainers": "init", "ephemeralContainers": "ephemeral"}


def event_fact(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """An Event was written, for the ``count``-th time, whatever the spam filter would say about it."""
    count = int(fact.data.get("count") or 1)
    written = _count(fx, row, fact)
    if not written:
        _write(fx, row, fact)
        if count == 1:
            return
        written = 1
    # The text counts more occurrences than it dates: jump to the count, then write the last one as dated.
    if written < count - 1:
        _raise_count(fx, row, fact, count - 1)
    _write(fx, row, fact)


def _write(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    severity, message = str(fact.data.get("type") or "Normal"), str(fact.data.get("message") or "")
    component = str(fact.data.get("component") or "")
    if component != "kubelet":
        emit_from(fx, row, component, severity=severity, reason=fact.name, message=message, rule="")
        return
    # Fill the bucket first: the real kubelet's spam filter let this Event through.
    fx.save_bucket(("kubelet", row.key), (fx.profile.event_spam_burst * fx.profile.event_spam_refill_ms, fx.now))
    field, _, name = str(fact.data.get("field_path") or "").removeprefix("spec.").partition("{")
    group = _GROUPS.get(field, "")
    container = name.rstrip("}") if group else ""
    emit(fx, row, severity=severity, reason=fact.name, message=message, container=container, group=group or "app", rule="")


def _is_it(fx: PastEffects, row: PodRow, fact: PastFact, key: tuple[str, ...]) -> bool:
    held = fx.tables.k8s_events[key]
    wanted = (row.subject, fact.name, str(fact.data.get("message") or ""), str(fact.data.get("component") or ""))
    return (held.subject, held.reason, held.message, held.component) == wanted


def _count(fx: PastEffects, row: PodRow, fact: PastFact) -> int:
    return next((held.count for key, held in fx.tables.k8s_events.items() if _is_it(fx, row, fact, key)), 0)


def _raise_count(fx: PastEffects, row: PodRow, fact: PastFact, count: int) -> None:
    for key, held in fx.tables.k8s_events.items():
        if _is_it(fx, row, fact, key):
            fx.save_k8s_event(key, replace(held, count=count))
            return


def attempt_fact(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """A probe ran."""
    data: Data = (("output", str(fact.data.get("output") or "")), ("run", int(fact.data.get("run") or 1)))
    data = (*data, ("threshold", int(fact.data.get("threshold") or 1)), ("took_ms", int(fact.data.get("took_ms") or 0)))
    instance = find_instance(fx, row.key, fact.name.partition("/")[0])
    if instance is not None:
        fx.cause = instance.seq
    subject, target = f"probe/{row.key}/{fact.name}", str(fact.data.get("outcome") or "failure")
    fx.cause = fx.record(kind=_ATTEMPT, subject=subject, machine="probe_attempt", target=target, rule="", data=data)


def result_fact(fx: PastEffects, row: PodRow, fact: PastFact) -> None:
    """The stored result of a probe changed."""
    subject, target = f"probe/{row.key}/{fact.name}", str(fact.data.get("result") or "failure")
    fx.cause = fx.fire(PROBE, subject, PROBE.initial, "imported", None, word=target)[1]


def tokens_left(burst: int, refill_ms: Ms, *, age_ms: Ms, written: int) -> int:
    """What is left in the spam filter's bucket of a pod, in refill milliseconds."""
    return min(max(burst * refill_ms + age_ms - written * refill_ms, 0), burst * refill_ms)
