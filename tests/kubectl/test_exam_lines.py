"""Lines as typed in an exam: each gives the output of the kubectl of the run's version (checked with real ones by ``tests/door``)."""

import re

import pytest

from simulator.headless.session import Session
from tests.engine.worlds import container, header, pod, run

LABELS = {"app": "d"}
DEPLOYMENT = {
    "apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": "d"},
    "spec": {
        "replicas": 1, "selector": {"matchLabels": LABELS},
        "template": {"metadata": {"labels": LABELS}, "spec": {"containers": [container()]}},
    },
}  # fmt: skip
NEVER = {"containers": [container("exit 0")], "restartPolicy": "Never"}
DONE = {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "a-done"}, "spec": NEVER}

SKIPPED = "deployment.apps/d skipped rollback (current template already matches revision 1)\n"
RECORD = "Flag --record has been deprecated, --record will be removed in the future\n"
STATEFUL = """\
apiVersion: apps/v1
kind: StatefulSet
metadata: {name: s}
spec:
  serviceName: s
  selector: {matchLabels: {app: s}}
  template: {metadata: {labels: {app: s}}, spec: {containers: [{name: a, image: "busybox:1.28"}]}}
"""


def session(kubernetes: str = "1.37") -> Session:
    begun = header(DEPLOYMENT, pod(container(), name="p"), DONE, kubernetes=kubernetes)
    return Session(*run(begun, 180), now_ms=180_000)


def test_top_is_sorted_by_use() -> None:
    rows = session().ask("kubectl top pods --sort-by=memory --no-headers").splitlines()
    used = [int(row.split()[2].removesuffix("Mi")) for row in rows]
    assert used == sorted(used, reverse=True)


def test_top_adds_up_what_pods_use() -> None:
    assert session().ask("kubectl top pods --sum").splitlines()[-2].split() == ["________", "________"]


@pytest.mark.parametrize(
    ("kubernetes", "line", "said"),
    [
        ("1.37", "top pods --sort-by=nope", "error: --sort-by accepts only cpu or memory\n"),
        ("1.20", "top pods --sum", "Error: unknown flag: --sum\nSee 'kubectl top pod --help' for usage.\n"),
        ("1.37", "top nodes --sum", "error: unknown flag: --sum\nSee 'kubectl top node --help' for usage.\n"),
        ("1.37", "version --short", "error: unknown flag: --short\nSee 'kubectl version --help' for usage.\n"),
        ("1.20", "get pods --show-managed-fields", "Error: unknown flag: --show-managed-fields\nSee 'kubectl get --help' for usage.\n"),
    ],
)
def test_flags_are_those_of_the_version(kubernetes: str, line: str, said: str) -> None:
    assert session(kubernetes).ask(f"kubectl {line}") == said


def test_everything_is_deleted_at_once() -> None:
    said = session().ask("kubectl delete all --all --wait=false")
    assert 'pod "p" deleted from default namespace' in said and 'deployment.apps "d" deleted from default namespace' in said


def test_pods_are_deleted_in_all_namespaces() -> None:
    assert 'pod "p" deleted from default namespace' in session().ask("kubectl delete pods -A --all --wait=false")


@pytest.mark.parametrize(
    ("kubernetes", "said"),
    [
        ("1.20", ["pod/p condition met", "error: timed out waiting for the condition on pods/a-done"]),
        ("1.37", ["timed out waiting for the condition on pods/a-done", "timed out waiting for the condition on pods/p"]),
    ],
)
def test_one_deadline_is_for_all_that_is_waited_for(kubernetes: str, said: list[str]) -> None:
    assert session(kubernetes).ask("kubectl wait --for=condition=Ready pod/a-done pod/p --timeout=1s").splitlines() == said


def test_an_autoscaler_is_printed_before_it_is_made() -> None:
    said = session().ask("kubectl autoscale deploy d --max=3 --dry-run=client -o yaml")
    assert said.startswith("apiVersion: autoscaling/v2\nkind: HorizontalPodAutoscaler\nmetadata:\n  name: d\nspec:\n  maxReplicas: 3\n")
    assert session().ask("kubectl autoscale deploy d --max=3 -o name") == "horizontalpodautoscaler.autoscaling/d\n"


