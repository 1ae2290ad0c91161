"""What happened, in one line for any record except a command's: the actor first, API words as they are, numbers where there are any.

``HEADLINES`` maps machine and target to a message id; if more than the target decides, a function chooses. Values come
from the record's data and from its subject.

Which text: the machine's chooser first, then machine and target, then machine alone. A text that needs a
value the record lacks is not used, and the caller falls back to the rule's sentence; a half-filled
sentence is never shown. Records of old revisions must be readable too, so entries are not removed.
"""

from collections.abc import Callable

from simulator.engine.kernel.records import Record
from simulator.engine.kernel.rule_text import gettext_noop
from simulator.engine.kernel.units import Ms, Scalar
from simulator.engine.projection.subjects import names, short
from simulator.engine.projection.text import Text, missing, needed

Values = dict[str, Scalar]

HEADLINES: dict[tuple[str, str], str] = {
    ("object", "present"): gettext_noop("The API server stored pod {pod}"),
    ("object", "terminating"): gettext_noop("The API server marked pod {pod} for deletion with a grace period of {grace_s} s"),
    ("object", "gone"): gettext_noop("The API server removed pod {pod}"),
    ("scheduling", "unschedulable"): gettext_noop("The scheduler found no node for pod {pod}"),
    ("pod_actions", "kill"): gettext_noop("The kubelet decided to kill {container}"),
    ("pod_actions", "kill_pod"): gettext_noop("The kubelet decided to stop what is left of pod {pod}"),
    ("pod_actions", "create_sandbox"): gettext_noop("The kubelet decided that pod {pod} needs a sandbox"),
    ("backoff", "start"): gettext_noop("The kubelet decided that {container} may restart now"),
    ("container", "pulling"): gettext_noop("The kubelet began to pull {image} for {container}"),
    ("container", "creating"): gettext_noop("The kubelet creates container {container}"),
    ("container", "running"): gettext_noop("The runtime started {container}, instance {instance}"),
    ("container", "backoff"): gettext_noop("The kubelet delays {container}: next start in {wait} s (back-off {window})"),
    ("container", "waiting"): gettext_noop("The kubelet could not start {container}"),
    ("container", "stopping"): gettext_noop("The kubelet began to stop {container} with a grace period of {grace} s"),
    ("container", "exited"): gettext_noop("The process of {container} exited with code {exit_code}"),
    ("stop", "pre_stop"): gettext_noop("The kubelet runs the preStop hook of {container}; {left_s} s of the grace period are left"),
    ("stop", "term"): gettext_noop("The kubelet sent {signal} to {container}; {left_s} s are left"),
    ("stop", "killed"): gettext_noop("The runtime sent KILL to {container}"),
    ("stop", "stopped"): gettext_noop("Container {container} has stopped"),
    ("sandbox", "creating"): gettext_noop("The kubelet creates the sandbox of pod {pod}"),
    ("sandbox", "ready"): gettext_noop("The sandbox of pod {pod} is up with IP {ip}"),
    ("sandbox", "stopped"): gettext_noop("The sandbox of pod {pod} has stopped"),
    ("pod_worker", "syncing"): gettext_noop("The kubelet of {node} accepted pod {pod}"),
    ("pod_worker", "terminating"): gettext_noop("The kubelet began to terminate pod {pod} with a grace period of {grace_s} s"),
    ("pod_worker", "terminated"): gettext_noop("The kubelet has stopped every container of pod {pod}"),
    ("pod_worker", "finished"): gettext_noop("No trace of pod {pod} is left on its node"),
    ("probe", "success"): gettext_noop("The {probe} probe of {container} now reports success"),
    ("probe", "failure"): gettext_noop("The {probe} probe of {container} now reports failure"),
    ("probe", "unknown"): gettext_noop("The {probe} probe of {container} has no result yet"),
    ("probe_attempt", "success"): gettext_noop("The {probe} probe of {container} succeeded ({run} of {threshold})"),
    ("probe_attempt", "failure"): gettext_noop("The {probe} probe of {container} failed ({run} of {threshold})"),
    ("probe_attempt", "timeout"): gettext_noop("The {probe} probe of {container} got no response within {took} s ({run} of {threshold})"),
    ("probe_attempt", "error"): gettext_noop("The {probe} probe of {container} could not be run"),
    ("probe_attempt", "suppressed"): gettext_noop("The {probe} probe of {container} was not run"),
    ("hook", "running"): gettext_noop("The kubelet runs the {hook_name} hook of {container}"),
    ("hook", "done"): gettext_noop("The {hook_name} hook of {container} exited with code {exit_code}"),
    ("hook", "failed"): gettext_noop("The {hook_name} hook of {container} failed: {message}"),
    ("k8s_event", ""): gettext_noop("{component} wrote Event {target}: {message}"),
    ("note", ""): gettext_noop("{container}: {text}"),
    ("import", ""): gettext_noop("The imported past ends here"),
    ("note", "read_oom"): gettext_noop("The kernel killed {container} at its memory limit of {limit} (OOMKilled, exit code {exit_code})"),
    ("note", "read_node_oom"): gettext_noop(
        "The kernel killed {container}, which has no memory limit, because its node ran out of memory (OOMKilled, exit code {exit_code})"
    ),
    ("note", "read_stopped"): gettext_noop("The kubelet stopped {container}: {message}"),
    ("note", "read_lost"): gettext_noop("{container} ended unobserved; the kubelet recorded exit code {exit_code}"),
    ("note", "read_exit"): gettext_noop("The program of {container} exited on its own with code {exit_code}"),
    ("note", "read_wait"): gettext_noop("The kubelet had not started {container}: {message}"),
    ("volumes", "waiting"): gettext_noop("The kubelet is waiting for volumes of pod {pod}: {volumes}"),
    ("volumes", "mounted"): gettext_noop("The kubelet mounted {volumes} of pod {pod}"),
    ("volumes", "timeout"): gettext_noop("The kubelet gave up waiting for volumes of pod {pod}: {volumes}"),
    ("volumes", "refreshed"): gettext_noop("The kubelet rewrote the files of {volumes} of pod {pod}"),
    ("kubelet", "stopped"): gettext_noop("The kubelet of {node} has stopped"),
    ("kubelet", "starting"): gettext_noop("The kubelet of {node} is starting"),
    ("kubelet", "running"): gettext_noop("The kubelet of {node} is up"),
    ("uplink", "cut"): gettext_noop("Node {node} was disconnected; the API server still shows its last report"),
    ("uplink", "back"): gettext_noop("The network of node {node} is back"),
    ("uplink", "connected"): gettext_noop("The kubelet of {node} has caught up with the API server"),
    ("status_report", "held"): gettext_noop("On its node pod {pod} is {holds}, but the API server still shows {shows}"),
    ("status_report", ""): gettext_noop("The node and the API server agree about pod {pod} again"),
    ("node_condition", ""): gettext_noop("Condition {condition} of node {node} is {status}"),
    ("taint", "present"): gettext_noop("Node {node} was tainted with {taint}"),
    ("taint", "absent"): gettext_noop("Taint {taint} was removed from node {node}"),
    ("taint_eviction", "waiting"): gettext_noop("Pod {pod} will be deleted in {seconds} s because of a taint on its node"),
    ("taint_eviction", "cancelled"): gettext_noop("Pod {pod} will no longer be deleted because of a taint"),
    ("api_object", "present"): gettext_noop("The API server stored {kind} {name}"),
    ("api_object", "terminating"): gettext_noop("The API server marked {kind} {name} for deletion"),
    ("api_object", "gone"): gettext_noop("The API server removed {kind} {name}"),
    ("budget", ""): gettext_noop(
        "Disruption budget {name}: {current} healthy {current:pod|pods}, {desired} required, {allowed} may be evicted"
    ),
    ("budget", "failed"): gettext_noop("Disruption budget {name} could not be computed"),
    ("pod_eviction", ""): gettext_noop("The eviction API allows evicting pod {pod}"),
    ("pod_eviction", "counted"): gettext_noop("The eviction API allows evicting pod {pod}, as budget {budget} permits"),
    ("requests", "answered"): gettext_noop("Requests from Service {service} to pod {pod} are answered"),
    ("requests", "retried"): gettext_noop("Requests from Service {service} to pod {pod} fail at first and are answered by another"),
    ("requests", "error"): gettext_noop("Requests from Service {service} to pod {pod} are answered with an error"),
    ("requests", "refused"): gettext_noop("Requests from Service {service} to pod {pod} are refused"),
    ("requests", "timeout"): gettext_noop("Requests from Service {service} to pod {pod} time out"),
    ("requests", "reset"): gettext_noop("{count} {count:request|requests} from Service {service} to pod {pod} {count:is|are} reset"),
    ("requests", ""): gettext_noop("Service {service} no longer sends requests to pod {pod}"),
    ("drain", "evict"): gettext_noop("kubectl drain evicts pod {pod}"),
    ("drain", "delete"): gettext_noop("kubectl drain deletes pod {pod}"),
    ("drain", "retry"): gettext_noop("kubectl drain is waiting to evict pod {pod}"),
    ("drain", "drained"): gettext_noop("kubectl drain is done with node {node}"),
    ("drain", "warned"): gettext_noop("kubectl drain warns about pods on node {node}"),
    ("drain", "failed"): gettext_noop("kubectl drain gives up on pod {pod}"),
    ("drain", "skipped"): gettext_noop("kubectl drain leaves pod {pod} alone: {message}"),
    ("drain", "refused"): gettext_noop("kubectl drain refuses to drain node {node}: {message}"),
    ("orphan", "found"): gettext_noop("The kubelet found pod {pod}, which the API no longer knows"),
    ("stop", "turn"): gettext_noop("Sidecar {container} waits its turn to stop"),
    ("stop", "alive"): gettext_noop("Nothing is stopping {container} for now"),
    ("resize", "proposed"): gettext_noop("Pod {pod} was given new resources; its kubelet has to agree"),
    ("resize", "deferred"): gettext_noop("The kubelet defers the resize of pod {pod}: {message}"),
    ("resize", "infeasible"): gettext_noop("The kubelet cannot resize pod {pod}: {message}"),
    ("resize", "in_progress"): gettext_noop("The kubelet begins to resize pod {pod}"),
    ("resize", "error"): gettext_noop("The kubelet failed to resize pod {pod}: {message}"),
    ("resize", "done"): gettext_noop("The kubelet has resized pod {pod}"),
    ("resize", "live"): gettext_noop("The runtime changed the resources of {container} while it runs"),
    ("resize", "restart"): gettext_noop("The kubelet restarts {container} for its new resources"),
    ("runtime", "up"): gettext_noop("The container runtime of node {node} is up"),
    ("runtime", "down"): gettext_noop("The container runtime of node {node} is down"),
    ("runtime", "unreachable"): gettext_noop("The container runtime of node {node} is back; the kubelet has not reached it yet"),
    ("network", "present"): gettext_noop("The network plugin of node {node} is in place"),
    ("network", "missing"): gettext_noop("The network plugin of node {node} is missing"),
    ("shutdown", "on"): gettext_noop("Node {node} is on"),
    ("shutdown", "shutting_down"): gettext_noop("Node {node} is shutting down"),
    ("shutdown", "group"): gettext_noop("Node {node} terminates its pods with priority {priority} or higher"),
    ("shutdown", "off"): gettext_noop("Node {node} is off"),
    ("labels", "changed"): gettext_noop("The labels of node {node} changed"),
    ("static_pod", "present"): gettext_noop("The kubelet of {node} runs static pod {static}"),
    ("static_pod", "absent"): gettext_noop("The kubelet of {node} drops static pod {static}"),
    ("taint_eviction", "over"): gettext_noop("The taint manager deletes pod {pod}"),
    ("taint_eviction", "gone"): gettext_noop("Pod {pod} was gone before the taint manager had to delete it"),
    ("user_namespace", ""): gettext_noop("Pod {pod} was assigned the user IDs {target} on its node"),
    ("workload", "complete"): gettext_noop("{kind} {about} has everything it asks for"),
    ("workload", "partial"): gettext_noop("{kind} {about} has {there} of {wanted} {wanted:pod|pods}"),
    ("workload", "empty"): gettext_noop("{kind} {about} has none of its pods yet"),
    ("workload", "failing"): gettext_noop("{kind} {about} reports a problem: {condition}"),
    ("workload", "done"): gettext_noop("{kind} {about} is done"),
    ("eviction", ""): gettext_noop("The kubelet of {node} evicts pod {target}: {resource} is low"),
    ("oom", ""): gettext_noop("The kernel of node {node} chose a process of {target}: the node is out of memory"),
    ("preemption", ""): gettext_noop("The scheduler makes room for pod {pod} on node {target}"),
    ("pod_actions", "reset"): gettext_noop("The kubelet decided to remove every container of pod {pod}"),
}
_UPDATED = gettext_noop("The API server stored a change to pod {pod}")
_CHANGED = gettext_noop("The API server stored a change to {kind} {name}")
_NODE_PRESENT = gettext_noop("Node {node} joined the cluster")
_NODE_GONE = gettext_noop("Node {node} was removed from the cluster")
_ATTEMPT_AGAIN = gettext_noop("The {probe} probe of {container} failed {run} times in a row (threshold {threshold})")
_ATTEMPT_GOOD = gettext_noop("The {probe} probe of {container} succeeded {run} times in a row")
_SCHEDULED = gettext_noop("The scheduler bound pod {pod} to {target}")
_OOM = gettext_noop("The kernel killed {container} because of its memory: exit code {exit_code}")
_START_FAILED = gettext_noop("The runtime could not start {container}: exit code {exit_code}")
_IMAGE_BACKOFF = gettext_noop("The kubelet delays the pull of {image}: next pull in {wait} s (back-off {window})")
_STOP_AT_ONCE = gettext_noop("The kubelet began to stop {container}")
_WORD_FIRST = gettext_noop("kubectl shows pod {pod} as {target}")
_WORD = gettext_noop("kubectl shows pod {pod} as {target} (before: {source})")
_WORD_SAME = gettext_noop("kubectl shows pod {pod} as {target}, READY {ready}, RESTARTS {restarts}")
_WORD_GONE = gettext_noop("kubectl no longer shows pod {pod}")
_PHASE_FIRST = gettext_noop("Phase of pod {pod}: {target}")
_PHASE = gettext_noop("Phase of pod {pod}: {source} → {target}")
_CONDITION = gettext_noop("The kubelet set {type}={target} on pod {pod}")
_CONDITION_SCHEDULER = gettext_noop("The scheduler set {type}={target} on pod {pod}")
_CONDITION_REASON = gettext_noop("The kubelet changed the reason of {type}={target} on pod {pod} to {reason}")
_CONDITION_GONE = gettext_noop("Condition {type} is gone from pod {pod}")
_STATUS_WAITING = gettext_noop("The kubelet published {container}: waiting ({reason})")
_STATUS_RUNNING = gettext_noop("The kubelet published {container}: running, ready {ready}")
_STATUS_TERMINATED = gettext_noop("The kubelet published {container}: terminated ({reason}, exit code {exit_code})")
_STATUS_GONE = gettext_noop("The status of {container} was removed")
_NOTE_POD = gettext_noop("{text}")
_USER_IDS_FREE = gettext_noop("Pod {pod} returned its user IDs")
_HOOK_FAILED = gettext_noop("The {hook_name} hook of {container} failed with exit code {exit_code}")
_HOOKS = {"post_start": "postStart", "pre_stop": "preStop"}


