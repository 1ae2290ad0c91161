"""Kubernetes Events about objects other than pods and nodes."""

from msgspec.structs import replace

from simulator.engine.apiserver.k8s_events import takes_nothing_new
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.units import Seq
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import K8sEvent
from simulator.engine.world.world import ApiObject


def emit_about(
    fx: Effects, row: ApiObject, *, component: str, severity: str = "Normal", reason: str, message: str, rule: str
) -> Seq:  # fmt: skip
    """Write an Event of a control-plane component about an object; equal ones are counted. Returns its record."""
    key = (component, row.subject, row.uid, severity, reason, message)
    old = fx.tables.k8s_events.get(key)
    if old is None and takes_nothing_new(fx, row.namespace or "default"):
        return fx.cause
    count = old.count + 1 if old is not None else 1
    data = (("type", severity), ("message", message), ("count", count), ("component", component), ("field_path", ""))
    seq = fx.record(kind=RecordKind.K8S_EVENT.value, subject=row.subject, machine="k8s_event", target=reason, rule=rule, data=data)
    fresh = K8sEvent(
        subject=row.subject, namespace=row.namespace or "default", object_name=row.name, field_path="", component=component, node="",
        type=severity, reason=reason, message=message, first_ms=fx.now, last_ms=fx.now, count=1, seq=seq, first_seq=seq,
    )  # fmt: skip
    fx.save_k8s_event(key, fresh if old is None else replace(old, count=count, last_ms=fx.now, seq=seq))
    return seq