def test_a_dry_run_of_the_client_leaves_the_managers_as_they_are() -> None:
    said = session("1.20").ask("kubectl set env deploy/d A=b --dry-run=client -o yaml")
    assert "creationTimestamp: null\n      labels:" in said and "manager: kubectl" not in said.replace("manager: kubectl-create", "")


@pytest.mark.parametrize(("kubernetes", "kind"), [("1.24", "Deployment"), ("1.27", "ReplicaSet")])
def test_the_history_of_a_rollout_is_printed(kubernetes: str, kind: str) -> None:
    assert f"kind: {kind}\n" in session(kubernetes).ask("kubectl rollout history deploy/d -o yaml")


def test_explain_goes_down_all_fields() -> None:
    said = session().ask("kubectl explain pods.spec.containers.resources --recursive")
    assert said.endswith("  claims\t<[]ResourceClaim>\n    name\t<string> -required-\n    request\t<string>\n"
                         "  limits\t<map[string]Quantity>\n  requests\t<map[string]Quantity>\n\n")  # fmt: skip


@pytest.mark.parametrize(
    ("line", "said"),
    [
        ("config view -o jsonpath='{.contexts[*].name}'", "podscope"),
        ("config view --minify -o jsonpath='{..namespace}'", "default"),
        ("config use-context podscope", 'Switched to context "podscope".\n'),
        ("config get-clusters", "NAME\npodscope\n"),
        ("auth can-i nope pods", "Warning: verb 'nope' is not a known verb\n\nyes\n"),
        ("auth whoami -o jsonpath='{.status.userInfo.username}'", "kubernetes-admin"),
        ("create token default --dry-run=client", "error: unknown flag: --dry-run\nSee 'kubectl create token --help' for usage.\n"),
        ("create clusterrole c --verb=get --resource=*.* -o name", "clusterrole.rbac.authorization.k8s.io/c\n"),
        ("label pod p a='b c'", 'error: invalid label value: "a=b c": a valid label must be an empty string'),
        ("taint node node1 a=b", "error: invalid taint spec: a=b, name part must consist of alphanumeric characters"),
        ("rollout restart deploy", "deployment.apps/d restarted\n"),
    ],
)
def test_line_is_answered(line: str, said: str) -> None:
    assert session().ask(f"kubectl {line}").startswith(said)


@pytest.mark.parametrize(
    ("kubernetes", "line", "said", "code"),
    [
        ("1.37", "uncordon node1", "node/node1 already uncordoned\n", 0),
        ("1.37", "rollout undo deploy/d --to-revision=1", SKIPPED, 0),
        ("1.37", "rollout undo deploy/d --record", "error: unknown flag: --record\nSee 'kubectl rollout undo --help' for usage.\n", 1),
        ("1.37", "scale deploy -l none=x --replicas=1", "error: no objects passed to scale\n", 1),
        ("1.37", "expose rs nope --port 80 --dry-run=client", 'Error from server (NotFound): replicasets.apps "nope" not found\n', 1),
        ("1.37", "set env deploy d A=b --containers=x", 'Warning: Deployment/d does not have any containers matching "x"\n', 0),
        ("1.20", "set env deploy d A=b --containers=x", 'warning: Deployment/d does not have any containers matching "x"\n', 0),
        ("1.37", "get pods.v1", 'error: the server doesn\'t have a resource type "pods" in group "v1"\n', 1),
        ("1.37", "get pods.v1. -o name p", "pod/p\n", 0),
        (
            "1.37",
            "create deploy x --image=nginx --record",
            "error: unknown flag: --record\nSee 'kubectl create deployment --help' for usage.\n",
            1,
        ),
        ("1.20", "scale deploy d --replicas=2 --record", "deployment.apps/d scaled\n", 0),
        ("1.37", "scale deploy d --replicas=2 --record", f"{RECORD}deployment.apps/d scaled\n", 0),
    ],
)
def test_a_line_says_and_ends_as_a_real_one(kubernetes: str, line: str, said: str, code: int) -> None:
    asked = session(kubernetes)
    assert (asked.ask(f"kubectl {line}"), asked.exit_code) == (said, code)


def test_a_kind_that_is_not_exposed_is_named_with_its_group() -> None:
    asked = session()
    asked.ask(f"kubectl apply -f - <<EOF\n{STATEFUL}EOF")
    assert asked.ask("kubectl expose sts s --port=80") == "error: cannot expose a StatefulSet.apps\n"


