"""The plug-ins in their order: those that change a new object before it is validated, and those that judge it afterwards.

Source: pkg/kubeapiserver/options/plugins.go AllOrderedPlugins; apiserver pkg/endpoints/handlers/create.go.
"""

from simulator.engine.apiserver.admission.additions import add_node_tolerations, add_service_account
from simulator.engine.apiserver.admission.limit_ranger import add_limits, limit_problem
from simulator.engine.apiserver.admission.priority import add_priority
from simulator.engine.apiserver.admission.resource_quota import quota_problem
from simulator.engine.apiserver.admission.runtime_class import add_runtime_class, overhead_problem
from simulator.engine.apiserver.admission.surroundings import NotAdmitted, Surroundings
from simulator.engine.apiserver.answer import not_found
from simulator.engine.kernel.json_text import Json
from simulator.engine.model.kinds import KindInfo
from simulator.engine.versions.release import Release


def admit(whole: Json, info: KindInfo, known: Surroundings, *, release: Release, namespace: str, suffix: str) -> None:
    """What plug-ins add to a new object, in place; ``suffix`` ends the name of the token's volume. Raises ApiError and NotAdmitted."""
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


def judge(whole: Json, info: KindInfo, known: Surroundings) -> None:
    """What plug-ins have against an object that is complete and valid. Raises NotAdmitted."""
    if info.kind != "Pod":
        return
    if known.limits and (problem := limit_problem(whole["spec"], known.limits)):
        raise NotAdmitted(whole, problem, "LIMIT-RANGE", field="spec.containers")
    if problem := overhead_problem(whole["spec"], known):
        raise NotAdmitted(whole, problem, field="spec.overhead")
    if known.quotas and (problem := quota_problem(whole["spec"], known.quotas)):
        raise NotAdmitted(whole, problem, "QUOTA")
