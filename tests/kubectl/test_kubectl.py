"""The read-only kubectl: its output for each line, and the messages of its refusals."""

import json
from functools import lru_cache
from typing import Any

import pytest

from simulator.engine import World
from simulator.engine.model.kinds import KINDS
from simulator.kubectl.kubectl import kubectl
from tests.engine.worlds import container, header, pod, run

SERVICE = {
    "apiVersion": "v1",
    "kind": "Service",
    "metadata": {"name": "web"},
    "spec": {"selector": {"app": "web"}, "ports": [{"port": 80}]},
}
DEPLOYMENT = {
    "apiVersion": "apps/v1",
    "kind": "Deployment",
    "metadata": {"name": "d"},
    "spec": {
        "paused": True,  # so that no pods are created
        "replicas": 3,
        "selector": {"matchLabels": {"app": "x"}},
        "template": {"metadata": {"labels": {"app": "x"}}, "spec": {"containers": [{"name": "a", "image": "busybox"}]}},
    },
}
ALLOWED = "allowed formats are: json,name,wide,yaml"


@lru_cache
def windows() -> World:
    return run(header(nodes=[{"name": "lin"}, {"name": "win", "os": "windows"}]), 65)[0]


@lru_cache
def cluster(kubernetes: str = "1.30") -> World:
    web = pod(container(resources={"requests": {"cpu": "100m", "memory": "64Mi"}}), name="web-0")
    web["metadata"]["labels"] = {"app": "web", "tier": "front"}
    world, _ = run(header(web, pod(container("sleep 1; exit 1"), name="crash"), SERVICE, DEPLOYMENT, kubernetes=kubernetes), 65)
    return world


def ask(line: str, kubernetes: str = "1.30") -> list[str]:
    return kubectl(cluster(kubernetes), line, now_ms=65_000).splitlines()


def test_pods_are_a_table() -> None:
    assert ask("kubectl get pods") == [
        "NAME    READY   STATUS             RESTARTS      AGE",
        "crash   0/1     CrashLoopBackOff   3 (18s ago)   65s",
        "web-0   1/1     Running            0             65s",
    ]


@pytest.mark.parametrize("word", ["po", "pod", "pods", "Pods"])
def test_kind_has_several_names(word: str) -> None:
    assert ask(f"get {word} web-0 --no-headers") == ["web-0   1/1   Running   0     65s"]


def test_wide_table_shows_addresses_and_labels_when_asked() -> None:
    head, row = ask("get po -o wide --show-labels -L tier,none -l app=web")
    assert head.split()[5:] == ["IP", "NODE", "NOMINATED", "NODE", "READINESS", "GATES", "TIER", "NONE", "LABELS"]
    assert row.split()[-3:] == ["<none>", "front", "app=web,tier=front"]


def test_namespace_comes_first_when_all_are_asked_for() -> None:
    assert ask("get pods -A")[1].split()[:2] == ["default", "crash"]


def test_several_kinds_have_a_table_each_with_full_names() -> None:
    lines = ask("get deploy,pods")
    assert lines[1].split()[:3] == ["deployment.apps/d", "0/3", "0"] and lines[2] == "" and lines[4].startswith("pod/crash ")


def test_pairs_name_objects_of_several_kinds() -> None:
    assert [line.split()[0] for line in ask("get pod/web-0 svc/web --no-headers") if line] == ["pod/web-0", "service/web"]


@pytest.mark.parametrize(
    ("selector", "names"),
    [
        ("app=web", ["web-0"]),
        ("app!=web", ["crash"]),
        ("!app", ["crash"]),
        ("app in (web, api),tier", ["web-0"]),
        ("tier notin (front)", ["crash"]),
        ("app==none", []),
    ],
)
def test_label_selector_picks(selector: str, names: list[str]) -> None:
    assert ask(f"get pods -o name -l '{selector}'") == [f"pod/{name}" for name in names]


def test_field_selector_picks() -> None:
    assert ask("get pods -o name --field-selector metadata.name!=crash,spec.nodeName=node1") == ["pod/web-0"]


def test_yaml_of_one_name_is_the_object_and_of_a_list_a_list() -> None:
    assert ask("get pod web-0 -oyaml")[:2] == ["apiVersion: v1", "kind: Pod"]
    assert ask("get pods -o yaml")[:3] == ["apiVersion: v1", "items:", "- apiVersion: v1"]


def test_json_is_an_object_that_escapes_what_a_page_could_read() -> None:
    text = kubectl(cluster(), "get pod web-0 -o json")
    assert json.loads(text)["metadata"]["name"] == "web-0" and "\\u0026" in text


