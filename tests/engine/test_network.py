"""The network inside the world: names, Services, ports, and what containers and the kubelet can reach."""

import json

import pytest

from simulator.engine import World
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.containers.effort import Meter
from simulator.engine.network.network import PodNetwork
from simulator.engine.network.services import find_service
from simulator.engine.world.cluster import ClusterSpec, NodeSpec
from tests.engine.worlds import container, events, header, pod, run, words

WEB = {"name": "nginx", "image": "nginx:1.16.1", "ports": [{"name": "http", "containerPort": 80}]}


def web(name: str = "web", **spec: object) -> dict[str, object]:
    """A pod that serves on port 80, labelled app=web."""
    found = pod(WEB, name=name, **spec)
    found["metadata"]["labels"] = {"app": "web"}
    return found


def service(name: str = "web", **spec: object) -> dict[str, object]:
    """A Service for the pods labelled app=web, port 8080 to their port ``http``."""
    given = {"selector": {"app": "web"}, "ports": [{"port": 8080, "targetPort": "http"}], **spec}
    return {"apiVersion": "v1", "kind": "Service", "metadata": {"name": name}, "spec": given}


def seen_from(world: World, name: str = "p") -> PodNetwork:
    """The network as seen by a pod's container."""
    return PodNetwork(world, f"default/{name}", "app")


def world_of(*documents: dict[str, object], seconds: float = 5, **more: object) -> World:
    """A world a few seconds old with a client pod in addition to these objects."""
    return run(header(*documents, pod(container()), **more), seconds)[0]


@pytest.mark.parametrize(
    "name", ["web", "web.default", "web.default.svc", "web.default.svc.cluster.local", "web.default.svc.cluster.local."]
)
def test_service_has_its_names_when_it_exists(name):
    world = world_of(service())
    assert seen_from(world).resolve(name) == find_service(world, "default", "web").spec.cluster_ip


@pytest.mark.parametrize("name", ["db", "web.other", "web.default.pod", "nobody.example.com", "web.", ""])
def test_name_is_unknown_when_nothing_has_it(name):
    assert seen_from(world_of(service())).resolve(name) is None


def test_services_have_different_addresses_when_both_ask_for_one():
    world = world_of(service("a"), service("b"))
    assert len({find_service(world, "default", name).spec.cluster_ip for name in "ab"}) == 2


def test_service_keeps_its_address_when_it_is_applied_again():
    again = ApplyManifest(documents=(json.dumps(service(ports=[{"port": 1}])),))
    world, _ = run(header(service(), pod(container())), 5, (2, again))
    assert find_service(world, "default", "web").spec.cluster_ip == find_service(world_of(service()), "default", "web").spec.cluster_ip


def test_headless_service_resolves_to_a_pod():
    world = world_of(web(), service(clusterIP="None"))
    assert seen_from(world).resolve("web") == world.tables.sandboxes["default/web"].ip


def test_api_server_and_dns_have_their_names():
    seen = seen_from(world_of())
    assert (seen.resolve("kubernetes.default"), seen.resolve("kube-dns.kube-system.svc")) == ("10.96.0.1", "10.96.0.10")


def test_external_name_leads_to_another_service():
    world = world_of(service(), service("alias", type="ExternalName", externalName="web.default.svc.cluster.local"))
    assert seen_from(world).resolve("alias") == seen_from(world).resolve("web")


def test_service_leads_to_the_named_port_of_a_ready_pod():
    assert seen_from(world_of(web(), service())).get("web", 8080, "/", Meter()).status == 200


@pytest.mark.parametrize(("port", "outcome"), [(8080, "refused"), (81, "timeout")])
def test_service_answers_nothing_without_endpoints_or_at_another_port(port, outcome):
    assert seen_from(world_of(service())).get("web", port, "/", Meter()).outcome == outcome


STAYING = {"preStop": {"exec": {"command": ["sleep", "5"]}}}


