"""Kubernetes Events about Node objects."""

from msgspec.structs import replace

from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.units import Ms, Seq
from simulator.engine.world.effects import Effects
from simulator.engine.world.rows import HeldEvent, K8sEvent


def emit_node(fx: Effects, node: str, *, component: str, severity: str = "Normal", reason: str, message: str, rule: str) -> Seq:
    """Write an Event about a node; equal ones are counted. Returns its record."""
    if fx.is_cut_off:
        fx.hold_event(
            node,
            HeldEvent(at_ms=fx.now, pod="", severity=severity, reason=reason, message=message, path="", rule=rule, cause=fx.cause),
        )
        return fx.cause
    return write_node_event(fx, node, component=component, severity=severity, reason=reason, message=message, rule=rule, at_ms=fx.now)


def write_node_event(fx: Effects, node: str, *, component: str, severity: str, reason: str, message: str, rule: str, at_ms: Ms) -> Seq:
    """Write an Event about a node that was made at ``at_ms``. Returns its record."""
    key = (component, node, "", "node", severity, reason, message)
    old = fx.tables.k8s_events.get(key)
    count = old.count + 1 if old is not None else 1
    data = (("type", severity), ("message", message), ("count", count), ("component", component), ("field_path", ""))
    seq = fx.record(
        kind=RecordKind.K8S_EVENT.value, subject=f"node/{node}", machine="k8s_event", target=reason, rule=rule, data=data
    )  # fmt: skip
    if old is not None:
        fx.save_k8s_event(key, replace(old, count=count, last_ms=at_ms, seq=seq))
        return seq
    fx.save_k8s_event(key, K8sEvent(
        subject=f"node/{node}", namespace="default", object_name=node, field_path="", component=component, node=node,
        type=severity, reason=reason, message=message, first_ms=at_ms, last_ms=at_ms, count=1, seq=seq, first_seq=seq,
    ))  # fmt: skip
    return seq
