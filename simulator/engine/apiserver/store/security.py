"""What PodSecurity reports of objects that are stored nevertheless, and of changes.

Source: pod-security-admission admission/admission.go.
"""

import json

from simulator.engine.apiserver.admission.chain import judge_security, security_remarks
from simulator.engine.apiserver.admission.pod_security.plugin import LABELS, is_significant, namespace_warnings, pod_security_label_errors
from simulator.engine.apiserver.admission.surroundings import NotAdmitted
from simulator.engine.apiserver.answer import invalid_object
from simulator.engine.apiserver.kind_answers import info_of
from simulator.engine.apiserver.refusal import refusal_of
from simulator.engine.apiserver.store.surroundings import cluster_of
from simulator.engine.kernel.json_text import Json
from simulator.engine.kernel.records import RecordKind
from simulator.engine.kernel.units import Subject
from simulator.engine.world.effects import Effects
from simulator.engine.world.lookups import pods_in

_TARGETS = {"POD-SECURITY-WARN": "warning", "POD-SECURITY-AUDIT": "audit"}


def _has_policy(fx: Effects, namespace: str) -> bool:
    row = fx.tables.objects.get(("Namespace", "", namespace)) if namespace else None
    return row is not None and LABELS in row.document and fx.world.release.facts.pod_security


def _note(fx: Effects, subject: Subject, rule: str, text: str) -> None:
    fx.record(kind=RecordKind.NOTE.value, subject=subject, machine="note", target=_TARGETS[rule], rule=rule, data=(("text", text),))


def note_security(fx: Effects, whole: Json, namespace: str, subject: Subject) -> None:
    """Write a note for what the namespace's policy warns of or audits in a stored object. Without a policy: one look-up."""
    if not _has_policy(fx, namespace):
        return
    known = cluster_of(fx.world, namespace).around(namespace)
    for rule, text in security_remarks(whole, info_of(whole), known, release=fx.world.release):
        _note(fx, subject, rule, text)


def judge_change(fx: Effects, shown: Json, wanted: Json) -> None:
    """Check that the policy of its namespace allows a change of a pod. Raises Refusal."""
    namespace = str(shown["metadata"].get("namespace") or "")
    if not _has_policy(fx, namespace) or not is_significant(wanted, shown):
        return
    known = cluster_of(fx.world, namespace).around(namespace)
    try:
        judge_security(wanted, known, release=fx.world.release)
    except NotAdmitted as error:
        raise refusal_of(error, error.rule) from None


def judge_labels(fx: Effects, shown: Json, wanted: Json) -> list[str]:
    """The warnings about the pods of a namespace whose labels change. Raises ApiError for labels that cannot be read."""
    if not fx.world.release.facts.pod_security:
        return []
    labels, old = (item["metadata"].get("labels") or {} for item in (wanted, shown))
    name = str(wanted["metadata"]["name"])
    if errors := pod_security_label_errors(labels, old):
        raise invalid_object("Namespace", name, errors)
    if labels == old:
        return []
    pods = [json.loads(row.document) for row in pods_in(fx.tables, name)]
    return namespace_warnings(name, labels, old, pods, release=fx.world.release)


def note_namespace_warnings(fx: Effects, subject: Subject, warnings: list[str]) -> None:
    """Write a note for each warning about the pods of a namespace."""
    for text in warnings:
        _note(fx, subject, "POD-SECURITY-WARN", text)
