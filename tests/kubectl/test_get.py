"""The table of kubectl get pods."""

from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.projection.events import age
from simulator.kubectl.get import get_pods
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run


def test_table_has_the_columns_of_kubectl() -> None:
    world, _ = run(header(pod(container())), 65)
    assert get_pods(world) == "NAME   READY   STATUS    RESTARTS   AGE\np      1/1     Running   0          65s\n"


def test_wide_table_adds_address_and_node() -> None:
    world, _ = run(header(pod(container())), 5)
    row = get_pods(world, wide=True).splitlines()[1].split()
    assert row[5:] == ["10.244.0.3", "node1", "<none>", "<none>"]


def test_namespaces_come_first_when_there_are_several() -> None:
    other = pod(container(), name="q")
    other["metadata"]["namespace"] = "kube-system"
    world, _ = run(header(pod(container()), other), 5)
    assert [line.split()[0] for line in get_pods(world).splitlines()] == ["NAMESPACE", "default", "kube-system"]


def test_table_is_empty_when_every_pod_is_gone() -> None:
    world, _ = run(header(pod(container())), 60, (5, DeletePod(target="default/p")))
    assert get_pods(world) == ""


def test_event_age_counts_first_and_last() -> None:
    assert age(0, 223_000, 4, 320_000) == "97s (x4 over 5m20s)"


def test_event_age_is_simple_when_it_came_once() -> None:
    assert age(0, 0, 1, 320_000) == "5m20s"


def test_csi_nodes_show_how_many_drivers_they_have() -> None:
    drivers = [{"name": "example.com", "nodeID": "n", "allocatable": {"count": 1}}]
    node = {"apiVersion": "storage.k8s.io/v1", "kind": "CSINode", "metadata": {"name": "node1"}, "spec": {"drivers": drivers}}
    world, _ = run(header(node), 20)
    assert kubectl(world, "kubectl get csinodes", now_ms=20_000).splitlines() == ["NAME    DRIVERS   AGE", "node1   1         20s"]


def test_field_that_cannot_be_asked_for_is_refused_by_the_server():
    world, _ = run(header(pod(container())), 5)
    assert kubectl(world, "get pods --field-selector spec.nope=1") == (
        'Error from server (BadRequest): Unable to find "/v1, Resource=pods" that match label selector "", '
        'field selector "spec.nope=1": field label not supported: spec.nope\n'
    )


def test_events_are_picked_by_what_they_are_about():
    world, _ = run(header(pod(container()), pod(container(), name="q")), 5)
    for field, count in (("involvedObject.name=q", 4), ("reason=Started", 2), ("source=kubelet", 6), ("type!=Normal", 0)):
        assert len(kubectl(world, f"get events --no-headers --field-selector {field}").splitlines()) in (count, count or 1), field


def test_kind_may_be_named_with_its_version_and_group():
    world, _ = run(header(pod(container())), 5)
    assert kubectl(world, "get pods.v1. p -o name") == "pod/p\n"
    assert "doesn't have a resource type" in kubectl(world, "get deployments.v1beta1.apps")
    assert kubectl(world, "get deployments.v1.apps") == "No resources found in default namespace.\n"


def test_client_alone_knows_names_and_ages():
    world, _ = run(header(pod(container())), 5)
    assert kubectl(world, "get pods --server-print=false") == "NAME   AGE\np      5s\n"


def test_raw_path_of_health_is_answered_and_others_are_refused() -> None:
    world, _ = run(header(pod(container())), 1)
    assert kubectl(world, "get --raw /readyz") == "ok"
    assert kubectl(world, "get --raw /metrics").startswith("error: of get --raw this command line knows /healthz")
    assert kubectl(world, "get pods --raw /livez") == "error: arguments may not be passed when --raw is specified\n"
