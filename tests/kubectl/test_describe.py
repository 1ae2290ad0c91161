"""The text of kubectl describe, compared with the layout recorded from kubectl 1.20 and the documented later differences."""

from typing import Any

import pytest

from simulator.engine.acts.nodes.taint import TaintNode
from simulator.engine.acts.pods.delete import DeletePod
from simulator.engine.model.pod import Pod
from simulator.engine.projection.probe_texts import handler_text
from simulator.engine.projection.project import events_view
from simulator.kubectl.describe_container import container_lines, probe_text
from simulator.kubectl.describe_volume import volume_lines
from simulator.kubectl.pods import describe
from tests.engine.worlds import container, header, pod, run

KEY = "default/p"


def described(seconds: float, *containers: dict[str, Any], kubernetes: str = "1.20", **spec: Any) -> str:
    world, _ = run(header(pod(*(containers or (container(),)), **spec), kubernetes=kubernetes), seconds)
    return describe(world, KEY)


def test_identity_comes_first() -> None:
    assert described(5).splitlines()[:8] == [
        "Name:         p",
        "Namespace:    default",
        "Priority:     0",
        "Node:         node1/10.0.0.10",
        "Start Time:   Thu, 01 Jan 2026 00:00:00 +0000",
        "Labels:       <none>",
        "Annotations:  <none>",
        "Status:       Running",
    ]


def test_crash_looping_container_shows_state_and_last_state() -> None:
    lines = described(5, container("sleep 1; exit 1")).splitlines()
    first = lines.index("    State:          Waiting")
    assert lines[first + 1 : first + 5] == [
        "      Reason:       CrashLoopBackOff",
        "    Last State:     Terminated",
        "      Reason:       Error",
        "      Exit Code:    1",
    ]


def test_conditions_have_a_blank_after_their_status() -> None:
    assert "Conditions:\n  Type              Status\n  Initialized       True \n  Ready             True \n" in described(5)


def test_event_that_came_again_shows_its_count() -> None:
    text = described(60, container("sleep 1; exit 1"))
    assert "BackOff" in text and "(x" in text and " over " in text


def test_events_name_their_container_when_kubectl_is_new() -> None:
    assert "spec.containers{app}: Container started" in described(5, kubernetes="1.35")
    assert "spec.containers{app}" not in described(5, kubernetes="1.34")


def test_events_section_says_none_when_there_are_none() -> None:
    assert described(0).splitlines()[-1].split() == ["Events:", "<none>"]


def test_events_older_than_an_hour_are_gone() -> None:
    assert described(3700).splitlines()[-1].split() == ["Events:", "<none>"]


@pytest.mark.parametrize(("kubernetes", "shown"), [("1.24", False), ("1.25", True)])
def test_service_account_is_shown_when_kubectl_knows_the_line(kubernetes: str, shown: bool) -> None:
    assert ("Service Account:  default" in described(1, kubernetes=kubernetes)) is shown


def test_deleted_pod_is_terminating_with_its_grace() -> None:
    world, _ = run(header(pod(container("sleep 600"))), 10, (5, DeletePod(target=KEY)))
    assert "Terminating (lasts <invalid>)" in describe(world, KEY)
    assert "Terminating (lasts 3s)" in describe(world, KEY, now_ms=38_500)
    assert "Termination Grace Period:  30s" in describe(world, KEY)


def test_unscheduled_pod_has_no_node_and_no_status_lines() -> None:
    text = described(5, container(resources={"requests": {"cpu": "100"}}))
    assert "Node:         <none>" in text and "IPs:          <none>" in text and "Container ID" not in text


def test_describe_is_empty_when_the_pod_is_gone_or_never_was() -> None:
    world, _ = run(header(pod(container())), 60, (5, DeletePod(target=KEY)))
    assert describe(world, KEY) == describe(world, "default/other") == ""


def test_long_annotation_stands_on_lines_of_its_own() -> None:
    sent = pod(container())
    sent["metadata"]["annotations"] = {"long": "v" * 150, "short": "x"}
    text = describe(run(header(sent, kubernetes="1.20"), 1)[0], KEY)
    assert f"Annotations:  long:\n                {'v' * 138}...\n              short: x\n" in text