@pytest.mark.parametrize(
    ("line", "answer"),
    [
        ("get pods -n empty", "No resources found in empty namespace."),
        ("get rs -A", "No resources found"),
        ("get runtimeclasses", "No resources found"),
        ("get pod x", 'Error from server (NotFound): pods "x" not found'),
        ("get deploy x", 'Error from server (NotFound): deployments.apps "x" not found'),
        ("describe pod x", 'Error from server (NotFound): pods "x" not found'),
        ("get foo", 'error: the server doesn\'t have a resource type "foo"'),
        (
            "get pods -o foo",
            'error: unable to match a printer suitable for the output format "foo", allowed formats are: custom-columns,'
            "custom-columns-file,go-template,go-template-file,json,jsonpath,jsonpath-as-json,jsonpath-file,name,template,templatefile,wide,yaml",
        ),
        ("get pod a -l x=y", "error: name cannot be provided when a selector is specified"),
        ("get pod a -A", "error: a resource cannot be retrieved by name across all namespaces"),
        ("get pods --foo", "error: unknown flag: --foo"),
        ("get pods -z", "error: unknown shorthand flag: 'z' in -z"),
        ("get pods -n", "error: flag needs an argument: 'n' in -n"),
        ("dance", 'error: unknown command "dance" for "kubectl"'),
        (
            "kustomize",
            "error: this command line does not know kustomize; it knows get, describe, top, diff, events, logs, rollout, explain,"
            " api-resources, api-versions, version, cluster-info, config, auth, wait, annotate, apply, autoscale, cordon, create, debug,"
            " delete, drain, edit, evict, exec, expose, label, patch, replace, run, scale, set, taint, type, uncordon",
        ),
        (
            "delete pod web-0 -f x",
            "error: this command line only reads; it knows get, describe, top, diff, events, logs, rollout, explain, api-resources,"
            " api-versions, version, cluster-info, config, auth, wait",
        ),
        ("get 'pods", "error: a quote is not closed"),
        (
            "",
            "error: this command line knows get, describe, top, diff, events, logs, rollout, explain, api-resources, api-versions,"
            " version,"
            " cluster-info, config, auth, wait",
        ),
    ],
)
def test_refusal_is_in_the_words_of_kubectl(line: str, answer: str) -> None:
    assert ask(line)[0] == answer


def test_missing_names_follow_those_that_are_there() -> None:
    assert ask("get pods web-0 x --no-headers") == ["web-0   1/1   Running   0     65s", 'Error from server (NotFound): pods "x" not found']


def test_line_that_is_too_long_is_refused() -> None:
    assert ask("get " + "x" * 600)[0].startswith("error: the command line is longer than")


def test_namespace_of_the_run_is_the_one_that_counts() -> None:
    world, _ = run(header(pod(container()), namespace="story"), 5)
    assert kubectl(world, "get pods -o name") == "pod/p\n" and "in default namespace" in kubectl(world, "get pods -n default")


def test_describe_takes_the_beginning_of_a_name() -> None:
    assert ask("describe pod web")[0].split() == ["Name:", "web-0"]


def test_several_descriptions_are_two_lines_apart() -> None:
    assert "\n\n\nName:             web-0\n" in kubectl(cluster(), "describe pods")


def test_events_are_a_table_by_object() -> None:
    lines = ask("get events --field-selector involvedObject.name=web-0")
    assert lines[0].split() == ["LAST", "SEEN", "TYPE", "REASON", "OBJECT", "MESSAGE"]
    assert [line.split()[2] for line in lines[1:]] == ["Scheduled", "Pulled", "Created", "Started"]


def test_events_command_counts_and_sorts_by_the_last_moment() -> None:
    lines = ask("events --for pod/crash")
    assert lines[-1].startswith("4s (x6 over 62s)") and lines[1].split()[2:4] == ["Scheduled", "Pod/crash"]


def test_events_command_is_unknown_to_old_clients() -> None:
    assert ask("events", "1.25") == ['error: unknown command "events" for "kubectl"']


def columns(line: str, kubernetes: str) -> list[str]:
    pods = {"spec": {"containers": [{"name": "a", "image": "b"}], "restartPolicy": "Never"}}
    documents: dict[str, Any] = {
        "Job": {"apiVersion": "batch/v1", "spec": {"template": pods}},
        "CronJob": {"apiVersion": "batch/v1", "spec": {"schedule": "* * * * *", "jobTemplate": {"spec": {"template": pods}}}},
        "ResourceQuota": {"apiVersion": "v1", "spec": {"hard": {"pods": "9"}}},
    }
    made = [{**body, "kind": kind, "metadata": {"name": "o"}} for kind, body in documents.items()]
    world, _ = run(header(*made, kubernetes=kubernetes), 1)
    return kubectl(world, line).splitlines()[0].split("   ")


