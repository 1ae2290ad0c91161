"""Every feature gate that can be set to a non-default value changes something in a run, or is refused with the reason."""

import json
from pathlib import Path
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.acts.all_acts import AnyCommand
from simulator.engine.acts.nodes.control import NodeControl
from simulator.engine.acts.nodes.label import LabelNode
from simulator.engine.acts.nodes.shutdown import ShutdownNode
from simulator.engine.acts.nodes.static_pod import PlaceStaticPod
from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.objects.apply import ApplyManifest
from simulator.engine.acts.objects.patch import PatchObject
from simulator.engine.acts.pods.debug import DebugPod
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.acts.pods.evict import EvictPod
from simulator.engine.acts.pods.resize import ResizePod
from simulator.engine.acts.pods.sandbox import KillSandbox
from simulator.engine.apiserver.documents.node import node_document
from simulator.engine.apiserver.documents.objects import object_document
from simulator.engine.apiserver.documents.pod import pod_document
from simulator.engine.versions import MINORS, BadGate, resolve
from simulator.engine.versions.gates import idle_at, stage_at
from simulator.engine.versions.minors import minor_number
from simulator.engine.versions.rows import GATES
from tests.engine.worlds import container, header, pod, run

HERE = Path(__file__).parent
Json = dict[str, Any]
SLEEPS = "sleep 3600"
RULE = {"action": "Restart", "exitCodes": {"operator": "In", "values": [3]}}
SLEEP_HOOK = {"preStop": {"sleep": {"seconds": 5}}}
FAILS_ONCE = {"exec": {"command": ["false"]}, "periodSeconds": 1, "failureThreshold": 1}
CLAIM = {"resourceClaims": [{"name": "gpu", "resourceClaimName": "gpu"}]}
FILE = {"name": "A", "valueFrom": {"fileKeyRef": {"volumeName": "v", "path": "f", "key": "A"}}}
HALF = {"requests": {"memory": "32Mi"}, "limits": {"memory": "64Mi"}}
UNREADY_BUDGET = {
    "apiVersion": "policy/v1",
    "kind": "PodDisruptionBudget",
    "metadata": {"name": "b"},
    "spec": {"minAvailable": 1, "unhealthyPodEvictionPolicy": "AlwaysAllow", "selector": {"matchLabels": {"app": "web"}}},
}
SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
}


def web(*containers: Json, **spec: Any) -> Json:
    document = pod(*containers, **spec)
    return {**document, "metadata": {**document["metadata"], "labels": {"app": "web"}}}


ASKS = pod(container("sleep 9; wget -qO- web; sleep 3600"), name="client")
"""Sends a request to the Service some seconds after the other pod's deletion began."""
WEB = {"labelSelector": {"matchLabels": {"app": "web"}}}
WITHIN_NODE = {**WEB, "topologyKey": "kubernetes.io/hostname"}


def first_and_then(namespace: str = "default", **spec: Any) -> list[Json]:
    """A pod of the app web, and after it another with other values of its labels."""
    first, then = (web(container(SLEEPS), name=name, **more) for name, more in (("a", {}), ("p", spec)))
    first["metadata"] |= {"labels": {"app": "web", "v": "1"}, "namespace": namespace}
    then["metadata"]["labels"] = {"app": "web" if namespace == "default" else "other", "v": "2"}
    return [first, then]


def spread(**more: Any) -> Json:
    return {"topologySpreadConstraints": [{**WITHIN_NODE, "maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", **more}]}


def beside(kind: str, **more: Any) -> Json:
    return {"affinity": {kind: {"requiredDuringSchedulingIgnoredDuringExecution": [{**WITHIN_NODE, **more}]}}}