@pytest.mark.parametrize(("kubernetes", "outcome"), [("1.25", "refused"), ("1.26", "answered")])
def test_pod_that_is_being_deleted_serves_a_service_without_others(kubernetes, outcome):
    leaving = web()
    leaving["spec"]["containers"] = [{**WEB, "lifecycle": STAYING}]
    world, _ = run(header(leaving, service(), pod(container()), kubernetes=kubernetes), 7, (5, DeletePod(target="default/web")))
    assert seen_from(world).get("web", 8080, "/", Meter()).outcome == outcome


def test_pod_answers_at_its_own_address():
    world = world_of(web())
    address = world.tables.sandboxes["default/web"].ip
    assert (seen_from(world).get(address, 80, "/", Meter()).status, seen_from(world).get(address, 81, "/", Meter()).outcome) == (
        200,
        "refused",
    )


def test_containers_of_a_pod_meet_on_localhost():
    script = "sleep 2; wget -qO- localhost | head -n 1; sleep 60"
    world, _ = run(header(pod(container(script), WEB)), 6)
    assert world.tables.logs["default/p", "app"][0][3] == "<!DOCTYPE html>"


def test_member_of_a_headless_service_has_a_name_of_its_own():
    world = world_of(web(subdomain="web", hostname="one"), service(clusterIP="None"))
    assert seen_from(world).resolve("one.web") == world.tables.sandboxes["default/web"].ip


def test_node_port_and_host_port_lead_to_the_pod():
    ported = web("ported")
    ported["spec"]["containers"] = [{**WEB, "ports": [{"containerPort": 80, "hostPort": 9000, "name": "http"}]}]
    world = world_of(ported, service(type="NodePort", ports=[{"port": 8080, "targetPort": "http", "nodePort": 30080}]))
    node = world.tables.nodes["node1"].ip
    assert [seen_from(world).get(node, port, "/", Meter()).outcome for port in (9000, 30080, 9001)] == ["answered", "answered", "refused"]


def test_service_variables_are_there_when_the_service_came_first():
    script = "echo $WEB_SERVICE_HOST:$WEB_SERVICE_PORT $KUBERNETES_SERVICE_HOST; sleep 60"
    world, _ = run(header(service(), pod(container(script))), 5)
    address = find_service(world, "default", "web").spec.cluster_ip
    assert world.tables.logs["default/p", "app"][0][3] == f"{address}:8080 10.96.0.1"


def test_service_variables_are_missing_when_the_pod_wants_none():
    world, _ = run(header(service(), pod(container("echo [$WEB_SERVICE_HOST]; sleep 60"), enableServiceLinks=False)), 5)
    assert world.tables.logs["default/p", "app"][0][3] == "[]"


def test_probe_reaches_another_container_of_the_pod():
    probed = container(readinessProbe={"tcpSocket": {"port": 80}, "periodSeconds": 1})
    _, records = run(header(pod(probed, WEB)), 6)
    ready = [record.get("ready") for record in records if record.machine == "status_word"]
    assert ready[-1] == "2/2"


def test_probe_of_a_host_by_name_fails_since_nodes_have_no_cluster_dns():
    probed = container(livenessProbe={"httpGet": {"host": "web", "port": 80, "path": "/"}, "periodSeconds": 1})
    _, records = run(header(service(), pod(probed)), 6)
    assert any("lookup web: no such host" in line for line in events(records))


def test_second_server_on_a_port_fails_and_comes_up_when_the_first_is_gone():
    first = {"name": "first", "image": "nginx:1.16.1"}
    second = {"name": "second", "image": "nginx:1.16.1"}
    world, records = run(header(pod(first, second)), 8)
    said = {line[3] for line in world.tables.logs["default/p", "second"]}
    assert "nginx: [emerg] bind() to 0.0.0.0:80 failed (98: Address already in use)" in said
    assert "Error" in words(records)


