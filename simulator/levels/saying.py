"""Describe a record pattern as a clause that can begin a sentence: ``Container app is running``."""

from django.utils.translation import gettext as _
from django.utils.translation import gettext_noop, ngettext

from simulator.engine.kernel.units import Subject
from simulator.scenarios.grading.patterns import Range, RecordPattern

_CLAUSES = {
    ("container", "running"): gettext_noop("%(thing)s is running"),
    ("container", "exited"): gettext_noop("%(thing)s exits with code %(exit_code)s"),
    ("container", "stopping"): gettext_noop("%(thing)s is being stopped"),
    ("container_status", "running"): gettext_noop("%(thing)s is running"),
    ("container_status", "waiting"): gettext_noop("%(thing)s is waiting with reason %(reason)s"),
    ("container_status", "terminated"): gettext_noop("%(thing)s is terminated with reason %(reason)s"),
    ("stop", "pre_stop"): gettext_noop("%(thing)s runs its preStop hook"),
    ("stop", "term"): gettext_noop("%(thing)s is sent its stop signal"),
    ("stop", "killed"): gettext_noop("%(thing)s is killed"),
    ("hook", "done"): gettext_noop("%(thing)s is done with its %(hook)s hook"),
    ("hook", "failed"): gettext_noop("%(thing)s fails its %(hook)s hook"),
    ("object", "present"): gettext_noop("%(thing)s exists"),
    ("object", "terminating"): gettext_noop("%(thing)s is marked for deletion"),
    ("object", "gone"): gettext_noop("%(thing)s is removed"),
    ("api_object", "present"): gettext_noop("%(thing)s exists"),
    ("api_object", "terminating"): gettext_noop("%(thing)s is marked for deletion"),
    ("api_object", "gone"): gettext_noop("%(thing)s is removed"),
    ("workload", "complete"): gettext_noop("%(thing)s has everything it asks for"),
    ("workload", "partial"): gettext_noop("%(thing)s has only some of its pods"),
    ("workload", "empty"): gettext_noop("%(thing)s has none of its pods"),
    ("workload", "done"): gettext_noop("%(thing)s is done"),
    ("workload", "failing"): gettext_noop("%(thing)s reports a problem"),
    ("taint", "present"): gettext_noop("%(thing)s has the taint %(key)s"),
    ("taint", "absent"): gettext_noop("%(thing)s does not have the taint %(key)s"),
    ("phase", ""): gettext_noop("%(thing)s is in phase %(target)s"),
    ("condition", ""): gettext_noop("%(thing)s has the condition %(condition)s=%(target)s"),
    ("node_condition", ""): gettext_noop("%(thing)s has the condition %(condition)s=%(target)s"),
    ("status_word", ""): gettext_noop("%(thing)s is shown as %(target)s by kubectl"),
    ("k8s_event", ""): gettext_noop("%(thing)s gets the Event %(target)s"),
}
"""Clauses by machine and target, "" for any. A clause is only used if the pattern has all the data it needs, and no other."""
_HOOKS = {"pre_stop": "preStop", "post_start": "postStart"}
_KINDS = {
    "deployment": "Deployment", "replicaset": "ReplicaSet", "statefulset": "StatefulSet", "daemonset": "DaemonSet", "job": "Job",
    "cronjob": "CronJob", "configmap": "ConfigMap", "secret": "Secret", "service": "Service", "endpoints": "Endpoints",
    "endpointslice": "EndpointSlice", "persistentvolume": "PersistentVolume", "persistentvolumeclaim": "PersistentVolumeClaim",
    "poddisruptionbudget": "PodDisruptionBudget", "horizontalpodautoscaler": "HorizontalPodAutoscaler", "namespace": "Namespace",
    "controllerrevision": "ControllerRevision",
}  # fmt: skip


def clause_of(pattern: RecordPattern) -> str:
    """Exactly what the pattern says, without a full stop; "" if there is no clause for it."""
    if not isinstance(pattern.target, str) or not pattern.target or pattern.source or pattern.rule or pattern.own or pattern.or_:
        return ""
    text = _CLAUSES.get((pattern.machine, pattern.target)) or _CLAUSES.get((pattern.machine, ""), "")
    thing = _thing(pattern.subject, pattern.owner)
    values: dict[str, object] = {"thing": thing, "target": pattern.target, **pattern.data}
    if "hook" in pattern.data:
        values["hook"] = _HOOKS.get(str(pattern.data["hook"]), pattern.data["hook"])
    if pattern.machine == "condition":
        values["condition"] = pattern.subject.split("/", 3)[-1]
    restarts = values.pop("instance", None)
    if isinstance(restarts, Range) and restarts.min and set(pattern.data) == {"instance"}:
        text = ngettext(
            "%(thing)s is running after at least %(n)d restart", "%(thing)s is running after at least %(n)d restarts", restarts.min
        )
        return text % {"thing": thing, "n": restarts.min}
    is_whole = all(f"%({name})s" in text for name in pattern.data)
    try:
        return _(text) % values if text and thing and is_whole else ""
    except KeyError:
        return ""


def _thing(subject: Subject, owner: Subject) -> str:
    """The thing a pattern is about, as the beginning of a sentence; "" if there is no word for its kind."""
    kind, _slash, rest = subject.partition("/")
    parts = rest.split("/", 2)
    whose = _owner(owner)
    if kind == "node":
        return _("Node %(name)s") % {"name": rest.partition("#")[0]}
    if kind == "container" and len(parts) == 3:
        values = {"name": parts[2], "owner": whose}
        return _("Container %(name)s of a pod of %(owner)s") % values if parts[1] == "*" and whose else _("Container %(name)s") % values
    if kind in ("pod", "condition") and len(parts) > 1:
        values = {"name": _name(parts[:2]), "owner": whose}
        return _("A pod of %(owner)s") % values if parts[1] == "*" and whose else _("Pod %(name)s") % values
    if kind in _KINDS and rest:
        values = {"kind": _KINDS[kind], "name": _name(parts), "owner": whose}
        return _("A %(kind)s of %(owner)s") % values if parts[-1] == "*" and whose else "{kind} {name}".format(**values)
    return ""


def _owner(subject: Subject) -> str:
    kind, _slash, rest = subject.partition("/")
    return f"{_KINDS[kind]} {_name(rest.split('/'))}" if kind in _KINDS else ""


def _name(parts: list[str]) -> str:
    """A name without its incarnation, preceded by its namespace unless that is ``default``."""
    return "/".join(parts[1:] if len(parts) > 1 and parts[0] == "default" else parts).partition("#")[0]
