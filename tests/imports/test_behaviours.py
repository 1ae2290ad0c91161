import json

import pytest

from simulator.engine import advance, new_world
from simulator.engine.containers import parse_block
from simulator.engine.versions import MINORS, resolve
from simulator.imports.build import import_text
from simulator.imports.read import read
from simulator.imports.version import _evidence, guess_minor
from tests.imports import kubectl


def block_of(*objects, name="app"):
    imported = import_text(kubectl.listing(*objects))
    (entries,) = imported.assumed.values()
    block = next(entry.block for entry in entries if entry.container == name)
    if block is not None:
        parse_block(json.dumps(block))
    return block


def probed(kind, action, **more):
    return {"containers": [kubectl.container(**{f"{kind}Probe": {**action, "periodSeconds": 10, "failureThreshold": 3, **more}})]}


def test_a_container_that_crashed_goes_on_crashing_after_the_same_time():
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=3, last=kubectl.terminated(60, 65, 7))
    assert block_of(kubectl.pod(app))["exit"] == {"after": "5000ms", "code": 7}


def test_a_container_that_runs_keeps_running():
    assert block_of(kubectl.pod(kubectl.running(2))) == {"exit": "never"}


def test_a_container_that_outlived_its_last_crash_keeps_running():
    app = kubectl.running(100, restarts=1, last=kubectl.terminated(2, 5))
    assert block_of(kubectl.pod(app), kubectl.event("Pulled", "x", 500)) == {"exit": "never"}


def test_a_container_that_was_lost_with_its_node_keeps_running():
    app = kubectl.running(8, restarts=1, last=kubectl.terminated(2, 5, 255, "Unknown"))
    assert block_of(kubectl.pod(app)) == {"exit": "never"}


def test_a_container_that_was_killed_for_memory_grows_again():
    spec = {"containers": [kubectl.container(resources={"limits": {"memory": "64Mi"}})]}
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=1, last=kubectl.terminated(60, 70, 137, "OOMKilled"))
    assert block_of(kubectl.pod(app, spec=spec))["memory"][-1]["bytes"] > 64 << 20