@pytest.mark.parametrize(
    ("handler", "text"),
    [
        ({"exec": {"command": ["cat", "/x"]}}, "exec [cat /x]"),
        ({"httpGet": {"port": 8080, "path": "/healthz"}}, "http-get http://:8080/healthz"),
        ({"httpGet": {"port": "web", "scheme": "HTTPS", "host": "h", "path": "x"}}, "http-get https://h:web/x"),
        ({"tcpSocket": {"port": 3306}}, "tcp-socket :3306"),
        ({"grpc": {"port": 9090, "service": "s"}}, "grpc <pod>:9090 s"),
        ({}, "unknown"),
    ],
)
def test_handler_is_written_as_describe_does(handler: dict[str, Any], text: str) -> None:
    assert handler_text(handler) == text


def test_probe_shows_its_numbers_with_defaults() -> None:
    assert probe_text({"tcpSocket": {"port": 1}, "periodSeconds": 5}, minor=33) == (
        "tcp-socket :1 delay=0s timeout=1s period=5s #success=1 #failure=3"
    )


@pytest.mark.parametrize(
    ("field", "value", "line"),
    [
        ("ports", [{"containerPort": 80, "protocol": "TCP"}, {"containerPort": 81, "protocol": "UDP"}], "    Ports:\t80/TCP, 81/UDP"),
        ("command", ["sh", "-c", "a\nb"], "      a"),
        ("env", [{"name": "A", "value": "1"}], "      A:\t1"),
        (
            "env",
            [{"name": "N", "valueFrom": {"fieldRef": {"apiVersion": "v1", "fieldPath": "spec.nodeName"}}}],
            "      N:\t (v1:spec.nodeName)",
        ),
        (
            "env",
            [{"name": "S", "valueFrom": {"secretKeyRef": {"name": "s", "key": "k"}}}],
            "      S:\t<set to the key 'k' in secret 's'>\tOptional: false",
        ),
        (
            "env",
            [{"name": "C", "valueFrom": {"configMapKeyRef": {"name": "c", "key": "k", "optional": True}}}],
            "      C:\t<set to the key 'k' of config map 'c'>\tOptional: true",
        ),
        ("envFrom", [{"configMapRef": {"name": "cfg"}, "prefix": "P_"}], "      cfg\tConfigMap with prefix 'P_'\tOptional: false"),
        ("volumeMounts", [{"name": "v", "mountPath": "/m", "subPath": "s"}], '      /m from v (rw,path="s")'),
        ("resources", {"limits": {"memory": "1Gi"}}, "      memory:\t1Gi"),
    ],
)
def test_container_field_is_written_as_describe_does(field: str, value: Any, line: str) -> None:
    assert line in container_lines({"name": "app", "image": "x", field: value}, None, Pod(), minor=33)


def test_message_with_a_line_break_breaks_the_columns_as_kubectl_does() -> None:
    text = described(10, container("echo bye > /dev/termination-log; exit 1"), restartPolicy="Never")
    assert "      Message:  bye\n\n      Exit Code:    1\n" in text


@pytest.mark.parametrize(
    ("source", "lines"),
    [
        ({"emptyDir": {"medium": "Memory"}}, ["    Medium:\tMemory", "    SizeLimit:\t<unset>"]),
        ({"configMap": {"name": "c"}}, ["    Name:\tc", "    Optional:\tfalse"]),
        ({"hostPath": {"path": "/x", "type": ""}}, ["    Path:\t/x", "    HostPathType:\t"]),
        ({"persistentVolumeClaim": {"claimName": "d"}}, ["    ClaimName:\td", "    ReadOnly:\tfalse"]),
        ({"projected": {"sources": [{"configMap": {"name": "c"}}]}}, ["    ConfigMapName:\tc", "    ConfigMapOptional:\t<nil>"]),
    ],
)
def test_volume_is_written_as_describe_does(source: dict[str, Any], lines: list[str]) -> None:
    assert volume_lines([{"name": "v", **source}], optional_line=False)[3:] == lines


def test_no_volume_is_said() -> None:
    assert volume_lines([], optional_line=False) == ["Volumes:\t<none>"]


def test_count_of_an_event_grows_while_the_spam_filter_keeps_it_back() -> None:
    counts = [line for line in described(700, container("sleep 3; exit 1")).splitlines() if "Back-off restarting" in line]
    assert [int(line.partition("(x")[2].partition(" ")[0]) for line in counts] == [46]


def test_similar_events_are_combined_into_one_that_is_counted() -> None:
    missing = container(livenessProbe={"exec": {"command": ["/bin/nosuch"]}, "periodSeconds": 5})
    lines = [line for line in described(60, missing).splitlines() if "(combined from similar events)" in line]
    assert len(lines) == 1 and "(x3 over" in lines[0]


