"""Kubernetes Events, written through the client's correlator as every component does: aggregate, count, filter.

An Event that a component emits goes through three stages of its own client before it reaches the
API server, and each can change or swallow it:

* Aggregation. Ten different messages with the same source, object, type and reason within ten
  minutes form a group; from the tenth on they all go into one Event, whose message starts with
  "(combined from similar events):". One of the ten is then forgotten, so the count of distinct
  messages stays at the limit instead of growing.
* Counting. An Event that equals an earlier one patches that one's count and last time.
* The spam filter, a token bucket by component and object: 25 Events at once, then one every five
  minutes. What it drops is counted nevertheless, and the next write of that Event shows it: a crash
  loop's count jumps by more than one.

All numbers are read from the profile. Tokens are counted in milliseconds of refill, so that nothing
is a float.

The scheduler writes events.k8s.io/v1 objects, which are neither aggregated nor filtered;
repetitions go into a series instead of a count. A kubelet that is cut off keeps its Events in the
recorder's queue and sends them later with the time at which they were made.

In a namespace that is being deleted no new Event can be created, but an existing one can still be
patched: repeated Events are still counted there, first ones are lost.

A race in real recorders: until 1.20 each Event is handed over by a goroutine of its own, so the
filter may see the second of two first (``emit_pair``; the profile says how often).

Source: client-go tools/record/events_cache.go.
"""

from msgspec import Struct
from msgspec.structs import replace

from simulator.engine.apiserver.documents.implied import GONE, namespaces
from simulator.engine.kernel.records import Data, RecordKind
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import HeldEvent, K8sEvent, PodRow, Similar
from simulator.engine.world.world import ApiObject

_EVENT = RecordKind.K8S_EVENT.value
MESSAGE_CHARS_MAX = 10_000
"""Characters of a message that are kept: an Event is stored and shown again and again."""
COMBINED = "(combined from similar events):"
_GROUP_FIELD = {"app": "containers", "init": "initContainers", "ephemeral": "ephemeralContainers"}


def field_path(container: str, group: str) -> str:
    """``spec.containers{app}``: how an event points at a container."""
    return f"spec.{_GROUP_FIELD[group]}{{{container}}}"


class EventText(Struct, frozen=True):
    """The type, reason and message of an Event."""

    severity: str
    reason: str
    message: str


def emit(
    fx: Effects, pod: PodRow, *, severity: str = "Normal", reason: str, message: str, container: str = "", group: str = "app", rule: str
) -> Seq:
    """Write an Event of the kubelet about a pod or one of its containers. Returns its record, or the cause if it was dropped."""
    path = f"spec.{_GROUP_FIELD[group]}{{{container}}}" if container else ""
    if fx.is_cut_off:
        return _hold(fx, pod, EventText(severity, reason, message), path, rule)
    return _send(fx, pod, EventText(severity, reason, message), path, rule=rule, passes=_take_token(fx, ("kubelet", pod.key)))


def emit_pair(fx: Effects, pod: PodRow, both: tuple[EventText, EventText], *, container: str, group: str, rule: str) -> None:
    """Write two Events that the kubelet sends in one go.

    Until 1.20 each is handed over by a goroutine of its own (``events_overtake_permille``): the filter then mostly sees the later one
    first, which matters when it lets only one more pass.
    """
    if fx.is_cut_off:
        for text in both:
            _hold(fx, pod, text, field_path(container, group), rule)
        return
    passes = [_take_token(fx, ("kubelet", pod.key)) for _ in both]
    overtakes = fx.profile.events_overtake_permille
    if overtakes and fx.uniform(f"recorder/{pod.key}", fx.now, 0, 1000) >= 1000 - overtakes:
        passes.reverse()
    for text, passed in zip(both, passes, strict=True):
        _send(fx, pod, text, field_path(container, group), rule=rule, passes=passed)


def _hold(fx: Effects, pod: PodRow, text: EventText, path: str, rule: str) -> Seq:
    """Keep an Event that the kubelet cannot send in the recorder's queue."""
    fx.hold_event(
        pod.node,
        HeldEvent(
            at_ms=fx.now,
            pod=pod.key,
            severity=text.severity,
            reason=text.reason,
            message=text.message,
            path=path,
            rule=rule,
            cause=fx.cause,
        ),
    )
    return fx.cause


def send_held(fx: Effects, pod: PodRow, event: HeldEvent) -> Seq:
    """Write an Event that waited, with the time at which it was made. Returns its record, or the cause if it was dropped."""
    passes = _take_token(fx, ("kubelet", pod.key))
    text = EventText(event.severity, event.reason, event.message)
    return _send(fx, pod, text, event.path, rule=event.rule, passes=passes, at_ms=event.at_ms)


def _send(fx: Effects, pod: PodRow, text: EventText, path: str, *, rule: str, passes: bool, at_ms: Ms | None = None) -> Seq:
    made_ms = fx.now if at_ms is None else at_ms
    base = ("kubelet", pod.node, pod.key, pod.uid, text.severity, text.reason)
    event = K8sEvent(
        subject=f"pod/{pod.key}", namespace=pod.namespace, object_name=pod.name, field_path=path, component="kubelet", node=pod.node,
        type=text.severity, reason=text.reason, message=text.message[:MESSAGE_CHARS_MAX], first_ms=made_ms, last_ms=made_ms, count=1, seq=0,
    )  # fmt: skip
    return _correlated(fx, base, event, rule=rule, passes=passes)