def test_requests_that_make_requests_are_paid_for_by_the_first_one():
    """Ten requests for each one over eight hops would be a hundred million runs of the handler."""
    handler = "for i in 1 2 3 4 5 6 7 8 9 10; do wget -qO- p & done; sleep 1"
    script = f"nc -lk -p 80 -e sh -c '{handler}' & sleep 1; wget -qO- p; echo answered; sleep 100"
    world, _ = run(header(pod(container(script))), 200)
    assert [line[3] for line in world.tables.logs["default/p", "app"]] == ["wget: download timed out", "answered"]


CUT_OFF = ClusterSpec(nodes=(NodeSpec(name="node1"),), internet="none")
FETCHES = {"name": "install", "image": "busybox:1.28", "command": ["wget", "-O", "/work-dir/index.html", "http://info.cern.ch"]}


def fetching() -> dict[str, object]:
    """The documentation's example: an init container fetches the page that nginx serves."""
    at = {"name": "workdir", "mountPath": "/work-dir"}
    served = {**WEB, "volumeMounts": [{"name": "workdir", "mountPath": "/usr/share/nginx/html"}]}
    first = {**FETCHES, "volumeMounts": [at]}
    return pod(served, name="init-demo", initContainers=[first], dnsPolicy="Default", volumes=[{"name": "workdir", "emptyDir": {}}])


def test_page_of_the_internet_is_fetched_and_served():
    world = world_of(fetching(), seconds=10)
    assert world.tables.pods["default/init-demo"].status.phase == "Running"
    answer = seen_from(world).get(world.tables.pods["default/init-demo"].status.pod_ip, 80, "/", Meter())
    assert "<title>http://info.cern.ch</title>" in answer.body


def test_cluster_without_the_internet_fetches_nothing():
    world, records = run(header(fetching(), cluster=CUT_OFF), 10)
    assert words(records, subject="pod/default/init-demo")[-1] == "Init:CrashLoopBackOff"
    assert [line[3] for line in world.tables.logs[("default/init-demo", "install")]][0] == "wget: bad address 'info.cern.ch'"
    assert [record for record in records if record.rule == "BEHAVIOUR-NOTE"] == []


@pytest.mark.parametrize("name", ["example.com", "www.example.com.", "GitHub.com"])
def test_host_of_the_internet_has_an_address_outside_the_cluster(name):
    network = seen_from(world_of())
    assert network.resolve(name).startswith("203.0.113.")
    assert [network.get(name, port, "/", Meter()).outcome for port in (80, 443, 5432)] == ["answered", "answered", "timeout"]


def test_name_of_the_cluster_comes_before_one_of_the_internet():
    asks_for_io = service("k8s")
    asks_for_io["metadata"]["namespace"] = "io"
    world = world_of({"apiVersion": "v1", "kind": "Namespace", "metadata": {"name": "io"}}, asks_for_io)
    assert seen_from(world).resolve("k8s.io") == find_service(world, "io", "k8s").spec.cluster_ip


@pytest.mark.parametrize("command", ["wget -q http://nobody.test.com/x", "nslookup nobody.test.com", "ping -c1 nobody.test.com"])
def test_host_that_the_simulation_does_not_have_is_said(command):
    _, records = run(header(pod(container(command), restartPolicy="Never")), 10)
    noted = [record for record in records if record.rule == "BEHAVIOUR-NOTE"]
    assert [(record.target, record.subject) for record in noted] == [("internet-not-simulated", "container/default/p/app")]
    assert "nobody.test.com is not among the few hosts" in str(noted[0].get("text"))


def test_service_that_does_not_exist_is_no_matter_of_the_internet():
    _, records = run(header(pod(container("nslookup db.default.svc.cluster.local; nslookup db.prod"), restartPolicy="Never")), 10)
    assert [record for record in records if record.rule == "BEHAVIOUR-NOTE"] == []


def test_external_name_of_a_service_leads_outside():
    world = world_of(service("out", type="ExternalName", externalName="example.com", selector=None, ports=None))
    assert seen_from(world).resolve("out") == seen_from(world).resolve("example.com")