def values_of(record: Record) -> Values:
    """Everything a sentence about the record may mention. Durations also exist in seconds: grace, took, wait."""
    values: Values = dict(record.data)
    # Names of the subject win over data with the same key.
    values |= names(record.subject)
    values |= {"source": record.source, "target": record.target, "about": short(record.subject)}
    for name, key in (("grace", "grace_ms"), ("took", "took_ms")):
        span = values.get(key)
        if isinstance(span, int):
            values[name] = seconds_text(span)
    until = values.get("until_ms")
    if isinstance(until, int):
        values["wait"] = seconds_text(until - record.at_ms)
    if isinstance(values.get("message"), str):
        values["message"] = str(values["message"]).strip()
    values["hook_name"] = _HOOKS.get(str(values.get("hook")), values.get("hook"))
    return values | _short_names(record)


def _short_names(record: Record) -> Values:
    """Short forms of what records name by its whole key, for use in sentences."""
    found: Values = {}
    if "/" in str(owner := record.get("owner")):
        found["owner"] = short(str(owner))
    if record.machine == "static_pod":
        found["static"] = short(f"pod/{record.get('pod')}").partition("#")[0]
    elif record.machine in ("eviction", "oom"):
        found["target"] = short(f"pod/{record.target}")
    return found


def seconds_text(span: Ms) -> str:
    """A duration in seconds, with one decimal if it has a fraction: ``30``, ``7.2``."""
    tenths = (span + 50) // 100
    return f"{tenths // 10}.{tenths % 10}" if tenths % 10 else str(tenths // 10)


def given_values(record: Record) -> Values:
    """Those of ``values_of`` that are present."""
    return {key: value for key, value in values_of(record).items() if value not in (None, "")}


def headline(record: Record) -> Text | None:
    """What a record other than a command's says happened; None if it has no headline, or a value that it needs is missing."""
    values = given_values(record)
    chooser = _CHOOSERS.get(record.machine)
    chosen = chooser(record, values) if chooser is not None else ""
    usual = chosen or HEADLINES.get((record.machine, record.target)) or HEADLINES.get((record.machine, ""), "")
    return needed(usual, values) if usual and not missing(usual, values) else None


def _object(record: Record, values: Values) -> str:
    if "node" in values and "pod" not in values:
        return _NODE_GONE if record.target == "gone" else _NODE_PRESENT
    return _UPDATED if record.trigger == "updated" else ""


def _api_object(record: Record, values: Values) -> str:
    return _CHANGED if record.trigger == "updated" else ""


def _word(record: Record, values: Values) -> str:
    if not record.target:
        return _WORD_GONE
    if not record.source:
        return _WORD_FIRST
    return _WORD_SAME if record.source == record.target else _WORD


_ENDPOINTS = gettext_noop("The list of pods behind Service {service} was updated")
_REQUESTS_RESET = gettext_noop("Requests from Service {service} to pod {pod} are reset")
_NO_POD_REFUSED = gettext_noop("Requests to Service {service} are refused: no pod can take them")
_NO_POD_TIMEOUT = gettext_noop("Requests to Service {service} time out: they reach no pod")
_NO_POD_OVER = gettext_noop("Requests to Service {service} reach pods again, or have stopped")


def _phase(record: Record, values: Values) -> str:
    return _PHASE if record.source else _PHASE_FIRST


def _condition(record: Record, values: Values) -> str:
    if not record.target:
        return _CONDITION_GONE
    if record.rule.startswith("SCHEDULE-"):
        return _CONDITION_SCHEDULER
    return _CONDITION_REASON if record.source == record.target and values.get("reason") else _CONDITION


def _container_status(record: Record, values: Values) -> str:
    known = {"waiting": _STATUS_WAITING, "running": _STATUS_RUNNING, "terminated": _STATUS_TERMINATED}
    return known.get(record.target, _STATUS_GONE)


def _container(record: Record, values: Values) -> str:
    if record.rule == "PULL-BACKOFF":
        return _IMAGE_BACKOFF
    if record.target == "exited" and record.trigger in ("oom_killed", "start_failed"):
        return _OOM if record.trigger == "oom_killed" else _START_FAILED
    return _STOP_AT_ONCE if record.target == "stopping" and "grace" not in values else ""


def _attempt(record: Record, values: Values) -> str:
    run, threshold = values.get("run"), values.get("threshold")
    if not isinstance(run, int) or not isinstance(threshold, int) or run <= threshold or record.target == "error":
        return ""
    return _ATTEMPT_GOOD if record.target == "success" else _ATTEMPT_AGAIN


def _scheduling(record: Record, values: Values) -> str:
    return "" if record.target == "unschedulable" else _SCHEDULED


def _requests(record: Record, values: Values) -> str:
    if "pod" in values:
        return _REQUESTS_RESET if record.target == "reset" and "count" not in values else ""
    return {"refused": _NO_POD_REFUSED, "timeout": _NO_POD_TIMEOUT}.get(record.target, _NO_POD_OVER)


def _note(record: Record, values: Values) -> str:
    if record.target == "endpoints":
        return _ENDPOINTS
    return "" if "container" in values else _NOTE_POD


def _hook(record: Record, values: Values) -> str:
    return _HOOK_FAILED if record.target == "failed" and "message" not in values else ""


def _user_namespace(record: Record, values: Values) -> str:
    return "" if record.target else _USER_IDS_FREE


_CHOOSERS: dict[str, Callable[[Record, Values], str]] = {
    "object": _object,
    "api_object": _api_object,
    "status_word": _word,
    "phase": _phase,
    "condition": _condition,
    "container_status": _container_status,
    "container": _container,
    "probe_attempt": _attempt,
    "scheduling": _scheduling,
    "note": _note,
    "hook": _hook,
    "user_namespace": _user_namespace,
    "requests": _requests,
}