def test_a_drain_that_is_tried_names_what_it_would_evict() -> None:
    said = session().ask("kubectl drain node1 --force --dry-run=client")
    assert said.startswith("node/node1 cordoned (dry run)\nWarning: deleting Pods that declare no controller: ")
    assert (
        "evicting pod default/p (dry run)\n" in said
        and said.endswith("node/node1 drained (dry run)\n")
        and "pod/a-done evicted" not in said
    )


def test_a_drain_that_is_tried_is_refused_by_its_filters() -> None:
    asked = session()
    said = asked.ask("kubectl drain node1 --dry-run=server")
    assert "error: unable to drain node" in said and asked.exit_code == 1


def test_the_line_is_recorded_as_the_cause_of_a_revision() -> None:
    asked = session()
    asked.ask("kubectl set image deploy d '*=busybox:1.29' --record")
    asked.ask("kubectl rollout status deploy d")
    assert asked.ask("kubectl rollout history deploy d").splitlines()[-2:] == [
        "2         kubectl set image deploy d *=busybox:1.29 --record=true",
        "",
    ]


def test_a_patch_that_names_another_container_adds_it() -> None:
    asked = session()
    body = '{"spec":{"template":{"spec":{"containers":[{"name":"side","image":"busybox:1.28"}]}}}}'
    assert asked.ask(f"kubectl patch deploy d -p '{body}'") == "deployment.apps/d patched\n"
    assert asked.ask("kubectl get deploy d -o jsonpath='{.spec.template.spec.containers[*].name}'").split()[0] == "side"


def test_a_pod_keeps_its_resources() -> None:
    said = session().ask("kubectl set resources pod p --limits=cpu=1")
    assert said.startswith('error: failed to patch resources update to pod template Pod "p" is invalid: spec: Forbidden: ')


