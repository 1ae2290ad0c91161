"""Lines as typed in an exam: each gives the output of the kubectl of the run's version (checked with real ones by ``tests/door``)."""

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
        ("config view -o jsonpath='{.contexts[*].name}'", "run"),
        ("config view --minify -o jsonpath='{..namespace}'", "default"),
        ("config use-context run", 'Switched to context "run".\n'),
        ("config get-clusters", "NAME\nrun\n"),
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