def test_events_of_one_second_stand_in_the_order_of_their_creation() -> None:
    failing = {"exec": {"command": ["false"]}, "periodSeconds": 2, "failureThreshold": 2}
    rows = described(10, container(livenessProbe=failing)).partition("Events:")[2].splitlines()[3:]
    again = [row.split()[1] for row in rows if "(x" in row and "Unhealthy" not in row]
    assert again == ["Pulled", "Created", "Started", "Killing"]


def test_events_without_the_uid_of_the_pod_are_not_shown() -> None:
    patient = [{"key": "k", "operator": "Exists", "tolerationSeconds": 60}]
    taint, untaint = TaintNode(node="node1", add=("k=v:NoExecute",)), TaintNode(node="node1", remove=("k",))
    world, _ = run(header(pod(container(), tolerations=patient)), 5, (2, taint), (4, untaint))
    reasons = {row.reason for row in events_view(world, KEY)}
    assert "TaintManagerEviction" in reasons and "TaintManagerEviction" not in describe(world, KEY)


def test_status_replaced_by_1_20_at_the_deadline_has_no_host_address() -> None:
    assert "Node:         node1/\n" in described(20, activeDeadlineSeconds=10)
    assert " node1/10.0.0.10\n" in described(20, activeDeadlineSeconds=10, kubernetes="1.30")


def test_spread_constraints_are_shown_when_kubectl_knows_them() -> None:
    rule = {"topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule", "maxSkew": 1, "labelSelector": {"matchLabels": {"app": "web"}}}
    shown = "Topology Spread Constraints:  zone:DoNotSchedule when max skew 1 is exceeded for selector app=web"
    found = [shown in described(1, kubernetes=version, topologySpreadConstraints=[rule]) for version in ("1.23", "1.24")]
    assert found == [False, True]


def test_resources_of_the_whole_pod_are_shown_since_1_32() -> None:
    assert "Resources:\n  Requests:\n    cpu:" in described(1, kubernetes="1.34", resources={"requests": {"cpu": "1"}})


def test_seccomp_profile_of_a_container_is_shown() -> None:
    lines = container_lines(
        {"name": "a", "securityContext": {"seccompProfile": {"type": "Localhost", "localhostProfile": "x.json"}}}, None, Pod(), minor=33
    )
    assert lines[4:6] == ["    SeccompProfile:\tLocalhost", "      LocalhostProfile:\tx.json"]


@pytest.mark.parametrize(
    ("volume", "lines"),
    [
        ({"nfs": {"server": "s", "path": "/p"}}, ["    Server:\ts", "    Path:\t/p", "    ReadOnly:\tfalse"]),
        ({"csi": {"driver": "d"}}, ["    Driver:\td", "    FSType:\t", "    ReadOnly:\tfalse", "    VolumeAttributes:\t<none>"]),
        ({"image": {"reference": "r:1", "pullPolicy": "Always"}}, ["    Reference:\tr:1", "    PullPolicy:\tAlways"]),
    ],
)
def test_volume_is_described(volume: dict[str, Any], lines: list[str]) -> None:
    assert volume_lines([{"name": "v", **volume}], optional_line=True)[3:] == lines


@pytest.mark.parametrize("kubernetes", ["1.20", "1.35"])
def test_container_that_could_not_be_started_began_at_the_epoch(kubernetes: str) -> None:
    """containerd leaves the start of such a container at 0 (recorded); the year 1 would be a time that nobody has set."""
    failed = {**container(), "command": ["/no-such-program"]}
    assert "      Started:      Thu, 01 Jan 1970 00:00:00 +0000\n" in described(4, failed, kubernetes=kubernetes)


@pytest.mark.parametrize(
    ("limits", "resource", "said"),
    [
        ({"memory": "64Mi"}, "limits.memory", "67108864"),
        ({}, "limits.memory", "node allocatable"),
        ({}, "limits.cpu", "node allocatable"),
        ({}, "requests.memory", "0"),
    ],
)
def test_variable_of_a_resource_says_the_amount_or_that_the_node_decides(limits: dict[str, str], resource: str, said: str) -> None:
    env = [{"name": "R", "valueFrom": {"resourceFieldRef": {"resource": resource}}}]
    (line,) = [line for line in described(5, container(env=env, resources={"limits": limits})).splitlines() if "      R:" in line]
    assert line.split(maxsplit=1)[1] == f"{said} ({resource})"