@pytest.mark.parametrize(
    ("kubernetes", "line", "said"),
    [
        ("1.37", "gte pods", 'error: unknown command "gte" for "kubectl"\n\nDid you mean this?\n\tget\n'),
        (
            "1.20",
            "ge pods",
            'Error: unknown command "ge" for "kubectl"\n\nDid you mean this?\n\tset\n\tget\n\tcp\n\nRun \'kubectl --help\' for usage.\n',
        ),
        ("1.37", "xyzzy", 'error: unknown command "xyzzy" for "kubectl"\n'),
        ("1.37", "label pod p a=b run-", 'label "run" not found.\npod/p modified\n'),
        ("1.37", "label node node1 kubernetes.io/os-", "node/node1 unlabeled\n"),
        ("1.30", "label node node1 kubernetes.io/os- --overwrite", "node/node1 labeled\n"),
        ("1.30", "label node node1 kubernetes.io/os- a=b", "node/node1 unlabeled\n"),
        ("1.37", "delete pod p --now --force", "error: --force and --grace-period greater than 0 cannot be specified together\n"),
        ("1.37", "delete pod p --dry-run=server -o name", "pod/p\n"),
        ("1.37", "patch deploy d --patch-file=x", "error: unable to read patch file: open x: no such file or directory\n"),
        (
            "1.30",
            'patch deploy d -p \'{"spec":{"nope":1}}\'',
            'Warning: unknown field "spec.nope"\ndeployment.apps/d patched (no change)\n',
        ),
        ("1.20", 'patch deploy d -p \'{"spec":{"nope":1}}\'', "deployment.apps/d patched (no change)\n"),
        ("1.37", "set env deploy/d -e A=1 --env=B=2", "deployment.apps/d env updated\n"),
        (
            "1.37",
            "set image deploy/d app=",
            'error: failed to patch image update to pod template: Deployment.apps "d" is invalid: '
            "spec.template.spec.containers[0].image: Required value\n",
        ),
        ("1.33", "set resources deploy d --limits=x", "error: Invalid argument syntax x, expected <resource>=<value>\n"),
        ("1.37", "set resources deploy d --limits=x", "error: invalid argument syntax x, expected <resource>=<value>\n"),
        ("1.37", "create cm c --from-literal=a=b --append-hash", "configmap/c-m4h6ctkgb2 created\n"),
        (
            "1.37",
            "create role r --verb=nope --resource=pods",
            "Warning: 'nope' is not a standard resource verb\nrole.rbac.authorization.k8s.io/r created\n",
        ),
        (
            "1.37",
            "create clusterrole c --aggregation-rule=a=b -o jsonpath='{.aggregationRule}'",
            '{"clusterRoleSelectors":[{"matchLabels":{"a":"b"}}]}',
        ),
        ("1.37", "create svc nope s", "error: unknown command \"nope s\"\nSee 'kubectl create service -h' for help and examples\n"),
        ("1.37", "create secret tls t --cert=a", "error: key and cert must be specified\n"),
        ("1.20", "create secret tls t --cert=a", "error: flag key is required\nSee 'kubectl create secret tls -h' for help and examples\n"),
        (
            "1.20",
            "run x --image=nginx --generator=run-pod/v1",
            "Flag --generator has been deprecated, has no effect and will be removed in the future.\npod/x created\n",
        ),
        ("1.24", "run x --image=nginx --replicas=2", "error: unknown flag: --replicas\nSee 'kubectl run --help' for usage.\n"),
        ("1.37", "rollout status deploy/d --revision=5", "error: desired revision (5) is different from the running revision (1)\n"),
        (
            "1.20",
            "rollout restart deploy -l a=b",
            "Error: unknown shorthand flag: 'l' in -l\nSee 'kubectl rollout restart --help' for usage.\n",
        ),
        (
            "1.37",
            "rollout restart deploy/d --dry-run=client",
            "error: unknown flag: --dry-run\nSee 'kubectl rollout restart --help' for usage.\n",
        ),
        ("1.37", "drain node1 --delete-local-data", "error: unknown flag: --delete-local-data\nSee 'kubectl drain --help' for usage.\n"),
        ("1.37", "wait --for=create pod/nope --timeout=1s", "error: timed out waiting for the condition\n"),
        ("1.37", "debug p", "error: you must specify --image when not using --copy-to.\n"),
        ("1.37", "debug p --image=busybox --profile=nope", "error: unknown profile: nope\n"),
        ("1.37", "explain deploy --api-version=apps/v9", 'error: couldn\'t find resource for "apps/v9, Resource=deployments"\n'),
        ("1.20", "explain deploy --api-version=apps/v9", 'error: couldn\'t find resource for "apps/v9, Kind=Deployment"\n'),
        ("1.37", "top pod p a-done", "error: pod [NAME | -l label]\nSee 'kubectl top pod -h' for help and examples\n"),
        ("1.37", "cordon node1 nope", 'Error from server (NotFound): nodes "nope" not found\n'),
        ("1.37", "describe csidrivers", "No resources found in default namespace.\n"),
        (
            "1.37",
            "set image deploy/d app=busybox:1.29 x=y",
            'deployment.apps/d image updated\nerror: unable to find container named "x"\n',
        ),
        ("1.37", "create role r --verb=get --resource=rs.apps -o jsonpath='{.rules[0].resources[0]}'", "replicasets"),
        ("1.33", "scale deploy d --replicas=3 --dry-run=client -o jsonpath='{.spec.replicas}'", "1"),
        ("1.37", "scale deploy d --replicas=3 --dry-run=client -o jsonpath='{.spec.replicas}'", "3"),
        ("1.37", "version x", "error: extra arguments: [x]\n"),
        ("1.37", "auth nope", "error: unknown command \"nope\"\nSee 'kubectl auth -h' for help and examples\n"),
    ],
)
def test_line_of_a_version_is_answered(kubernetes: str, line: str, said: str) -> None:
    assert session(kubernetes).ask(f"kubectl {line}") == said


def test_label_of_another_version_of_the_object_is_a_conflict() -> None:
    assert session().ask("kubectl label pod p a=b --resource-version=1").startswith("Error from server (Conflict): ")


def test_events_are_printed_as_names() -> None:
    assert all(line.startswith("event/") for line in session().ask("kubectl events -o name").splitlines())


def test_what_was_last_applied_is_printed_with_two_blanks() -> None:
    begun = session()
    begun.ask(f"kubectl apply -f - <<EOF\n{STATEFUL}EOF")
    assert begun.ask("kubectl apply view-last-applied sts/s -o json").splitlines()[1] == '  "apiVersion": "apps/v1",'


def test_events_are_described_field_by_field() -> None:
    said = session("1.20").ask("kubectl describe events")
    assert re.search(r"\nFirst Timestamp: +<nil>\n", said) and re.search(r"\nKind: +Event\nLast Timestamp: ", said)
    assert re.search(r"\nEvents: +<none>\n", said)
