import pytest

from simulator.engine.model.container import Container, ResourceRequirements
from simulator.engine.model.pod import PodSpec
from simulator.engine.model.qos import RULE_OF, RULES, qos_class
from simulator.engine.model.requests import ActualResources, RequestOptions, pod_limits, pod_requests, resource_request

NANO = 10**9


def container(name="c", requests=None, limits=None, **fields):
    return Container(name=name, resources=ResourceRequirements(requests=requests or {}, limits=limits or {}), **fields)


def cpu(amount, name="c", **fields):
    return container(name, {"cpu": amount}, **fields)


FULL = {"cpu": "1", "memory": "1Gi"}


@pytest.mark.parametrize(
    ("containers", "expected"),
    [
        ((container(),), "BestEffort"),
        ((container(requests={"nvidia.com/gpu": 1}),), "BestEffort"),
        ((container(requests={"cpu": "0"}),), "BestEffort"),
        ((container(requests=FULL),), "Burstable"),
        ((container(requests=FULL, limits=FULL),), "Guaranteed"),
        ((container(requests=FULL, limits=FULL), container()), "Burstable"),
        ((container(requests={"cpu": "1000m", "memory": "1Gi"}, limits={"cpu": 1, "memory": "1024Mi"}),), "Guaranteed"),
        ((container(limits=FULL),), "Burstable"),
        ((container(requests={"cpu": "1"}, limits={"cpu": "1"}),), "Burstable"),
    ],
)
def test_qos_class_follows_cpu_and_memory(containers, expected):
    assert qos_class(PodSpec(containers=containers)) == expected


def test_qos_class_counts_init_containers():
    full = container(requests=FULL, limits=FULL)
    assert qos_class(PodSpec(containers=(full,), init_containers=(container(),))) == "Burstable"


def test_qos_class_looks_at_the_pod_alone_when_it_has_resources():
    spec = PodSpec(containers=(container(),), resources=ResourceRequirements(requests=FULL, limits=FULL))
    assert qos_class(spec, pod_level=True) == "Guaranteed"
    assert qos_class(spec) == "BestEffort"


def test_qos_rules_exist_for_every_class():
    assert set(RULE_OF.values()) == {rule.id for rule in RULES}


@pytest.mark.parametrize(
    ("inits", "expected"),
    [
        ((), 3),
        ((cpu("2"),), 3),
        ((cpu("4"), cpu("5")), 5),
        ((cpu("1", restart_policy="Always"),), 4),
        ((cpu("1", restart_policy="Always"), cpu("4")), 5),
        ((cpu("4"), cpu("1", restart_policy="Always")), 4),
    ],
)
def test_pod_requests_add_apps_and_sidecars_but_not_init_containers(inits, expected):
    spec = PodSpec(containers=(cpu("1"), cpu("2")), init_containers=inits)
    assert pod_requests(spec) == {"cpu": expected * NANO}


def test_pod_requests_add_overhead_and_limits_only_where_limited():
    spec = PodSpec(containers=(container(limits={"cpu": "2"}),), overhead={"cpu": "1", "memory": "1"})
    assert pod_requests(spec) == {"cpu": NANO, "memory": NANO}
    assert pod_limits(spec) == {"cpu": 3 * NANO}


def test_pod_requests_take_those_of_the_pod_when_set():
    spec = PodSpec(containers=(cpu("1"),), resources=ResourceRequirements(requests={"cpu": "5", "nvidia.com/gpu": 1}))
    assert pod_requests(spec) == {"cpu": 5 * NANO}
    assert pod_requests(spec, options=RequestOptions(pod_level=False)) == {"cpu": NANO}


@pytest.mark.parametrize(("infeasible", "expected"), [(False, 4), (True, 3)])
def test_pod_requests_take_the_largest_of_spec_and_status_while_resizing(infeasible, expected):
    actual = {"c": ActualResources(requests={"cpu": "2"}, allocated={"cpu": "3"})}
    options = RequestOptions(status=True, infeasible=infeasible)
    assert pod_requests(PodSpec(containers=(cpu("4"),)), actual, options=options) == {"cpu": expected * NANO}


def test_pod_requests_compare_sums_while_resizing():
    spec = PodSpec(containers=(cpu("4", "x"), cpu("1", "y")))
    actual = {"x": ActualResources(requests={"cpu": "1"}), "y": ActualResources(requests={"cpu": "4"})}
    assert pod_requests(spec, actual, options=RequestOptions(status=True)) == {"cpu": 5 * NANO}


def test_resource_request_uses_the_units_of_the_scheduler():
    spec = PodSpec(containers=(container(requests={"cpu": "1500m", "memory": "1Ki"}),), overhead={"cpu": "1", "storage": "1"})
    assert [resource_request(spec, name) for name in ("cpu", "memory", "storage", "pods")] == [2500, 1024, 0, 1]