def replica_set(replicas: int) -> Json:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container(SLEEPS)]}}
    spec = {"replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template}
    return {"apiVersion": "apps/v1", "kind": "ReplicaSet", "metadata": {"name": "web"}, "spec": spec}


def scaled(at_s: float, replicas: int) -> tuple[float, AnyCommand]:
    return at_s, PatchObject(kind="ReplicaSet", namespace="default", name="web", patch=json.dumps({"spec": {"replicas": replicas}}))


def costing(name: str, cost: int) -> Json:
    metadata = {"name": name, "labels": {"app": "web"}, "annotations": {"controller.kubernetes.io/pod-deletion-cost": str(cost)}}
    return {**pod(container(SLEEPS)), "metadata": metadata}


def stateful_set(replicas: int, **spec: Any) -> Json:
    template = {"metadata": {"labels": {"app": "web"}}, "spec": {"containers": [container(SLEEPS)]}}
    given = {"serviceName": "web", "replicas": replicas, "selector": {"matchLabels": {"app": "web"}}, "template": template, **spec}
    return {"apiVersion": "apps/v1", "kind": "StatefulSet", "metadata": {"name": "web"}, "spec": given}


ANEW = json.dumps({"spec": {"template": {"metadata": {"annotations": {"v": "2"}}}}})

THREE = {"requests": {"cpu": "3"}}
HIGH_CLASS = {"apiVersion": "scheduling.k8s.io/v1", "kind": "PriorityClass", "metadata": {"name": "high"}, "value": 1000}
PORT = {"containerPort": 80, "hostPort": 8000}


def job(script: str, **spec: Any) -> Json:
    template = {"spec": {"restartPolicy": "Never", "containers": [container(script)]}}
    return {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"}, "spec": {"template": template, **spec}}


def cron_job(version: str) -> Json:
    spec = {"schedule": "* * * * *", "jobTemplate": {"spec": job("exit 0")["spec"]}}
    return {"apiVersion": f"batch/{version}", "kind": "CronJob", "metadata": {"name": "c"}, "spec": spec}


Case = tuple[list[Json], list[tuple[float, AnyCommand]]]
"""What is applied at the beginning of the run, and the acts after that."""
PLAIN = pod(container(SLEEPS))
GUARANTEED = container(SLEEPS, resources={"requests": {"cpu": "100m", "memory": "64Mi"}, "limits": {"cpu": "100m", "memory": "64Mi"}})
GENTLY: list[tuple[float, AnyCommand]] = [(5, ShutdownNode(node="node1", grace_s=10, critical_s=2))]
OUT_OF_SERVICE = TaintNode(node="node1", add=("node.kubernetes.io/out-of-service:NoExecute",))
HOST_PROCESS = {"hostNetwork": True, "securityContext": {"windowsOptions": {"hostProcess": True}}}
ON_WINDOWS = pod({"name": "app", "image": "mcr.microsoft.com/windows/nanoserver:ltsc2022", "command": ["ping", "-t", "localhost"]})
IMAGES = ("mcr.microsoft.com/windows/nanoserver:ltsc2022",)
ONE_IS_CLOSED = [{"name": "node1"}, {"name": "node2", "taints": ["k=v:NoSchedule"]}]
NODES: dict[str, list[Json]] = {
    "WindowsGracefulNodeShutdown": [{"name": "node1", "os": "windows"}],
    "NodeInclusionPolicyInPodTopologySpread": ONE_IS_CLOSED,
    "MatchLabelKeysInPodTopologySpread": ONE_IS_CLOSED,
}
"""The nodes of a case, unless it is one that runs Linux."""
CASES: dict[str, Case] = {
    "SidecarContainers": ([pod(container("exit 0"), initContainers=[container(SLEEPS, name="s", restartPolicy="Always")])], []),
    "ContainerRestartRules": ([pod(container("exit 3", restartPolicy="Never", restartPolicyRules=[RULE]))], []),
    "RestartAllContainersOnContainerExits": (
        [pod(container("exit 3", restartPolicy="Never", restartPolicyRules=[{**RULE, "action": "RestartAllContainers"}]))],
        [],
    ),
    "NodeDeclaredFeatures": ([PLAIN], []),
    "ReduceDefaultCrashLoopBackOffDecay": ([pod(container("exit 1"))], []),
    "KubeletCrashLoopBackOffMax": ([pod(container("exit 1"))], []),
    "PodHasNetworkCondition": ([PLAIN], []),
    "PodReadyToStartContainersCondition": ([PLAIN], []),
    "PodSchedulingReadiness": ([pod(container(SLEEPS), schedulingGates=[{"name": "a.b/c"}])], []),
    "PodDisruptionConditions": ([PLAIN], [(5, EvictPod(target="default/p"))]),
    "JobPodReplacementPolicy": ([job("exit 0")], []),
    "NodeOutOfServiceVolumeDetach": ([PLAIN], [(5, NodeControl(node="node1", kubelet="stop")), (80, OUT_OF_SERVICE)]),
    "WindowsHostProcessContainers": ([pod(container(SLEEPS), **HOST_PROCESS)], []),
    "WindowsGracefulNodeShutdown": ([ON_WINDOWS], GENTLY),
    "PDBUnhealthyPodEvictionPolicy": ([web(container("exit 1")), UNREADY_BUDGET], [(9, EvictPod(target="default/p"))]),
    "PodObservedGenerationTracking": ([PLAIN], []),
    "PodLifecycleSleepAction": ([pod(container(SLEEPS, lifecycle=SLEEP_HOOK))], [(5, DeletePod(target="default/p"))]),
    "PodLifecycleSleepActionAllowZero": ([pod(container(SLEEPS, lifecycle={"preStop": {"sleep": {"seconds": 0}}}))], []),
    "ContainerStopSignals": (
        [pod({**container(lifecycle={"stopSignal": "SIGUSR1"}), "livenessProbe": FAILS_ONCE}, os={"name": "linux"})],
        [],
    ),
    "ExecProbeTimeout": ([pod(container(SLEEPS, readinessProbe={"exec": {"command": ["sleep", "3"]}, "periodSeconds": 5}))], []),
    "GRPCContainerProbe": ([pod(container(SLEEPS, readinessProbe={"grpc": {"port": 80}}))], []),
    "ProbeTerminationGracePeriod": ([pod(container(SLEEPS, livenessProbe={**FAILS_ONCE, "terminationGracePeriodSeconds": 3}))], []),
    "EphemeralContainers": ([PLAIN], [(5, DebugPod(target="default/p", container="d", image="busybox:1.28"))]),
    "GracefulNodeShutdown": ([PLAIN], GENTLY),
    "GracefulNodeShutdownBasedOnPodPriority": (
        [PLAIN],
        [(5, ShutdownNode(node="node1", grace_s=10, critical_s=2, by_priority=((0, 20),)))],
    ),
    "PLEGOnDemandRelist": ([pod(container("sleep 5; exit 1"))], []),
    "InPlacePodVerticalScaling": (
        [pod(GUARANTEED)],
        [(5, ResizePod(target="default/p", container="app", requests={"cpu": "50m"}, limits={"cpu": "50m"}))],
    ),
    "PodLevelResources": ([pod(container(SLEEPS), resources={"requests": {"cpu": "100m"}})], []),
    "ImageVolume": ([pod(container(SLEEPS), volumes=[{"name": "v", "image": {"reference": "busybox:1.28"}}])], []),
    "UserNamespacesStatelessPodsSupport": ([pod(container(SLEEPS), hostUsers=False)], []),
    "UserNamespacesSupport": ([pod(container(SLEEPS), hostUsers=False)], []),
    "UserNamespacesHostNetworkSupport": ([pod(container(SLEEPS), hostUsers=False, hostNetwork=True)], []),
    "ChangeContainerStatusOnKubeletRestart": (
        [pod(container(SLEEPS, readinessProbe={"exec": {"command": ["true"]}}))],
        [(5, NodeControl(node="node1", kubelet="stop")), (8, NodeControl(node="node1", kubelet="start"))],
    ),
    "SupplementalGroupsPolicy": ([pod(container(SLEEPS), securityContext={"supplementalGroupsPolicy": "Strict"})], []),
    "DynamicResourceAllocation": ([pod(container(SLEEPS), **CLAIM)], []),
    "EnvFiles": ([pod(container(SLEEPS, env=[FILE]), volumes=[{"name": "v", "emptyDir": {}}])], []),
    "RelaxedEnvironmentVariableValidation": ([pod(container(SLEEPS, env=[{"name": "a b", "value": "c"}]))], []),
    "HostnameOverride": ([pod(container(SLEEPS), hostnameOverride="other")], []),
    "MemoryQoS": ([pod(container("cat /sys/fs/cgroup/memory.high; sleep 3600", resources=HALF))], []),
    "SeparateTaintEvictionController": ([PLAIN], [(5, TaintNode(node="node1", add=("k=v:NoExecute",)))]),
    "TaintTolerationComparisonOperators": ([pod(container(SLEEPS), tolerations=[{"key": "k", "operator": "Gt", "value": "1"}])], []),
    "EndpointSliceTerminatingCondition": ([web(container(SLEEPS)), SERVICE], []),
    "ProxyTerminatingEndpoints": (
        [web({"name": "app", "image": "nginx:1.16.1", "lifecycle": {"preStop": {"exec": {"command": ["sleep", "9"]}}}}), SERVICE, ASKS],
        [(5, DeletePod(target="default/p"))],
    ),
    "PodAffinityNamespaceSelector": (first_and_then("other", **beside("podAffinity", namespaceSelector={})), []),
    "MatchLabelKeysInPodAffinity": (first_and_then(**beside("podAntiAffinity", matchLabelKeys=["v"])), []),
    "MinDomainsInPodTopologySpread": (first_and_then(**spread(minDomains=2)), []),
    "NodeInclusionPolicyInPodTopologySpread": (first_and_then(**spread(nodeTaintsPolicy="Honor")), []),
    "MatchLabelKeysInPodTopologySpread": (first_and_then(**spread(matchLabelKeys=["v"])), []),
    "ClearingNominatedNodeNameAfterBinding": (
        [HIGH_CLASS, pod(container(SLEEPS, resources=THREE), name="low", terminationGracePeriodSeconds=1)],
        [(2, ApplyManifest(documents=(json.dumps(pod(container(SLEEPS, resources=THREE), priorityClassName="high")),)))],
    ),
    "SchedulerQueueingHints": (
        [pod(container(SLEEPS, ports=[PORT]), name="a"), pod(container(SLEEPS), name="b"), pod(container(SLEEPS, ports=[PORT]))],
        [(5, DeletePod(target="default/b", grace_s=1))],
    ),
    "SchedulerPopFromBackoffQ": (
        [pod(container(SLEEPS), nodeSelector={"zone": "a"})],
        [(1, LabelNode(node="node1", labels={"zone": "a"}))],
    ),
    "PreventStaticPodAPIReferences": (
        [PLAIN],
        [(5, PlaceStaticPod(node="node1", document=json.dumps(pod(container(envFrom=[{"configMapRef": {"name": "c"}}]), name="s"))))],
    ),
    "PodDeletionCost": ([costing("a", 5), costing("b", -5), replica_set(1)], []),
    "LogarithmicScaleDown": ([replica_set(1)], [scaled(10, 2), scaled(15, 3), scaled(20, 4), scaled(60, 1)]),
    "JobTrackingWithFinalizers": ([job("exit 0")], []),
    "TTLAfterFinished": ([job("exit 0", ttlSecondsAfterFinished=5)], []),
    "CronJobControllerV2": ([cron_job("v1beta1")], []),
    "CronJobsScheduledAnnotation": ([cron_job("v1")], []),
    "JobReadyPods": ([job("sleep 5")], []),
    "PodIndexLabel": ([job("exit 0", completions=1, completionMode="Indexed")], []),
    "DeploymentReplicaSetTerminatingReplicas": ([replica_set(1)], [scaled(10, 0)]),
    "MaxUnavailableStatefulSet": (
        [stateful_set(2, podManagementPolicy="Parallel", updateStrategy={"type": "RollingUpdate", "rollingUpdate": {"maxUnavailable": 2}})],
        [(10, PatchObject(kind="StatefulSet", namespace="default", name="web", patch=ANEW))],
    ),
    "PodscopePhaseRules13": (
        [pod(container(SLEEPS), initContainers=[container("sleep 10", name="i")])],
        [(20, KillSandbox(target="default/p"))],
    ),
}


def others(name: str, minor: str, *, on: bool) -> dict[str, bool]:
    """The other gates that must be set so that this one can be ``on``; they are set in both runs."""
    known = {gate for gate in GATES if stage_at(GATES[gate], minor_number(minor)) is not None}
    if name == "KubeletCrashLoopBackOffMax":
        return {"ReduceDefaultCrashLoopBackOffDecay": True}
    if on:
        return dict.fromkeys((need for need in GATES[name].needs if need in known), True)
    found: dict[str, bool] = {}
    wave = {name}
    while wave:
        wave = {gate for gate in known if wave & set(GATES[gate].needs) and gate not in found}
        found |= dict.fromkeys(wave, False)
    return found


def outcome(name: str, minor: str, gates: dict[str, bool]) -> str:
    """Everything visible in a run: its records, and the objects at its end."""
    documents, commands = CASES[name]
    created = ApplyManifest(documents=tuple(json.dumps(document) for document in documents), create=True)
    world, records = run(header(kubernetes=minor, gates=gates, nodes=NODES.get(name, 1), images=IMAGES), 200, (0.5, created), *commands)
    told = [(record.at_ms, record.subject, record.machine, record.target, record.rule, record.data) for record in records]
    return repr([told, shown(world)])


def shown(world: World) -> list[Json]:
    found = [pod_document(world, key) for key in sorted(world.tables.pods)]
    found += [node_document(world, name) for name in sorted(world.tables.nodes)]
    found += [object_document(world, *key) for key in sorted(world.tables.objects)]
    return [*found, dict(world.tables.logs)]


def settable() -> list[tuple[str, str, bool]]:
    """(gate, minor, non-default value) wherever Kubernetes permits it."""
    return [case for stage in stages() for case in stage]


def stages() -> list[list[tuple[str, str, bool]]]:
    """The same by gate and stage: within a stage the gate has the same default, and idles or acts."""
    found: dict[tuple[str, str, str], list[tuple[str, str, bool]]] = {}
    for name, row in GATES.items():
        for minor in MINORS:
            stage = stage_at(row, minor_number(minor))
            if stage is not None and stage != "locked":
                idle = idle_at(row, minor_number(minor))
                found.setdefault((name, stage, idle), []).append((name, minor, stage not in ("on", "ga")))
    return list(found.values())


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """The first and the last minor of each stage of a gate; all of them with ``--all-stories``."""
    if "on" in metafunc.fixturenames:
        ends = [case for stage in stages() for case in dict.fromkeys((stage[0], stage[-1]))]
        metafunc.parametrize(("name", "minor", "on"), settable() if metafunc.config.getoption("--all-stories") else ends)


def test_gate_that_is_set_changes_something_or_is_refused_with_the_reason(name: str, minor: str, on: bool) -> None:
    settings = others(name, minor, on=on)
    if why := idle_at(GATES[name], minor_number(minor)):
        with pytest.raises(BadGate, match=f"{name} would change nothing in a run: ") as caught:
            resolve(minor, {gate: value for gate, value in settings.items() if value} | {name: on})
        assert caught.value.problem.endswith(why)
        return
    before = {gate: value for gate, value in settings.items() if not GATES[gate].idle}
    assert outcome(name, minor, {**settings, name: on}) != outcome(name, minor, before)


def test_gate_that_acts_nowhere_may_follow_the_one_it_needs() -> None:
    off = {"GracefulNodeShutdown": False, "GracefulNodeShutdownBasedOnPodPriority": False, "WindowsGracefulNodeShutdown": False}
    assert not resolve("1.34", off).graceful_node_shutdown


NEVER_SET = {"StartupProbe": ("kubelet/pods/probes/test_probe_workers.py", "startupProbe")}
"""Gates that cannot be set in any minor, so that no case above can show their effect: a test that does, and what it names."""


def test_gate_that_can_never_be_set_is_shown_by_a_test() -> None:
    there = {name for name, row in GATES.items() if any(stage_at(row, minor_number(minor)) for minor in MINORS)}
    assert there - {name for name, _, _ in settable()} == NEVER_SET.keys()
    assert [path for path, word in NEVER_SET.values() if word not in (HERE / path).read_text(encoding="utf-8")] == []


@pytest.mark.parametrize(
    ("name", "minor"), [(name, minor) for name, row in GATES.items() for minor in MINORS if stage_at(row, minor_number(minor)) == "locked"]
)
def test_locked_gate_cannot_be_set_against_its_value(name: str, minor: str) -> None:
    with pytest.raises(BadGate, match=f"{name} is locked to true in Kubernetes {minor}"):
        resolve(minor, {name: False})