@pytest.mark.parametrize(("lived_s", "at"), [(10, "10000ms"), (0, "1000ms")])
def test_memory_grows_as_long_as_the_instance_lived_and_a_second_at_least(lived_s, at):
    spec = {"containers": [kubectl.container(resources={"limits": {"memory": "64Mi"}})]}
    app = kubectl.status(
        "app", kubectl.waiting("CrashLoopBackOff"), restarts=1, last=kubectl.terminated(60, 60 + lived_s, 137, "OOMKilled")
    )
    assert block_of(kubectl.pod(app, spec=spec))["memory"] == [
        {"at": "0s", "bytes": 16 << 20},
        {"at": at, "bytes": (64 << 20) + (64 << 20) // 20 + 1},
    ]


def test_a_probe_that_failed_with_a_status_goes_on_failing_with_it():
    spec = probed("readiness", {"httpGet": {"path": "/ready", "port": 8080}})
    event = kubectl.event("Unhealthy", "Readiness probe failed: HTTP probe failed with statuscode: 503", 20, last=90, count=8)
    app = kubectl.pod(kubectl.running(2, ready=False), spec=spec, status={"conditions": kubectl.conditions(ready="False", since=0)})
    (listen,) = block_of(app, event)["listens"]
    assert listen["paths"] == {"/ready": [{"from": "0ms", "status": 503}]}


def test_nobody_listens_where_a_probe_was_refused():
    spec = probed("readiness", {"tcpSocket": {"port": 8080}})
    event = kubectl.event("Unhealthy", "Readiness probe failed: dial tcp 10.42.0.9:8080: connect: connection refused", 20)
    app = kubectl.pod(kubectl.running(2, ready=False), spec=spec, status={"conditions": kubectl.conditions(ready="False", since=0)})
    assert "listens" not in block_of(app, event)


@pytest.mark.parametrize(("ready", "told", "answer"), [(True, 0, "SERVING"), (False, 8, "NOT_SERVING")])
def test_a_service_of_grpc_goes_on_answering_as_it_did(ready, told, answer):
    spec = probed("readiness", {"grpc": {"port": 9090, "service": "s"}})
    events = [kubectl.event("Unhealthy", "Readiness probe failed: service unhealthy", 20, last=90, count=told)] if told else []
    status = {"conditions": kubectl.conditions(ready=str(ready), since=0)}
    (listen,) = block_of(kubectl.pod(kubectl.running(2, ready=ready), spec=spec, status=status), *events)["listens"]
    assert listen["grpc"] == {"s": answer}


def test_a_liveness_probe_fails_again_as_long_after_the_start_as_before():
    spec = probed("liveness", {"exec": {"command": ["cat", "/tmp/healthy"]}})
    unhealthy = kubectl.event("Unhealthy", "Liveness probe failed: cat: no such file", 37, last=57, count=3)
    killing = kubectl.event("Killing", "Container app failed liveness probe, will be restarted", 57)
    app = kubectl.running(88, restarts=1, last=kubectl.terminated(2, 87, 137))
    block = block_of(kubectl.pod(app, spec=spec), unhealthy, killing)
    assert [step["status"] for step in block["exec"]["cat /tmp/healthy"]] == [0, 1]
    assert block["onTerm"] == "ignore"


def test_a_program_that_the_simulator_understands_is_left_to_it():
    spec = {"containers": [{"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "sleep 5; exit 7"]}]}
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=3, last=kubectl.terminated(60, 65, 7))
    assert block_of(kubectl.pod(app, spec=spec)) is None


@pytest.mark.parametrize(("end", "code"), [(65, 3), (69, 7)])
def test_a_program_that_ended_otherwise_than_its_command_says_goes_on_as_it_did(end, code):
    spec = {"containers": [{"name": "app", "image": "busybox:1.36", "command": ["sh", "-c", "sleep 5; exit 7"]}]}
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=3, last=kubectl.terminated(60, end, code))
    assert block_of(kubectl.pod(app, spec=spec))["exit"] == {"after": f"{end - 60}000ms", "code": code}


def test_blocks_of_the_user_come_first():
    text = kubectl.listing(kubectl.pod(kubectl.running(2)))
    imported = import_text(text, blocks={"web": {"app": {"exit": {"after": "1s", "code": 3}}}})
    assert '\\"after\\": \\"1s\\"' in imported.header.past.pods[0].document


def test_the_version_is_an_old_one_when_the_fields_of_new_ones_are_missing():
    event = kubectl.event("Created", "Created container app", 1)
    assert MINORS.index(guess_minor(read(kubectl.listing(kubectl.pod(kubectl.running(2)), event)).pods)) < MINORS.index("1.29")


def test_the_version_is_a_new_one_when_the_text_has_its_fields():
    sandbox = kubectl.condition("PodReadyToStartContainers", "True", 1)
    app = {**kubectl.running(2), "resources": {}}
    pod = kubectl.pod(app, metadata={"generation": 1}, status={"conditions": [sandbox, *kubectl.conditions()]})
    assert MINORS.index(guess_minor(read(kubectl.listing(pod)).pods)) >= MINORS.index("1.33")


@pytest.mark.parametrize("field", ["resources", "allocatedResources"])
def test_either_field_of_a_status_that_is_resized_in_place_speaks_for_a_version_that_does_so(field):
    pods = [read(kubectl.listing(kubectl.pod(app))).pods[0] for app in (kubectl.running(2), {**kubectl.running(2), field: {}})]
    agreed = [sum(_evidence(pod, resolve("1.34", {}))) for pod in pods]
    assert agreed[1] == agreed[0] + 1


def test_a_pod_that_fits_nowhere_finds_nodes_that_refuse_it():
    message = "0/3 nodes are available: 1 node(s) had untolerated taint {gpu: yes}, 2 Insufficient cpu. preemption: 0/3 nodes are available"
    unfit = kubectl.condition("PodScheduled", "False", 0, reason="Unschedulable", message=message)
    spec = {"nodeName": None, "containers": [kubectl.container(resources={"requests": {"cpu": "6"}})]}
    status = {"conditions": [unfit], "startTime": None, "hostIP": None, "podIP": None}
    imported = import_text(kubectl.listing(kubectl.pod(phase="Pending", spec=spec, status=status)))
    nodes = imported.header.cluster.nodes
    assert [(node.taints, node.allocatable["cpu"]) for node in nodes] == [(("gpu=yes:NoSchedule",), "32"), ((), "3000m"), ((), "3000m")]


@pytest.mark.parametrize(
    ("reason", "taints"),
    [
        ("node(s) didn't match Pod's node affinity/selector", 0),
        ("node(s) didn't match node selector", 0),  # as schedulers before 1.23 wrote it
        ("node(s) didn't find available persistent volumes to bind", 1),
    ],
)
def test_a_node_that_refuses_a_pod_for_what_is_not_built_here_has_a_taint(reason, taints):
    unfit = kubectl.condition("PodScheduled", "False", 0, reason="Unschedulable", message=f"0/1 nodes are available: 1 {reason}.")
    status = {"conditions": [unfit], "startTime": None, "hostIP": None, "podIP": None}
    (node,) = import_text(kubectl.listing(kubectl.pod(phase="Pending", spec={"nodeName": None}, status=status))).header.cluster.nodes
    assert len(node.taints) == taints


def test_nodes_that_are_short_of_something_agree_with_the_pods_selector():
    message = "0/3 nodes are available: 2 Insufficient cpu, 1 node(s) didn't match Pod's node affinity/selector, 1 Insufficient memory."
    unfit = kubectl.condition("PodScheduled", "False", 0, reason="Unschedulable", message=message)
    requests = {"requests": {"cpu": "6", "memory": "2Gi"}}
    spec = {"nodeName": None, "nodeSelector": {"disk": "ssd"}, "containers": [kubectl.container(resources=requests)]}
    status = {"conditions": [unfit], "startTime": None, "hostIP": None, "podIP": None}
    world = new_world(import_text(kubectl.listing(kubectl.pod(phase="Pending", spec=spec, status=status))).header)
    advance(world, until_ms=400_000)
    told = world.live_pod("shop", "web").status.condition("PodScheduled").message
    assert told.startswith(
        "0/3 nodes are available: 1 Insufficient memory, 1 node(s) didn't match Pod's node affinity/selector, 2 Insufficient cpu."
    )


def test_a_node_of_the_text_says_its_version_and_size():
    status = {"allocatable": {"cpu": "1930m", "memory": "3388360Ki", "odd": "?"}, "nodeInfo": {"kubeletVersion": "v1.29.3-eks-ae9a62a"}}
    taints = [{"key": "dedicated", "value": "db", "effect": "NoSchedule"}, {"key": "node.kubernetes.io/not-ready", "effect": "NoExecute"}]
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-1", "labels": {"zone": "a"}}, "spec": {"taints": taints}}
    header = import_text(kubectl.listing(kubectl.pod(kubectl.running(2)), {**node, "status": status})).header
    (found,) = header.cluster.nodes
    assert (header.kubernetes, found.allocatable["cpu"], found.taints) == ("1.29", "1930m", ("dedicated=db:NoSchedule",))
    assert found.labels["zone"] == "a" and "odd" not in found.allocatable


def test_a_node_of_the_text_may_run_windows():
    info = {"operatingSystem": "windows", "osImage": "Windows Server 2019 Datacenter", "kernelVersion": "10.0.17763.5696"}
    node = {"apiVersion": "v1", "kind": "Node", "metadata": {"name": "worker-1"}, "status": {"nodeInfo": info}}
    (found,) = import_text(kubectl.listing(kubectl.pod(kubectl.running(2)), node)).header.cluster.nodes
    assert (found.os, found.os_image, found.kernel_version) == tuple(info.values())
    assert found.labels["kubernetes.io/os"] == "windows"


@pytest.mark.parametrize("spec", [{"nodeSelector": {"kubernetes.io/os": "windows"}}, {"os": {"name": "windows"}}])
def test_a_node_that_only_its_pods_tell_of_runs_what_they_ask_for(spec):
    (found,) = import_text(kubectl.listing(kubectl.pod(kubectl.running(2), spec=spec))).header.cluster.nodes
    assert (found.os, found.labels["kubernetes.io/os"]) == ("windows", "windows")


def test_a_node_of_the_text_is_silent_when_its_kubelet_does_not_report():
    node = {"kind": "Node", "metadata": {"name": "worker-1"}, "status": {"conditions": [{"type": "Ready", "status": "Unknown"}]}}
    imported = import_text(kubectl.listing(kubectl.pod(kubectl.running(2)), {"apiVersion": "v1", **node}))
    assert "silent" in [problem.code for problem in imported.problems]


def test_a_node_is_silent_when_its_pods_were_marked_not_ready():
    held = [{**item, **({"status": "False"} if item["type"] == "Ready" else {})} for item in kubectl.conditions()]
    imported = import_text(kubectl.listing(kubectl.pod(kubectl.running(2), status={"conditions": held})))
    assert "silent" in [problem.code for problem in imported.problems]


def test_a_probe_fails_only_meanwhile_when_the_container_was_ready_before_it_ended():
    spec = probed("readiness", {"httpGet": {"path": "/ready", "port": 8080}})
    event = kubectl.event("Unhealthy", "Readiness probe failed: context deadline exceeded", 599, last=601, count=2)
    app = kubectl.status("app", kubectl.waiting("CrashLoopBackOff"), restarts=3, last=kubectl.terminated(500, 602))
    pod = kubectl.pod(app, spec=spec, status={"conditions": kubectl.conditions(ready="False", since=602)})
    (listen,) = block_of(pod, event)["listens"]
    assert listen["paths"] == {"/ready": 200}


def test_the_version_knows_sidecars_when_the_pod_has_one():
    sidecar = {"initContainers": [{"name": "s", "image": "x:1", "restartPolicy": "Always"}]}
    pod = kubectl.pod(kubectl.running(5), spec=sidecar, status={"initContainerStatuses": [kubectl.running(3, name="s")]})
    assert MINORS.index(guess_minor(read(kubectl.listing(pod)).pods)) >= MINORS.index("1.29")


def test_a_node_does_not_exist_when_its_kubelet_never_took_the_pod():
    pod = kubectl.pod(phase="Pending", status={"startTime": None, "conditions": []})
    late = import_text(kubectl.listing(pod), now_ms=1_772_366_400_000 + 600_000)
    assert "worker-1" not in [node.name for node in late.header.cluster.nodes]


@pytest.mark.parametrize(("code", "end", "expected"), [
    (0, 69, {"exit": 0, "after": "30000ms"}), (143, 40, {"exit": 143, "after": "1000ms"}), (137, 69, "ignore"),
])  # fmt: skip
def test_a_container_that_was_stopped_ends_on_its_signal_as_it_did(code, end, expected):
    app = kubectl.running(70, restarts=1, last=kubectl.terminated(2, end, code))
    killing = kubectl.event("Killing", "Container app failed liveness probe, will be restarted", 39)
    (assumed,) = import_text(kubectl.listing(kubectl.pod(app), killing)).assumed["shop/web"]
    assert assumed.block["onTerm"] == expected


def test_a_stop_that_was_reported_twice_counts_from_the_last_time():
    app = kubectl.running(70, restarts=1, last=kubectl.terminated(2, 40, 143))
    killing = kubectl.event("Killing", "Container app failed liveness probe, will be restarted", 20, last=38, count=2)
    (assumed,) = import_text(kubectl.listing(kubectl.pod(app), killing)).assumed["shop/web"]
    assert assumed.block["onTerm"] == {"exit": 143, "after": "2000ms"}


def test_a_hook_before_the_signal_is_not_put_down_to_the_container():
    app = kubectl.running(70, restarts=1, last=kubectl.terminated(2, 69, 0, "Completed"))
    killing = kubectl.event("Killing", "Container app failed liveness probe, will be restarted", 39)
    spec = {"containers": [{**kubectl.container(), "lifecycle": {"preStop": {"sleep": {"seconds": 30}}}}]}
    (assumed,) = import_text(kubectl.listing(kubectl.pod(app, spec=spec), killing)).assumed["shop/web"]
    assert assumed.block["onTerm"] == {"exit": 0, "after": "0ms"}
