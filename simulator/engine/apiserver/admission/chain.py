"""The plug-ins in their order: those that change a new object before validation, and those that check it afterwards.

Admission runs twice on the way in. The mutating half (``admit``) sees the object after defaulting
and before validation, so whatever it adds is validated like everything else. The validating half
(``judge``) sees the complete, valid object and can only refuse it.

The order is that of the server's list, and it shows. A namespace that does not exist is a 404
before any other plug-in answers. LimitRanger comes before ResourceQuota, so a quota counts the
requests that a LimitRange has filled in. Priority comes before RuntimeClass, and tolerations for
node trouble are added before those of the class. ResourceQuota comes last, since the real plug-in
writes what it charges: an object that another plug-in would refuse must not be charged.

A plug-in that refuses ends the chain: the client gets one 403 with one text, where validation lists
every error it finds. That is why the order decides which message a user sees first.

Pod Security exists from 1.23; the release's facts say so. It is enforced on pods only; for
workloads it only warns, since a controller's pods are checked when they are created.

Source: pkg/kubeapiserver/options/plugins.go AllOrderedPlugins; apiserver
pkg/endpoints/handlers/create.go.
"""

from simulator.engine.apiserver.admission.additions import add_node_tolerations, add_service_account
from simulator.engine.apiserver.admission.limit_ranger import add_limits, limit_problem
from simulator.engine.apiserver.admission.pod_security.plugin import pod_security_label_errors, refusal, remarks
from simulator.engine.apiserver.admission.priority import add_priority
from simulator.engine.apiserver.admission.resource_quota import quota_problem
from simulator.engine.apiserver.admission.runtime_class import add_runtime_class, overhead_problem
from simulator.engine.apiserver.admission.surroundings import NotAdmitted, Surroundings
from simulator.engine.apiserver.answer import invalid_object, not_found
from simulator.engine.apiserver.validation.kinds.workloads.templates import pod_template
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.engine.versions.release import Release


def admit(whole: Json, info: KindInfo, known: Surroundings, *, release: Release, namespace: str, suffix: str) -> None:
    """Apply what plug-ins add to a new object, in place; ``suffix`` ends the token volume's name. Raises ApiError and NotAdmitted."""
    if info.namespaced and known.namespaces is not None and namespace not in known.namespaces:
        raise not_found("namespaces", namespace)
    if info.kind != "Pod":
        return
    if known.limits:
        add_limits(whole, known.limits)
    add_service_account(whole, known, release=release, namespace=namespace, suffix=suffix)
    add_priority(whole, known)
    add_node_tolerations(whole["spec"])
    add_runtime_class(whole, known)


def judge(whole: Json, info: KindInfo, known: Surroundings, *, release: Release) -> None:
    """Let plug-ins check a complete and valid object. Raises NotAdmitted, and ApiError for labels of a namespace."""
    # The only check of a namespace: its labels are read here, as validation does not know them.
    if info.kind == "Namespace" and release.facts.pod_security:
        metadata = whole.get("metadata") or {}
        if errors := pod_security_label_errors(metadata.get("labels") or {}):
            raise invalid_object("Namespace", str(metadata.get("name") or ""), errors)
    if info.kind != "Pod":
        return
    if known.limits and (problem := limit_problem(whole["spec"], known.limits)):
        raise NotAdmitted(whole, problem, "LIMIT-RANGE", field="spec.containers")
    judge_security(whole, known, release=release)
    if problem := overhead_problem(whole["spec"], known):
        raise NotAdmitted(whole, problem, field="spec.overhead")
    if known.quotas and (problem := quota_problem(whole["spec"], known.quotas)):
        raise NotAdmitted(whole, problem, "QUOTA")


def judge_security(pod: Json, known: Surroundings, *, release: Release) -> None:
    """Check that the policy of the namespace admits a new or changed pod. Raises NotAdmitted."""
    if known.security and release.facts.pod_security and (problem := refusal(known.security, pod, release=release)):
        raise NotAdmitted(pod, problem, "POD-SECURITY")


def security_remarks(whole: Json, info: KindInfo, known: Surroundings, *, release: Release) -> list[tuple[str, str]]:
    """Rule and text for each level to warn of or audit that a pod or workload violates, although it is stored."""
    if not known.security or not release.facts.pod_security:
        return []
    # A workload is judged by its template. It is never refused for that; only its pods can be.
    holder = whole if info.kind == "Pod" else pod_template(whole) if info.template else None
    return list(remarks(known.security, holder, release=release)) if holder is not None else []