def _correlated(fx: Effects, base: tuple[str, ...], event: K8sEvent, *, rule: str, passes: bool) -> Seq:
    """Write an Event as the correlator of its component passes it on.

    From the tenth different message of one kind within the window on they are combined; one of the ten is then forgotten (``PopAny``),
    here the oldest.
    """
    message, known, profile, now = event.message, fx.tables.similar, fx.profile, fx.now
    similar = known.top.get(base) or known.below.get(base)
    messages: tuple[str, ...] = (message,)
    if similar is not None and now - similar.last_ms <= profile.event_aggregate_window_ms:
        held = similar.messages
        messages = held if message in held else (*held, message)
    is_many = len(messages) >= profile.event_aggregate_count
    fx.save_similar(base, Similar(messages[1:] if is_many else messages, now))
    if not is_many:
        key = (*base, event.field_path, message)
    else:  # combined Events ignore the field path: those of all containers share one
        key, event = (*base, COMBINED), replace(event, message=f"{COMBINED} {message}")
    if not passes:
        old = fx.tables.k8s_events.get(key)
        fx.save_k8s_event(key, replace(event, count=0, held=1) if old is None else replace(old, held=old.held + 1))
        return fx.cause
    return _write(fx, key, event, rule)


def emit_of_controller(
    fx: Effects, row: PodRow | ApiObject, component: str, *, severity: str = "Normal", reason: str, message: str, rule: str
) -> Seq:
    """Write an Event of a controller about a pod or another object, through its client's correlator.

    From the tenth different message of one reason within ten minutes on they are combined in one Event, and the filter passes 25 per
    object, then one every five minutes: of a ReplicaSet's 100 pods the first nine are named. Returns its record, or the cause if it was
    dropped. Source: client-go tools/record/events_cache.go NewEventCorrelator with its defaults, which every controller uses.
    """
    event = K8sEvent(
        subject=row.subject, namespace=row.namespace or "default", object_name=row.name, field_path="", component=component, node="",
        type=severity, reason=reason, message=message[:MESSAGE_CHARS_MAX], first_ms=fx.now, last_ms=fx.now, count=1, seq=0,
    )  # fmt: skip
    passes = _take_token(fx, (component, row.subject))
    return _correlated(fx, (component, "", row.subject, row.uid, severity, reason), event, rule=rule, passes=passes)


def passes_filter(fx: Effects, row: ApiObject, component: str) -> bool:
    """Whether the filter passes the next Event of a controller about the object."""
    return _tokens(fx, (component, row.subject)) >= fx.profile.event_spam_refill_ms


def emit_from(
    fx: Effects, pod: PodRow, component: str, *, severity: str = "Normal", reason: str, message: str, rule: str,
    series: tuple[str, bool] = ("", False),
) -> Seq:  # fmt: skip
    """Write an Event about a pod through the API events.k8s.io, as the scheduler does: no aggregation, no filter.

    ``series`` names one of several Event objects of equal content, and says whether a repetition shows in its series, not in its count.
    """
    part, in_series = series
    message = message[:MESSAGE_CHARS_MAX]
    return _write(fx, (component, pod.key, pod.uid, severity, reason, message, part), K8sEvent(
        subject=pod.subject, namespace=pod.namespace, object_name=pod.name, field_path="", component=component, node="",
        type=severity, reason=reason, message=message, first_ms=fx.now, last_ms=fx.now, count=1, seq=0,
    ), rule, series=in_series)  # fmt: skip


def refuses_new_objects(fx: Effects, namespace: str) -> bool:
    """Whether the namespace is being deleted or gone: nothing new is created in it, Events included (observed on a 1.20.2 node)."""
    world = fx.world
    row = world.tables.objects.get(("Namespace", "", namespace))
    if row is not None:
        return row.deletion_ms is not None
    return bool(world.counters.get(f"{GONE}{namespace}")) and namespace not in namespaces(world)


def _write(fx: Effects, key: tuple[str, ...], fresh: K8sEvent, rule: str, *, series: bool = False) -> Seq:
    known = fx.tables.k8s_events
    old = known.top.get(key) or known.below.get(key)
    # A row without a record was only ever held back by the filter; it still has to be created.
    if (old is None or not old.seq) and refuses_new_objects(fx, fresh.namespace):
        return fx.cause
    count = (old.count + old.held + (not series)) if old is not None else 1
    subject = fresh.subject
    if fresh.field_path:
        subject = f"container/{fresh.subject.removeprefix('pod/')}/{fresh.field_path.partition('{')[2][:-1]}"
    data: Data = (
        ("type", fresh.type),
        ("message", fresh.message),
        ("count", count),
        ("component", fresh.component),
        ("field_path", fresh.field_path),
    )
    if series:
        data = (*data, ("series", True))
    seq = fx.record(kind=_EVENT, subject=subject, machine="k8s_event", target=fresh.reason, rule=rule, data=data)
    if old is None:
        row = replace(fresh, seq=seq, first_seq=seq)
    else:
        row = replace(old, message=fresh.message, count=count, held=0, last_ms=fresh.last_ms, seq=seq, first_seq=old.first_seq or seq)
    fx.save_k8s_event(key, row)
    return seq


def _take_token(fx: Effects, bucket: tuple[str, str]) -> bool:
    """Take one token of the bucket of (component, object); tokens are counted in refill milliseconds, so nothing is a float."""
    profile, now = fx.profile, fx.now
    refill: Ms = profile.event_spam_refill_ms
    level = full = profile.event_spam_burst * refill
    held = fx.tables.buckets.get(bucket)
    if held is not None:
        level = min(full, held[0] + now - held[1])
    taken = level >= refill
    fx.save_bucket(bucket, (level - refill if taken else level, now))
    return taken


def _tokens(fx: Effects, bucket: tuple[str, str]) -> int:
    full = fx.profile.event_spam_burst * fx.profile.event_spam_refill_ms
    level, since = fx.tables.buckets.get(bucket, (full, fx.now))
    return min(full, level + fx.now - since)