@pytest.mark.parametrize(
    ("line", "head", "since"),
    [("get jobs", "STATUS", 31), ("get cj", "TIMEZONE", 30), ("get pc", "PREEMPTIONPOLICY", 32)],
)
def test_column_comes_with_its_version(line: str, head: str, since: int) -> None:
    found = [any(cell.strip() == head for cell in columns(line, f"1.{minor}")) for minor in (since - 1, since)]
    assert found == [False, True]


def test_use_of_a_quota_is_counted() -> None:
    quota = {
        "kind": "ResourceQuota",
        "metadata": {"name": "q"},
        "spec": {"hard": {"pods": "9", "limits.cpu": "2", "requests.memory": "1Gi"}},
    }
    wanting = container(resources={"limits": {"cpu": "200m", "memory": "64Mi"}})
    world, _ = run(header(quota, pod(wanting)), 5)
    row = kubectl(world, "get quota").splitlines()[1]
    assert row == "q      5s    pods: 1/9, requests.memory: 64Mi/1Gi   limits.cpu: 200m/2"


@pytest.mark.parametrize("kind", sorted(set(KINDS) - {"Pod", "Node", "Event"}))
@pytest.mark.parametrize("body", [{}, {"spec": {"template": {}, "selector": {}, "ports": [{}], "accessModes": []}, "status": {}}])
def test_every_kind_is_printed_whatever_its_object_lacks(kind: str, body: dict[str, Any]) -> None:
    info = KINDS[kind]
    document = {"apiVersion": info.api_version(30), "kind": kind, "metadata": {"name": "x"}, **body}
    if "spec" in document and kind in ("ReplicaSet", "StatefulSet"):
        document["spec"] = {**document["spec"], "replicas": 0}  # pods without containers would be refused
    elif kind in ("ReplicaSet", "StatefulSet"):
        document["spec"] = {"replicas": 0}
    world, _ = run(header(document), 1)
    for line in (f"get {info.plural} -o wide", f"get {info.singular} x -o yaml", f"describe {info.resource} x"):
        assert "x" in kubectl(world, line) and not kubectl(world, line).lower().startswith("error")


def test_cluster_has_its_namespaces_and_the_service_of_the_api() -> None:
    assert ask("get ns -o name") == [f"namespace/{name}" for name in ("default", "kube-node-lease", "kube-public", "kube-system")]
    assert ask("get svc")[1].split() == ["kubernetes", "ClusterIP", "10.96.0.1", "<none>", "443/TCP", "65s"]


def test_endpoints_are_the_ready_pods_of_a_service() -> None:
    assert ask("get ep")[2].split() == ["web", "10.244.0.3:80", "65s"]


def test_node_is_described_with_its_pods_and_sums() -> None:
    text = "\n".join(ask("describe node node1"))
    assert "Non-terminated Pods:          (2 in total)" in text
    assert "  default                     web-0    100m (2%)     0 (0%)      64Mi (0%)        0 (0%)         65s" in text
    assert "  cpu                100m (2%)  0 (0%)" in text


def test_service_is_described_with_its_endpoints() -> None:
    assert "Endpoints:         10.244.0.3:80" in ask("describe svc web")


def test_every_namespace_has_the_certificate_of_its_cluster() -> None:
    assert [line.split()[:3] for line in ask("get configmaps -n kube-public")[1:]] == [["kube-root-ca.crt", "1", "65s"]]


def test_nodes_show_their_system_where_it_is_known() -> None:
    rows = kubectl(windows(), "get nodes -o wide", now_ms=65_000).splitlines()
    assert "<unknown>" in rows[1] and "Windows Server 2022 Datacenter   10.0.20348.169" in rows[2]


def test_describe_says_which_system_a_node_runs() -> None:
    lines = [line.split(":", 1) for line in kubectl(windows(), "describe node win", now_ms=65_000).splitlines() if ":" in line]
    told = {name.strip(): text.strip() for name, text in lines}
    found = [told[name] for name in ("OS Image", "Operating System", "Kernel Version")]
    assert found == ["Windows Server 2022 Datacenter", "windows", "10.0.20348.169"]


def test_rows_that_are_watched_are_those_of_the_moment() -> None:
    assert ask("get pods -w") == ask("get pods") and ask("get pods --watch-only")[0].startswith("NAME")
