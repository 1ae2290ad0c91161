"""Families ``qos`` and ``pod_requests``."""

from simulator.engine.kernel.json_text import Json
from simulator.engine.model.manifest import pod_from_document
from simulator.engine.model.qos import qos_class
from simulator.engine.model.quantity import Quantity, parse
from simulator.engine.model.requests import ActualResources, Amounts, RequestOptions, pod_limits, pod_requests
from simulator.fidelity.cases.quantities import decimal_text


def evaluate_qos(case: Json) -> Json:
    """``{qosClass}``."""
    return {"qosClass": qos_class(pod_from_document(case["pod"]).spec, pod_level=True)}


def evaluate_requests(case: Json) -> Json:
    """``{requests, limits}`` as plain decimals."""
    spec = pod_from_document(case["pod"]).spec
    status = case["pod"].get("status", {})
    wanted = case.get("options") or {}
    options = RequestOptions(
        overhead=not wanted.get("excludeOverhead", False),
        pod_level=not wanted.get("skipPodLevelResources", False),
        status=wanted.get("useStatusResources", False),
        infeasible=_is_infeasible(status),
    )
    actual = _actual(status)
    return {
        "requests": _texts(pod_requests(spec, actual, options=options)),
        "limits": _texts(pod_limits(spec, actual, options=options)),
    }


def requests_agree(expected: Json, got: Json) -> bool:
    """Whether the complete resource lists agree, compared by amount."""
    return all(_values(expected[kind]) == _values(got[kind]) for kind in expected)


def _values(resources: Json) -> dict[str, int]:
    return {name: parse(written).nano for name, written in resources.items()}


def _texts(amounts: Amounts) -> dict[str, str]:
    return {name: decimal_text(Quantity(nano)) for name, nano in amounts.items()}


def _is_infeasible(status: Json) -> bool:
    return any(
        condition["type"] == "PodResizePending" and condition.get("reason") == "Infeasible" for condition in status.get("conditions", ())
    )


def _actual(status: Json) -> dict[str, ActualResources]:
    entries = (*status.get("containerStatuses", ()), *status.get("initContainerStatuses", ()))
    return {
        entry["name"]: ActualResources(
            requests=(entry.get("resources") or {}).get("requests"),
            limits=(entry.get("resources") or {}).get("limits"),
            allocated=entry.get("allocatedResources"),
        )
        for entry in entries
    }
